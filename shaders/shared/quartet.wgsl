// Four activation rows at once against four neighbouring rows of weights.
// Needs: Four, add_four (four_rows.wgsl), add_slices (accumulate_*.wgsl), XTile, item_0 to item_3 (tile_*.wgsl).
struct Quartet {
    a: vec4<f32>,  // sums of the first activation row
    b: vec4<f32>,
    c: vec4<f32>,
    d: vec4<f32>,
}

fn no_sums() -> Quartet {
    return Quartet(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
}

fn add_tile(sums: Quartet, w: Four, tile: XTile) -> Quartet {
    return Quartet(
        add_four(sums.a, w, item_0(tile)), add_four(sums.b, w, item_1(tile)),
        add_four(sums.c, w, item_2(tile)), add_four(sums.d, w, item_3(tile)),
    );
}

fn add_sums(x: Quartet, y: Quartet) -> Quartet {
    return Quartet(add_slices(x.a, y.a), add_slices(x.b, y.b), add_slices(x.c, y.c), add_slices(x.d, y.d));
}

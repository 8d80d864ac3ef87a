// A block of each of four activation rows as pairs, loaded by a subgroup of 8 at one go: every lane loads half a block of one row and
// one row's scales, and shares them when they are used. A load costs a software adapter more than what is done with it.
// Needs: even_pairs, odd_pairs (read_pairs.wgsl), first_row (the epilogue).
struct TileRows {
    words: u32,   // first block of the row whose words this lane loads
    scales: u32,  // and of the row whose scales it loads
}

struct XTile {
    even: vec4<i32>,
    odd: vec4<i32>,
    scales: vec2<f32>,
}

fn tile_rows(first_token: u32, last_token: u32, n_blocks: u32, thread: u32) -> TileRows {
    let lane = thread % LANES;
    return TileRows(
        (first_row() + min(first_token + lane / 2u, last_token)) * n_blocks,
        (first_row() + min(first_token + lane % 4u, last_token)) * n_blocks,
    );
}

fn load_tile(rows: TileRows, b: u32, thread: u32) -> XTile {
    let words = x[(rows.words + b) * 2u + thread % 2u];
    return XTile(even_pairs(words), odd_pairs(words), x_info[rows.scales + b].scales);
}

fn item_0(tile: XTile) -> XPairs {
    return XPairs(
        array<vec4<i32>, 2>(subgroupBroadcast(tile.even, 0u), subgroupBroadcast(tile.even, 1u)),
        array<vec4<i32>, 2>(subgroupBroadcast(tile.odd, 0u), subgroupBroadcast(tile.odd, 1u)),
        subgroupBroadcast(tile.scales, 0u),
    );
}

fn item_1(tile: XTile) -> XPairs {
    return XPairs(
        array<vec4<i32>, 2>(subgroupBroadcast(tile.even, 2u), subgroupBroadcast(tile.even, 3u)),
        array<vec4<i32>, 2>(subgroupBroadcast(tile.odd, 2u), subgroupBroadcast(tile.odd, 3u)),
        subgroupBroadcast(tile.scales, 1u),
    );
}

fn item_2(tile: XTile) -> XPairs {
    return XPairs(
        array<vec4<i32>, 2>(subgroupBroadcast(tile.even, 4u), subgroupBroadcast(tile.even, 5u)),
        array<vec4<i32>, 2>(subgroupBroadcast(tile.odd, 4u), subgroupBroadcast(tile.odd, 5u)),
        subgroupBroadcast(tile.scales, 2u),
    );
}

fn item_3(tile: XTile) -> XPairs {
    return XPairs(
        array<vec4<i32>, 2>(subgroupBroadcast(tile.even, 6u), subgroupBroadcast(tile.even, 7u)),
        array<vec4<i32>, 2>(subgroupBroadcast(tile.odd, 6u), subgroupBroadcast(tile.odd, 7u)),
        subgroupBroadcast(tile.scales, 3u),
    );
}

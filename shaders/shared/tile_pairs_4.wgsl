// A block of each of four activation rows as pairs, loaded by a subgroup of 4 at one go: every lane loads half a block of two rows and
// one row's scales, and shares them when they are used.
// Needs: even_pairs, odd_pairs (read_pairs.wgsl), first_row (the epilogue).
struct TileRows {
    words: vec2<u32>,  // first block of the rows whose words this lane loads
    scales: u32,       // and of the row whose scales it loads
}

struct XTile {
    even_01: vec4<i32>,
    odd_01: vec4<i32>,
    even_23: vec4<i32>,
    odd_23: vec4<i32>,
    scales: vec2<f32>,
}

fn tile_rows(first_token: u32, last_token: u32, n_blocks: u32, thread: u32) -> TileRows {
    let lane = thread % LANES;
    let tokens = min(vec2<u32>(first_token + lane / 2u) + vec2<u32>(0u, 2u), vec2<u32>(last_token));
    return TileRows(
        (vec2<u32>(first_row()) + tokens) * n_blocks,
        (first_row() + min(first_token + lane, last_token)) * n_blocks,
    );
}

fn load_tile(rows: TileRows, b: u32, thread: u32) -> XTile {
    let words_01 = x[(rows.words.x + b) * 2u + thread % 2u];
    let words_23 = x[(rows.words.y + b) * 2u + thread % 2u];
    return XTile(
        even_pairs(words_01), odd_pairs(words_01), even_pairs(words_23), odd_pairs(words_23), x_info[rows.scales + b].scales,
    );
}

fn item_0(tile: XTile) -> XPairs {
    return XPairs(
        array<vec4<i32>, 2>(subgroupBroadcast(tile.even_01, 0u), subgroupBroadcast(tile.even_01, 1u)),
        array<vec4<i32>, 2>(subgroupBroadcast(tile.odd_01, 0u), subgroupBroadcast(tile.odd_01, 1u)),
        subgroupBroadcast(tile.scales, 0u),
    );
}

fn item_1(tile: XTile) -> XPairs {
    return XPairs(
        array<vec4<i32>, 2>(subgroupBroadcast(tile.even_01, 2u), subgroupBroadcast(tile.even_01, 3u)),
        array<vec4<i32>, 2>(subgroupBroadcast(tile.odd_01, 2u), subgroupBroadcast(tile.odd_01, 3u)),
        subgroupBroadcast(tile.scales, 1u),
    );
}

fn item_2(tile: XTile) -> XPairs {
    return XPairs(
        array<vec4<i32>, 2>(subgroupBroadcast(tile.even_23, 0u), subgroupBroadcast(tile.even_23, 1u)),
        array<vec4<i32>, 2>(subgroupBroadcast(tile.odd_23, 0u), subgroupBroadcast(tile.odd_23, 1u)),
        subgroupBroadcast(tile.scales, 2u),
    );
}

fn item_3(tile: XTile) -> XPairs {
    return XPairs(
        array<vec4<i32>, 2>(subgroupBroadcast(tile.even_23, 2u), subgroupBroadcast(tile.even_23, 3u)),
        array<vec4<i32>, 2>(subgroupBroadcast(tile.odd_23, 2u), subgroupBroadcast(tile.odd_23, 3u)),
        subgroupBroadcast(tile.scales, 3u),
    );
}

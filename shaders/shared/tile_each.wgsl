// A block of each of four activation rows, loaded one by one when it is used.
// Needs: load_x (read_*.wgsl), first_row (the epilogue).
alias TileRows = vec4<u32>;  // first block of each row

struct XTile {
    row_blocks: vec4<u32>,
    thread: u32,
}

fn tile_rows(first_token: u32, last_token: u32, n_blocks: u32, thread: u32) -> TileRows {
    let tokens = min(vec4<u32>(first_token) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(last_token));
    return (vec4<u32>(first_row()) + tokens) * n_blocks;
}

fn load_tile(rows: TileRows, b: u32, thread: u32) -> XTile {
    return XTile(rows + vec4<u32>(b), thread);
}

fn item_0(tile: XTile) -> XBlock {
    return load_x(tile.row_blocks.x, tile.thread);
}

fn item_1(tile: XTile) -> XBlock {
    return load_x(tile.row_blocks.y, tile.thread);
}

fn item_2(tile: XTile) -> XBlock {
    return load_x(tile.row_blocks.z, tile.thread);
}

fn item_3(tile: XTile) -> XBlock {
    return load_x(tile.row_blocks.w, tile.thread);
}

// How far K or V of one layer, as cached, is apart in two sequences, position by position. A thread takes a position.
// Order: none. Everything is a maximum or a count.
// Needs: bound, tap_shape, difference, value_bits (tap_kv.wgsl).
@group(0) @binding(0) var<uniform> pair: KvPair;
@group(0) @binding(1) var<uniform> shape: TapShape;
@group(0) @binding(4) var<storage, read> block_table: array<u32>;                     // [sequence, max_blocks]
@group(0) @binding(5) var<storage, read_write> differences: array<RowDifference>;     // [record, max_positions]

// Rust twin: gpu::step::KvPair.
struct KvPair {
    sequences: vec2<u32>,  // lines of the block table
    n_positions: u32,      // positions to compare, from 0
    max_blocks: u32,       // entries of one sequence in the block table
    max_positions: u32,    // positions of one sequence at most
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

fn slot(sequence: u32, position: u32) -> u32 {
    return block_table[sequence * pair.max_blocks + position / 16u] * 16u + position % 16u;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) workgroup: vec3<u32>) {
    let position = id.x;
    if position >= pair.n_positions {
        return;
    }
    let a = slot(pair.sequences.x, position);
    let b = slot(pair.sequences.y, position);
    var difference = RowDifference();
    let n_values = bound(shape.n_values, workgroup.x);
    for (var i = 0u; i < n_values; i++) {
        add_difference(&difference, i, value_bits(a, i), value_bits(b, i));
    }
    differences[shape.record * pair.max_positions + position] = difference;
}

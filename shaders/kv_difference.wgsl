// How far K or V of one layer, as cached, is apart in two sequences, position by position. A thread takes a position.
// Order: maxima and counts have none; the two sums of squares go over the values one by one, first to last.
// Needs: bound, tap_shape, difference, value_bits (tap_kv.wgsl), format_place (kv_place_*.wgsl).
@group(0) @binding(0) var<uniform> pair: KvPair;
@group(0) @binding(1) var<uniform> shape: TapShape;
@group(0) @binding(4) var<storage, read> block_table: array<u32>;                     // [sequence, max_blocks]
@group(0) @binding(5) var<storage, read_write> differences: array<KvRowDifference>;   // [record, max_positions]

// Rust twin: gpu::step::KvRowDifference.
struct KvRowDifference {
    row: RowDifference,
    difference_squares: f32,  // sum of the squares of b - a
    first_squares: f32,       // sum of the squares of a
    largest_steps: u32,       // most numbers of the cache's format between two values
}

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
    var difference_squares = 0.0;
    var first_squares = 0.0;
    var largest_steps = 0u;
    let n_values = bound(shape.n_values, workgroup.x);
    for (var i = 0u; i < n_values; i++) {
        let bits_a = value_bits(a, i);
        let bits_b = value_bits(b, i);
        add_difference(&difference, i, bits_a, bits_b);
        let place_a = format_place(bits_a);
        let place_b = format_place(bits_b);
        largest_steps = max(largest_steps, max(place_a, place_b) - min(place_a, place_b));
        let value = bitcast<f32>(bits_a);
        let apart = bitcast<f32>(bits_b) - value;
        difference_squares = difference_squares + apart * apart;
        first_squares = first_squares + value * value;
    }
    differences[shape.record * pair.max_positions + position] =
        KvRowDifference(difference, difference_squares, first_squares, largest_steps);
}

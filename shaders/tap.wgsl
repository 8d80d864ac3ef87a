// One tensor of one row of a step: its values onto this run's half of the tape, a hash of their bits, and how far they are from the other
// half's, which is the other run's row where that has been written. A thread takes a block of 32 values.
// Order: none. A hash is a wrapping sum of integers, everything else a maximum or a count.
// Needs: tap_shape, difference, hash, value_bits (tap_*.wgsl).
@group(0) @binding(0) var<uniform> step: TapStep;
@group(0) @binding(1) var<uniform> shape: TapShape;
@group(0) @binding(4) var<storage, read_write> tape: array<u32>;             // [2 runs, tape_len] f32 bits
@group(0) @binding(5) var<storage, read_write> records: array<atomic<u32>>;  // [record, 8], zero before: 4 of hash, 4 of RowDifference

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = id.x * 32u;
    if first >= shape.n_values {
        return;
    }
    let place = step.places[shape.place];
    let own = step.run * step.tape_len + shape.tape_at;
    let other = (1u - step.run) * step.tape_len + shape.tape_at;
    var hash = vec4<u32>(0u);
    var difference = RowDifference();
    for (var i = first; i < min(first + 32u, shape.n_values); i++) {
        let bits = value_bits(place, i);
        hash += vec4<u32>(mix(bits, i, 0u), mix(bits, i, 1u), mix(bits, i, 2u), mix(bits, i, 3u));
        add_difference(&difference, i, bits, tape[other + i]);
        tape[own + i] = bits;
    }
    let record = shape.record * 8u;
    for (var lane = 0u; lane < 4u; lane++) {
        atomicAdd(&records[record + lane], hash[lane]);
    }
    atomicMax(&records[record + 4u], difference.largest_ulp);
    atomicAdd(&records[record + 5u], difference.n_differing);
    atomicMax(&records[record + 6u], difference.first_from_end);
    atomicMax(&records[record + 7u], difference.largest_bits);
}

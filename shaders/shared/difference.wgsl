// How far two rows of values are apart, in integers alone, so that no order of looking at them matters.
// Rust twin: gpu::step::RowDifference.
struct RowDifference {
    largest_ulp: u32,      // most representable numbers between two values
    n_differing: u32,      // values of which some bit differs
    first_from_end: u32,   // 0xffffffff minus the index of the first of them; 0: there is none
    largest_bits: u32,     // bits of the largest magnitude of a difference; infinity where a value is not finite on one side alone
}

// Place of a value in the total order of f32: -NaN, ..., -0, +0, ..., NaN.
fn total_order(bits: u32) -> u32 {
    return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}

fn is_finite_bits(bits: u32) -> bool {
    return (bits & 0x7f800000u) != 0x7f800000u;
}

// Takes the values of index i, given by their bits, into account.
fn add_difference(difference: ptr<function, RowDifference>, i: u32, a: u32, b: u32) {
    if a != b {
        let place_a = total_order(a);
        let place_b = total_order(b);
        var magnitude = 0x7f800000u;
        if is_finite_bits(a) && is_finite_bits(b) {
            magnitude = bitcast<u32>(abs(bitcast<f32>(a) - bitcast<f32>(b)));
        }
        (*difference).largest_ulp = max((*difference).largest_ulp, max(place_a, place_b) - min(place_a, place_b));
        (*difference).n_differing += 1u;
        (*difference).first_from_end = max((*difference).first_from_end, 0xffffffffu - i);
        (*difference).largest_bits = max((*difference).largest_bits, magnitude);
    }
}

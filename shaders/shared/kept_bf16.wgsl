// What bf16 keeps of a finite number: the upper half of its bits, to nearest, ties to even. Integers only, so no device rounds otherwise;
// a carry out of the significand raises the exponent.
fn kept(v: f32) -> f32 {
    let bits = bitcast<u32>(v);
    return bitcast<f32>((bits + 0x7FFFu + ((bits >> 16u) & 1u)) & 0xFFFF0000u);
}

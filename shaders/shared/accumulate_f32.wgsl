// Adding in f32.

// One more term of a dot product.
fn add_term(sum: f32, term: f32) -> f32 {
    return sum + term;
}

// One more slice of four dot products.
fn add_slices(total: vec4<f32>, sums: vec4<f32>) -> vec4<f32> {
    return total + sums;
}

// A quad of a token's embedding, as it is in the table.
// Needs: weight_quad (weights_*.wgsl).
fn embedding_quad(w: WBlock, j: u32) -> vec4<f32> {
    return weight_quad(w, j);
}

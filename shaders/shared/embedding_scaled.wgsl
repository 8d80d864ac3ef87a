// A quad of a token's embedding: the table's times a factor, rounded.
// Needs: shape, weight_quad (weights_*.wgsl).
fn embedding_quad(w: WBlock, j: u32) -> vec4<f32> {
    return weight_quad(w, j) * shape.embedding_scale;
}

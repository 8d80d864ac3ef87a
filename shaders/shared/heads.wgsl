// Where a row's heads of Q, K and V lie, and how they rotate.
// Needs: step, shape, HEAD_DIM.

// A rotated pair is (a*cos - b*sin, a*sin + b*cos); pairs are neighbours, also of models whose files have them half a head apart: those
// heads are put in this order when they are loaded.
fn rotate(v: vec4<f32>, r: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(v.x * r.x - v.y * r.y, v.x * r.y + v.y * r.x, v.z * r.z - v.w * r.w, v.z * r.w + v.w * r.z);
}

// Place in the cache, in heads, of the head of K or V that value `value` of K's or of V's row belongs to.
fn cache_place(slot: u32, value: u32) -> u32 {
    return ((slot / 16u) * (shape.kv_dim / HEAD_DIM) + value / HEAD_DIM) * 16u + slot % 16u;
}

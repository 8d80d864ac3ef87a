// The K/V cache in f32: four values in four words.
alias KvQuad = vec4<f32>;

fn kv_encode(v: vec4<f32>) -> KvQuad {
    return v;
}

fn kv_decode(q: KvQuad) -> vec4<f32> {
    return q;
}

// The K/V cache in f32: a value to a word. Written by quads, read by octets.
alias KvQuad = vec4<f32>;

struct KvOctet {
    first: vec4<f32>,
    second: vec4<f32>,
}

fn kv_encode(v: vec4<f32>) -> KvQuad {
    return v;
}

fn first_quad(o: KvOctet) -> vec4<f32> {
    return o.first;
}

fn second_quad(o: KvOctet) -> vec4<f32> {
    return o.second;
}

// Eight neighbouring dimensions of a key or value.
struct Octet {
    first: vec4<f32>,
    second: vec4<f32>,
}

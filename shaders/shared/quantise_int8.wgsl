// A block of 32 values as int8: scale = largest magnitude / 127, quants rounded to nearest, ties to even.
// Needs: GROUPS (lanes_*.wgsl), largest_magnitude (magnitude.wgsl), exact_reciprocal.
const ONE_127TH: f32 = 0.007874015748;  // bits 0x3C010204

struct Int8Block {
    quants: array<vec4<i32>, GROUPS>,  // of the quads that a lane owns
    scale: f32,
}

// Every lane of the task calls this with the quads it owns.
fn quantise_int8(own: array<vec4<f32>, GROUPS>, thread: u32) -> Int8Block {
    let amax = largest_magnitude(own, thread);
    var scale = 0.0;
    var inverse = 0.0;
    if amax >= SMALLEST_AMAX {
        scale = amax * ONE_127TH;
        inverse = exact_reciprocal(scale);
    }
    var quants = array<vec4<i32>, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        quants[g] = vec4<i32>(clamp(round(own[g] * inverse), vec4<f32>(-127.0), vec4<f32>(127.0)));
    }
    return Int8Block(quants, scale);
}

fn word_of_bytes(quants: vec4<i32>) -> u32 {
    let b = vec4<u32>(quants) & vec4<u32>(255u);
    return b.x | (b.y << 8u) | (b.z << 16u) | (b.w << 24u);
}

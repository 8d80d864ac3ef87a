// Numeric fingerprint: what a device makes of f32 arithmetic, written out so that each liberty that WGSL allows shows in the bits.
// Order: as written in each expression; whether the device keeps to it is what is asked. Every number comes from a buffer, except the
// one constant of a form that is about constants, so that no compiler computes anything beforehand.
@group(0) @binding(0) var<storage, read> forms: array<f32>; // [15]
@group(0) @binding(1) var<storage, read> arguments: array<vec2<f32>>; // [16]
@group(0) @binding(2) var<storage, read> pairs: array<vec2<f32>>; // [1024]
@group(0) @binding(3) var<storage, read> midpoints: array<vec2<f32>>; // [1024]
@group(0) @binding(4) var<storage, read> halves: array<u32>; // [1024]
@group(0) @binding(5) var<storage, read_write> results: array<u32>; // [32 + 16 * 5 + 1024 * 5]

const N_FORMS: u32 = 32u;
const N_ARGUMENTS: u32 = 16u;

fn put(at: u32, value: f32) {
    results[at] = bitcast<u32>(value);
}

// The sum of five numbers from `first` on, `step` apart, one after another.
fn sum_of_five(first: i32, step: i32) -> f32 {
    var sum = 0.0;
    for (var i = 0; i < i32(forms[9]); i++) {
        sum += forms[first + i * step];
    }
    return sum;
}

fn try_forms() {
    // (1 + 2^-12)^2 is 1 + 2^-11 + 2^-24; the last bit survives only in a fused operation.
    let a = forms[0];
    let minus_a_squared = forms[1];
    put(0u, a * a + minus_a_squared);
    put(1u, minus_a_squared + a * a);
    put(2u, a * a - forms[2]);
    let fused = vec4<f32>(a) * vec4<f32>(a, a, a, a) + vec4<f32>(minus_a_squared);
    put(3u, (fused.x + fused.y) + (fused.z + fused.w));
    var accumulated = minus_a_squared;
    for (var i = 0u; i < u32(forms[4]); i++) {
        accumulated += forms[i] * forms[i];
    }
    put(4u, accumulated);
    put(5u, fma(a, a, minus_a_squared));

    // 2^24 takes in two ones at once, but neither of them alone.
    let large = forms[3];
    let one = forms[4];
    let zero = forms[5];
    put(6u, (one + one) + large);
    put(7u, large + (one + one));
    put(8u, (large + one) + one);
    put(9u, (large + zero) + (one + one));
    put(10u, (large + one) + (one + zero));
    put(11u, sum_of_five(14, -1));
    put(12u, sum_of_five(10, 1));
    put(13u, (large + one * one) + one * one);
    put(14u, (one + one * one) + large * one);
    put(15u, (one * one + one * one) + large);
    put(16u, (one + one) + 16777216.0);

    let subnormal = forms[6];
    put(17u, forms[7] * forms[7]);
    put(18u, subnormal * large);
    put(19u, subnormal + subnormal);

    let half = forms[8];
    put(20u, round(one + one + half));
    put(21u, round(one + one + one + half));
    put(22u, round(-(one + one + half)));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i == 0u {
        try_forms();
    }
    if i < N_ARGUMENTS {
        let x = arguments[i].x;
        let y = arguments[i].y;
        let at = N_FORMS + 5u * i;
        put(at, exp(x));
        put(at + 1u, inverseSqrt(y));
        put(at + 2u, y / x);
        put(at + 3u, sin(x));
        put(at + 4u, tanh(x));
    }
    let at = N_FORMS + 5u * (N_ARGUMENTS + i);
    let pair = pairs[i];
    put(at, pair.x + pair.y);
    put(at + 1u, pair.x * pair.y);
    results[at + 2u] = pack2x16float(midpoints[i]);
    let unpacked = unpack2x16float(halves[i]);
    put(at + 3u, unpacked.x);
    put(at + 4u, unpacked.y);
}

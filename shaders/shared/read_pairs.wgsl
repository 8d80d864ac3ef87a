// Reading int8 activations as pairs: each lane loads its words, makes pairs of them, and the task's lanes share those.
// Needs: x (x_int8.wgsl), share_ints (lanes_*.wgsl), XPairs, WPairs, add_block_pairs.

alias XBlock = XPairs;
alias Ready = WPairs;

// Of each of four words the first quant above the third.
fn even_pairs(words: vec4<u32>) -> vec4<i32> {
    let w = bitcast<vec4<i32>>(words);
    return ((w << vec4<u32>(24u)) >> vec4<u32>(8u)) + ((w << vec4<u32>(8u)) >> vec4<u32>(24u));
}

// The second quant above the fourth.
fn odd_pairs(words: vec4<u32>) -> vec4<i32> {
    let w = bitcast<vec4<i32>>(words);
    return (((w << vec4<u32>(16u)) >> vec4<u32>(24u)) << vec4<u32>(16u)) + (w >> vec4<u32>(24u));
}

fn load_x(row_block: u32, thread: u32) -> XBlock {
    let lane = thread % READ_LANES;
    var even = array<i32, READ_GROUPS>();
    var odd = array<i32, READ_GROUPS>();
    for (var g = 0u; g < READ_GROUPS; g++) {
        let at = g * READ_LANES + lane;
        let word = vec4<u32>(x[row_block * 2u + at / 4u][at % 4u]);
        even[g] = even_pairs(word).x;
        odd[g] = odd_pairs(word).x;
    }
    return XBlock(share_ints(even), share_ints(odd), x_info[row_block].scales);
}

fn ready(w: WBlock) -> Ready {
    return pairs_of(w);
}

fn add_block(sum: f32, w: Ready, v: XBlock) -> f32 {
    return add_block_pairs(sum, w, v);
}

// How the eight quads of a 32-value block lie on threads: one subgroup of 4 is one task, each lane holds quads `lane` and `4 + lane`.
// No barriers. Same orders as lanes_subgroup_8.wgsl.
const WG_SIZE: u32 = 4u;
const LANES: u32 = 4u;
const GROUPS: u32 = 2u;
const TASKS: u32 = 1u;
const READ_LANES: u32 = 4u;   // lanes that share the loading of a block of activations
const READ_GROUPS: u32 = 2u;

fn share_quads(own: array<vec4<f32>, READ_GROUPS>) -> array<vec4<f32>, 8> {
    let v = own[0];
    let w = own[1];
    return array<vec4<f32>, 8>(
        subgroupBroadcast(v, 0u), subgroupBroadcast(v, 1u), subgroupBroadcast(v, 2u), subgroupBroadcast(v, 3u),
        subgroupBroadcast(w, 0u), subgroupBroadcast(w, 1u), subgroupBroadcast(w, 2u), subgroupBroadcast(w, 3u),
    );
}

fn share_ints(own: array<i32, READ_GROUPS>) -> array<vec4<i32>, 2> {
    let v = own[0];
    let w = own[1];
    return array<vec4<i32>, 2>(
        vec4<i32>(subgroupBroadcast(v, 0u), subgroupBroadcast(v, 1u), subgroupBroadcast(v, 2u), subgroupBroadcast(v, 3u)),
        vec4<i32>(subgroupBroadcast(w, 0u), subgroupBroadcast(w, 1u), subgroupBroadcast(w, 2u), subgroupBroadcast(w, 3u)),
    );
}

fn share_values(own: array<f32, GROUPS>, thread: u32) -> array<f32, 8> {
    let v = own[0];
    let w = own[1];
    return array<f32, 8>(
        subgroupBroadcast(v, 0u), subgroupBroadcast(v, 1u), subgroupBroadcast(v, 2u), subgroupBroadcast(v, 3u),
        subgroupBroadcast(w, 0u), subgroupBroadcast(w, 1u), subgroupBroadcast(w, 2u), subgroupBroadcast(w, 3u),
    );
}

// ((s0+s1)+(s2+s3))+((s4+s5)+(s6+s7)) over the eight quads of a block.
fn block_sum(own: array<f32, GROUPS>, thread: u32) -> f32 {
    var s = own[0];
    s = s + subgroupShuffleXor(s, 1u);
    s = s + subgroupShuffleXor(s, 2u);
    var t = own[1];
    t = t + subgroupShuffleXor(t, 1u);
    t = t + subgroupShuffleXor(t, 2u);
    return s + t;
}

fn block_max(own: array<f32, GROUPS>, thread: u32) -> f32 {
    return subgroupMax(max(own[0], own[1]));
}

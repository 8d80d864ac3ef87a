// How the eight quads of a 32-value block lie on threads, and how those threads exchange values: one subgroup of 8 is one task.
// No barriers. Exchange is by broadcast and by exclusive-or shuffles, whose additions commute pairwise, so the order is fixed.
const WG_SIZE: u32 = 8u;
const LANES: u32 = 8u;
const GROUPS: u32 = 1u;
const TASKS: u32 = 1u;
const READ_LANES: u32 = 8u;   // lanes that share the loading of a block of activations
const READ_GROUPS: u32 = 1u;

// All eight quads of a block, when each lane holds quad `group * READ_LANES + lane`.
fn share_quads(own: array<vec4<f32>, READ_GROUPS>) -> array<vec4<f32>, 8> {
    let v = own[0];
    return array<vec4<f32>, 8>(
        subgroupBroadcast(v, 0u), subgroupBroadcast(v, 1u), subgroupBroadcast(v, 2u), subgroupBroadcast(v, 3u),
        subgroupBroadcast(v, 4u), subgroupBroadcast(v, 5u), subgroupBroadcast(v, 6u), subgroupBroadcast(v, 7u),
    );
}

fn share_ints(own: array<i32, READ_GROUPS>) -> array<vec4<i32>, 2> {
    let v = own[0];
    return array<vec4<i32>, 2>(
        vec4<i32>(subgroupBroadcast(v, 0u), subgroupBroadcast(v, 1u), subgroupBroadcast(v, 2u), subgroupBroadcast(v, 3u)),
        vec4<i32>(subgroupBroadcast(v, 4u), subgroupBroadcast(v, 5u), subgroupBroadcast(v, 6u), subgroupBroadcast(v, 7u)),
    );
}

fn share_values(own: array<f32, GROUPS>, thread: u32) -> array<f32, 8> {
    let v = own[0];
    return array<f32, 8>(
        subgroupBroadcast(v, 0u), subgroupBroadcast(v, 1u), subgroupBroadcast(v, 2u), subgroupBroadcast(v, 3u),
        subgroupBroadcast(v, 4u), subgroupBroadcast(v, 5u), subgroupBroadcast(v, 6u), subgroupBroadcast(v, 7u),
    );
}

// ((s0+s1)+(s2+s3))+((s4+s5)+(s6+s7)) over the eight lanes of a block.
fn block_sum(own: array<f32, GROUPS>, thread: u32) -> f32 {
    var s = own[0];
    s = s + subgroupShuffleXor(s, 1u);
    s = s + subgroupShuffleXor(s, 2u);
    return s + subgroupShuffleXor(s, 4u);
}

// A maximum is exact, so its order does not matter.
fn block_max(own: array<f32, GROUPS>, thread: u32) -> f32 {
    return subgroupMax(own[0]);
}

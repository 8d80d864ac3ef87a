// How the eight quads of a 32-value block lie on threads: eight neighbouring lanes of a subgroup of 8 or more are a task.
// No barriers. Exchange is by shuffles within the eight; activations are loaded by every lane. Same orders as lanes_subgroup_8.wgsl.
const WG_SIZE: u32 = 64u;
const LANES: u32 = 8u;
const GROUPS: u32 = 1u;
const TASKS: u32 = 8u;
const READ_LANES: u32 = 1u;
const READ_GROUPS: u32 = 8u;

fn share_quads(own: array<vec4<f32>, READ_GROUPS>) -> array<vec4<f32>, 8> {
    return own;
}

fn share_ints(own: array<i32, READ_GROUPS>) -> array<vec4<i32>, 2> {
    return array<vec4<i32>, 2>(vec4<i32>(own[0], own[1], own[2], own[3]), vec4<i32>(own[4], own[5], own[6], own[7]));
}

fn share_values(own: array<f32, GROUPS>, thread: u32) -> array<f32, 8> {
    let v = own[0];
    // How many lanes of the subgroup lie before this one, rounded down to the task's first.
    let first = subgroupExclusiveAdd(1u) & ~7u;
    return array<f32, 8>(
        subgroupShuffle(v, first), subgroupShuffle(v, first + 1u), subgroupShuffle(v, first + 2u), subgroupShuffle(v, first + 3u),
        subgroupShuffle(v, first + 4u), subgroupShuffle(v, first + 5u), subgroupShuffle(v, first + 6u), subgroupShuffle(v, first + 7u),
    );
}

fn block_sum(own: array<f32, GROUPS>, thread: u32) -> f32 {
    var s = own[0];
    s = s + subgroupShuffleXor(s, 1u);
    s = s + subgroupShuffleXor(s, 2u);
    return s + subgroupShuffleXor(s, 4u);
}

fn block_max(own: array<f32, GROUPS>, thread: u32) -> f32 {
    var m = own[0];
    m = max(m, subgroupShuffleXor(m, 1u));
    m = max(m, subgroupShuffleXor(m, 2u));
    return max(m, subgroupShuffleXor(m, 4u));
}

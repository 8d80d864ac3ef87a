// How the eight quads of a 32-value block lie on threads: one thread holds them all and is a task of its own (no subgroups, no barriers).
// Same orders as lanes_subgroup_8.wgsl.
const WG_SIZE: u32 = 8u;
const LANES: u32 = 1u;
const GROUPS: u32 = 8u;
const TASKS: u32 = 8u;
const READ_LANES: u32 = 1u;   // lanes that share the loading of a block of activations
const READ_GROUPS: u32 = 8u;

fn share_quads(own: array<vec4<f32>, READ_GROUPS>) -> array<vec4<f32>, 8> {
    return own;
}

fn share_ints(own: array<i32, READ_GROUPS>) -> array<vec4<i32>, 2> {
    return array<vec4<i32>, 2>(vec4<i32>(own[0], own[1], own[2], own[3]), vec4<i32>(own[4], own[5], own[6], own[7]));
}

fn share_values(own: array<f32, GROUPS>, thread: u32) -> array<f32, 8> {
    return own;
}

fn block_sum(own: array<f32, GROUPS>, thread: u32) -> f32 {
    return ((own[0] + own[1]) + (own[2] + own[3])) + ((own[4] + own[5]) + (own[6] + own[7]));
}

fn block_max(own: array<f32, GROUPS>, thread: u32) -> f32 {
    return max(max(max(own[0], own[1]), max(own[2], own[3])), max(max(own[4], own[5]), max(own[6], own[7])));
}

// How the eight quads of a 32-value block lie on threads: eight neighbouring threads of a workgroup are a task; they exchange values
// through workgroup memory, with barriers. Every call stands in control flow that is uniform over the workgroup.
// Same orders as lanes_subgroup_8.wgsl.
const WG_SIZE: u32 = 64u;
const LANES: u32 = 8u;
const GROUPS: u32 = 1u;
const TASKS: u32 = 8u;
const READ_LANES: u32 = 1u;
const READ_GROUPS: u32 = 8u;

var<workgroup> exchange: array<f32, WG_SIZE>;  // [thread]

fn share_quads(own: array<vec4<f32>, READ_GROUPS>) -> array<vec4<f32>, 8> {
    return own;
}

fn share_ints(own: array<i32, READ_GROUPS>) -> array<vec4<i32>, 2> {
    return array<vec4<i32>, 2>(vec4<i32>(own[0], own[1], own[2], own[3]), vec4<i32>(own[4], own[5], own[6], own[7]));
}

fn share_values(own: array<f32, GROUPS>, thread: u32) -> array<f32, 8> {
    workgroupBarrier();
    exchange[thread] = own[0];
    workgroupBarrier();
    let first = thread & ~7u;
    return array<f32, 8>(
        exchange[first], exchange[first + 1u], exchange[first + 2u], exchange[first + 3u],
        exchange[first + 4u], exchange[first + 5u], exchange[first + 6u], exchange[first + 7u],
    );
}

fn block_sum(own: array<f32, GROUPS>, thread: u32) -> f32 {
    let v = share_values(own, thread);
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

fn block_max(own: array<f32, GROUPS>, thread: u32) -> f32 {
    let v = share_values(own, thread);
    return max(max(max(v[0], v[1]), max(v[2], v[3])), max(max(v[4], v[5]), max(v[6], v[7])));
}

// Numeric fingerprint: in which order a subgroup adds.
// Order: the device's own, which is what is asked. Each lane brings the number of its place, so that every subgroup has the same sum.
@group(0) @binding(0) var<storage, read> numbers: array<f32>; // [4, 128]
@group(0) @binding(1) var<storage, read_write> results: array<u32>; // [1 + 4]: lanes of the subgroup, then the sums

@compute @workgroup_size(128)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let sums = vec4<f32>(
        subgroupAdd(numbers[lane]),
        subgroupAdd(numbers[128u + lane]),
        subgroupAdd(numbers[256u + lane]),
        subgroupAdd(numbers[384u + lane]),
    );
    if thread == 0u {
        results[0] = size;
        results[1] = bitcast<u32>(sums.x);
        results[2] = bitcast<u32>(sums.y);
        results[3] = bitcast<u32>(sums.z);
        results[4] = bitcast<u32>(sums.w);
    }
}

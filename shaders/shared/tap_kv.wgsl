// What a tap sees of cached keys or values.
// Needs: shape, HEAD_DIM, Octet, KvStored, kv_octet (kv_read_*.wgsl).
@group(0) @binding(2) var<storage, read> kv_cache: array<KvStored>;    // [cache block, kv head, 16 positions, head_dim]

const HEAD_OCTETS: u32 = HEAD_DIM / 8u;

// Bits of value i of a slot of the cache, as f32.
fn value_bits(slot: u32, i: u32) -> u32 {
    let place = ((slot / 16u) * (shape.row_len / HEAD_DIM) + i / HEAD_DIM) * 16u + slot % 16u;
    let octet = kv_octet(place, (i % HEAD_DIM) / 8u);
    let quad = select(octet.first, octet.second, (i % 8u) >= 4u);
    return bitcast<u32>(quad[i % 4u]);
}

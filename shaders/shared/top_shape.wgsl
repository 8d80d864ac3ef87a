// What both top-k kernels know. Rust twin: gpu::step::TopShape.
struct TopShape {
    n_vocab: u32,
    n_padded: u32,  // logits per row in the buffer: the vocabulary rounded up to a whole panel
    n_parts: u32,   // stretches of PART_LOGITS
    unused: u32,
}

const PART_LOGITS: u32 = 256u;

fn mix(bits: u32, i: u32, lane: u32) -> u32 {
    var h = bits ^ (i * 0x9E3779B9u + (lane + 1u) * 0x85EBCA6Bu);
    h = h ^ (h >> 16u);
    h = h * 0x7FEB352Du;
    h = h ^ (h >> 15u);
    h = h * 0x846CA68Bu;
    return h ^ (h >> 16u);
}

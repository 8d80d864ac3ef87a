// What both top-k kernels know. Rust twin: gpu::step::TopShape.
struct TopShape {
    n_vocab: u32,
    n_padded: u32,  // logits per row in the buffer: the vocabulary rounded up to a whole panel
    n_parts: u32,   // stretches of PART_LOGITS
    unused: u32,
}

const PART_LOGITS: u32 = 256u;

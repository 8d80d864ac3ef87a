// Which tensor is tapped, and of which row. Rust twins: gpu::step::TapShape and gpu::step::TapStep.
struct TapShape {
    n_values: u32,      // values of a row that count
    row_len: u32,       // values of a row in its buffer, a multiple of 32
    place: u32,         // which of TapStep's places says where the row lies
    tape_at: u32,       // where the tensor begins on each half of the tape
    record: u32,        // number of its record
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

struct TapStep {
    places: vec4<u32>,  // row of the step, output row of the step, cache slot (cache block * 16 + position % 16), nothing
    run: u32,           // 0 for the first of the two runs, 1 for the second: which half of the tape it writes
    tape_len: u32,      // values of one half
    unused_0: u32,
    unused_1: u32,
}

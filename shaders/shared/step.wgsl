// What one call of forward() is told. Rust twin: gpu::step::StepHeader and gpu::step::StepRow (a test compares the layouts).
// Needs: const MAX_ROWS.
struct Step {
    n_rows: u32,            // rows in this step
    first_output_row: u32,  // first row whose logits are wanted
    n_output_rows: u32,     // how many rows' logits are wanted
    fixed_splits: u32,      // 1: attention splits are the 64-key tiles at absolute positions; 0: their count follows the KV length
    max_splits: u32,        // by-length only: most splits of one row's keys
    max_blocks: u32,        // entries of one sequence in the block table
    unused_0: u32,
    unused_1: u32,
    rows: array<StepRow, MAX_ROWS>,
}

struct StepRow {
    sequence: u32,  // which line of the block table
    position: u32,  // absolute position in the sequence
    token: u32,     // token id
    slot: u32,      // where its K and V go: cache block * 16 + position % 16
}

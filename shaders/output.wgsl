// What becomes of a finished dot product of the output head: RMSNorm's row factor, then it is a logit.
// A head beyond the limit of one binding is several matrices, each with a dispatch of its own.
// Order: no sums here.
// Needs: step, shape, inverse_rms.
const PANELS: u32 = 1u;
@group(0) @binding(8) var<storage, read_write> logits: array<vec4<f32>>;  // [output row, vocabulary rounded up to 32, / 4]

fn first_row() -> u32 {
    return step.first_output_row;
}

fn row_count() -> u32 {
    return step.n_output_rows;
}

fn finish(task: u32, token: u32, out: array<vec4<f32>, OUT_QUADS>, thread: u32, store: bool) {
    let lane = thread % LANES;
    let factor = inverse_rms(first_row() + token, thread);
    if store {
        for (var g = 0u; g < GROUPS; g++) {
            logits[(token * shape.row_tasks + shape.first_task + task) * 8u + g * LANES + lane] = out[g] * factor;
        }
    }
}

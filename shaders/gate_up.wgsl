// What becomes of finished dot products of ffn_gate and ffn_up, whose panels alternate: RMSNorm's row factor, then activation(gate)
// * up.
// Order: no sums here.
// Needs: step, shape, inverse_rms, activated (activation_*.wgsl), store_block.
const PANELS: u32 = 2u;

fn first_row() -> u32 {
    return 0u;
}

fn row_count() -> u32 {
    return step.n_rows;
}

fn finish(task: u32, token: u32, out: array<vec4<f32>, OUT_QUADS>, thread: u32, store: bool) {
    let factor = inverse_rms(token, thread);
    var hidden = array<vec4<f32>, GROUPS>();
    for (var g = 0u; g < GROUPS; g++) {
        let gate = out[g] * factor;
        let up = out[GROUPS + g] * factor;
        hidden[g] = activated(gate) * up;
    }
    store_block(token * shape.n_tasks + task, hidden, 0.0, thread, store);
}

// The five largest logits of a stretch of the vocabulary, a hash of all its bits, and whether any was not finite.
struct Top {
    ids: array<u32, 5>,
    values: array<f32, 5>,
    hash: array<u32, 4>,
    not_finite: u32,  // 1 if any logit is NaN or infinite
    unused: u32,
}

const NO_TOKEN: u32 = 0xffffffffu;
const EMPTY: f32 = -3.4028234663852886e38;  // the least f32: no finite logit is smaller

// Puts (id, value) into its place: value descending, then as the tie rule says; an entry that no logit fills comes last.
// Needs: tie_rank (tie_*.wgsl).
fn insert(top: ptr<function, Top>, id: u32, value: f32) {
    var v = value;
    var i = id;
    for (var k = 0u; k < 5u; k++) {
        let above = (*top).values[k];
        let above_id = (*top).ids[k];
        if v > above || (v == above && (above_id == NO_TOKEN || tie_rank(i) < tie_rank(above_id))) {
            (*top).values[k] = v;
            (*top).ids[k] = i;
            v = above;
            i = above_id;
        }
    }
}

fn empty_top() -> Top {
    var top = Top();
    for (var k = 0u; k < 5u; k++) {
        top.ids[k] = NO_TOKEN;
        top.values[k] = EMPTY;
    }
    return top;
}

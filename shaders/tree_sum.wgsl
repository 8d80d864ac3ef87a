// A few values added along many trees, each sum kept in one format before it is added on. One thread adds along one tree.
// Order: the tree's own. Its words are its leaves and additions in postfix: a leaf is put on the stack, an addition takes the two topmost
// sums off it and puts theirs in their place, the lower one as the left operand. A format is narrow enough beside f32 that adding in f32
// and rounding once more gives the nearest number of the format.
// Needs: kept, bound.
@group(0) @binding(0) var<uniform> shape: TreeShape;
@group(0) @binding(1) var<storage, read> values: array<f32>;        // [leaf]
@group(0) @binding(2) var<storage, read> trees: array<u32>;         // [tree, n_words]
@group(0) @binding(3) var<storage, read_write> sums: array<u32>;    // [tree, addition], the bits of an f32

// Rust twin: gpu::step::TreeShape.
struct TreeShape {
    n_trees: u32,
    n_words: u32,
    unused_0: u32,
    unused_1: u32,
}

// Twin: reference::tree_sum::ADD.
const ADD: u32 = 0xFFFFFFFFu;
// Twin: reference::tree_sum::MAX_DEPTH.
const MAX_DEPTH: u32 = 32u;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) workgroup: vec3<u32>) {
    let tree = id.x;
    if tree >= shape.n_trees {
        return;
    }
    let n_words = bound(shape.n_words, workgroup.x);
    let first = tree * n_words;
    var stack = array<f32, MAX_DEPTH>();
    var depth = 0u;
    var at = tree * (n_words / 2u);
    for (var i = 0u; i < n_words; i++) {
        let word = trees[first + i];
        if word == ADD {
            depth -= 1u;
            let sum = kept(stack[depth - 1u] + stack[depth]);
            stack[depth - 1u] = sum;
            sums[at] = bitcast<u32>(sum);
            at += 1u;
        } else {
            stack[depth] = kept(values[word]);
            depth += 1u;
        }
    }
}

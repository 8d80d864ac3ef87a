// The price of a dispatch: one thread writes one word.
// Order: no sums here.
@group(0) @binding(0) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(1)
fn main() {
    result[0] = 1u;
}

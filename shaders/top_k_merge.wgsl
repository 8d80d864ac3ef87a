// One row's top five, hash and finiteness from its stretches: one thread a row.
// Order: comparisons are exact (value descending, then the tie rule); the hash is a sum of wrapping integers and has no order.
// Needs: bound, top, tie, top_shape.
@group(0) @binding(1) var<uniform> shape: TopShape;
@group(0) @binding(2) var<storage, read> parts: array<Top>;          // [output row, n_parts]
@group(0) @binding(3) var<storage, read_write> result: array<Top>;   // [output row]

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>) {
    let row = workgroup.x;
    var top = empty_top();
    let n_parts = bound(shape.n_parts, row);
    for (var p = 0u; p < n_parts; p++) {
        let at = row * n_parts + p;
        for (var k = 0u; k < 5u; k++) {
            let value = parts[at].values[k];
            if value < top.values[4] || parts[at].ids[k] == NO_TOKEN {
                break;
            }
            insert(&top, parts[at].ids[k], value);
        }
        for (var lane = 0u; lane < 4u; lane++) {
            top.hash[lane] += parts[at].hash[lane];
        }
        top.not_finite |= parts[at].not_finite;
    }
    result[row] = top;
}

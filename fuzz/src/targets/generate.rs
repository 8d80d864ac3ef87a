//! Values from a fuzzer's bytes: mostly right ones, now and then one that breaks careless arithmetic.

use arbitrary::{Result, Unstructured};
use lastbit::gguf::{MetadataArray, MetadataValue};

/// Numbers at the edges of what fits.
const EDGES: [u64; 18] = [
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    255,
    1 << 16,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    (1 << 32) + 3,
    1 << 53,
    1 << 62,
    1 << 63,
    u64::MAX - 31,
    u64::MAX,
];

pub(super) fn edge(u: &mut Unstructured) -> Result<u64> {
    if u.ratio(3, 4)? { u.choose(&EDGES).copied() } else { u.arbitrary() }
}

/// `right`, or one time in sixteen a wrong number.
pub(super) fn mostly(u: &mut Unstructured, right: u64) -> Result<u64> {
    if u.ratio(1, 16)? { edge(u) } else { Ok(right) }
}

/// Up to `most` of something.
pub(super) fn several<'a, T>(
    u: &mut Unstructured<'a>,
    most: usize,
    mut one: impl FnMut(&mut Unstructured<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let n = u.int_in_range(0..=most)?;
    (0..n).map(|_| one(u)).collect()
}

/// A text put together from `parts`, and now and then from any bytes.
pub(super) fn text(u: &mut Unstructured, parts: &[&str], most: usize) -> Result<String> {
    let piece = |u: &mut Unstructured| {
        if u.ratio(1, 8)? {
            Ok(u.arbitrary::<char>()?.to_string())
        } else {
            u.choose(parts).map(|part| (*part).to_owned())
        }
    };
    Ok(several(u, most, piece)?.concat())
}

/// A value of any type.
pub(super) fn value(u: &mut Unstructured) -> Result<MetadataValue> {
    use MetadataValue as V;
    Ok(match u.int_in_range(0..=13)? {
        0 => V::U8(u.arbitrary()?),
        1 => V::I8(u.arbitrary()?),
        2 => V::U16(u.arbitrary()?),
        3 => V::I16(u.arbitrary()?),
        4 => V::U32(edge(u)? as u32),
        5 => V::I32(edge(u)? as i32),
        6 => V::F32(float(u)?),
        7 => V::Bool(u.arbitrary()?),
        8 => V::String(u.arbitrary()?),
        9 => V::U64(edge(u)?),
        10 => V::I64(edge(u)? as i64),
        11 => V::F64(f64::from(float(u)?)),
        12 => V::InvalidUtf8(vec![0xff, u.arbitrary()?]),
        _ => V::Array(array(u)?),
    })
}

pub(super) fn float(u: &mut Unstructured) -> Result<f32> {
    const EDGES: [f32; 9] = [0.0, -0.0, 1.0, -1.0, 1e-5, f32::NAN, f32::INFINITY, f32::MAX, f32::MIN_POSITIVE];
    if u.arbitrary()? { u.choose(&EDGES).copied() } else { u.arbitrary() }
}

fn array(u: &mut Unstructured) -> Result<MetadataArray> {
    use MetadataArray as A;
    Ok(match u.int_in_range(0..=5)? {
        0 => A::U8(u.arbitrary()?),
        1 => A::U32(several(u, 5, |u| Ok(edge(u)? as u32))?),
        2 => A::I32(several(u, 5, |u| Ok(edge(u)? as i32))?),
        3 => A::F32(several(u, 5, float)?),
        4 => A::Bool(u.arbitrary()?),
        _ => A::String(several(u, 5, Unstructured::arbitrary::<&str>)?.into_iter().collect()),
    })
}

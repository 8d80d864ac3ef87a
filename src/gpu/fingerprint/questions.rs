//! The numbers that the probes are given, and what their answers mean.

use half::f16;

use super::{Fingerprint, SubgroupOrder};

/// Threads of the probes that count.
pub(super) const N_THREADS: u32 = 1024;
/// Places of `subgroup_sum.wgsl`: as many as a subgroup may have lanes.
pub(super) const N_PLACES: usize = 128;
/// Words of `subgroup_sum.wgsl`.
pub(super) const N_SUBGROUP: usize = 1 + N_SUMS;
/// Words of `arithmetic.wgsl`.
pub(super) const N_ARITHMETIC: usize = N_FORMS + N_WORDS * (N_ARGUMENTS + N_THREADS as usize);

const N_SUMS: usize = 4;
const N_FORMS: usize = 32;
const N_ARGUMENTS: usize = 16;
/// Words of one argument, and of one thread, of `arithmetic.wgsl`.
const N_WORDS: usize = 5;

/// 2^24: the last number that a one can still be added to, if there are two of them.
const LARGE: f32 = 16_777_216.0;
/// 2^-140, a subnormal number.
const SUBNORMAL: f32 = f32::from_bits(1 << 9);

/// Every probe's inputs.
pub(super) struct Bytes {
    pub(super) forms: Vec<u8>,
    pub(super) arguments: Vec<u8>,
    pub(super) pairs: Vec<u8>,
    pub(super) midpoints: Vec<u8>,
    pub(super) halves: Vec<u8>,
    pub(super) quads: Vec<u8>,
    pub(super) places: Vec<u8>,
    pub(super) f16_pairs: Vec<u8>,
}

impl Bytes {
    pub(super) fn new() -> Self {
        Self {
            forms: bytemuck::cast_slice(&forms()).to_vec(),
            arguments: bytemuck::cast_slice(&arguments()).to_vec(),
            pairs: bytemuck::cast_slice(&pairs()).to_vec(),
            midpoints: bytemuck::cast_slice(&midpoints()).to_vec(),
            halves: bytemuck::cast_slice(&halves()).to_vec(),
            quads: bytemuck::cast_slice(&quads()).to_vec(),
            places: bytemuck::cast_slice(&places()).to_vec(),
            f16_pairs: bytemuck::cast_slice(&f16_pairs()).to_vec(),
        }
    }
}

/// A fixed sequence of numbers per seed (splitmix64).
fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// A number of either sign in [2^-4, 2^4) with `n_bits` random bits of significand after the first.
fn number(bits: u64, n_bits: u32) -> f32 {
    let sign = (bits >> 63) as u32;
    let exponent = 123 + (bits >> 60 & 7) as u32;
    let significand = (bits as u32) >> (32 - n_bits) << (23 - n_bits);
    f32::from_bits(sign << 31 | exponent << 23 | significand)
}

/// The numbers of `try_forms` in `arithmetic.wgsl`, by their place there.
fn forms() -> [f32; 15] {
    let a = 1.0 + 1.0 / 4096.0;
    let a_squared = 1.0 + 1.0 / 2048.0;
    let half_of_the_smallest = f32::from_bits(57 << 23); // 2^-70, whose square is 2^-140
    [a, -a_squared, a_squared, LARGE, 1.0, 0.0, SUBNORMAL, half_of_the_smallest, 0.5, 5.0, LARGE, 1.0, 1.0, 1.0, 1.0]
}

fn arguments() -> [[f32; 2]; N_ARGUMENTS] {
    let x = [1.0, -1.0, 0.5, -0.5, 0.1, -0.1, 2.0, -2.0, 3.0, -3.0, 0.7, -0.7, 1.3, -1.3, 2.7, -2.7];
    let y = [1.0, 2.0, 3.0, 5.0, 7.0, 0.1, 0.3, 0.7, 1.1, 1e-5, 1e5, 576.0, 0.9, 1.7, 123.456, 1e-3];
    std::array::from_fn(|i| [x[i], y[i]])
}

/// Half of them with full significands, half with 13 bits, so that ties are common in sums and in products.
fn pairs() -> Vec<[f32; 2]> {
    let mut random = random(1);
    let n_bits = |i: u32| if i.is_multiple_of(2) { 23 } else { 12 };
    (0..N_THREADS).map(|i| [number(random(), n_bits(i)), number(random(), n_bits(i))]).collect()
}

/// Finite f16 that are 31 apart, from zero on.
fn f16_patterns() -> impl Iterator<Item = u16> {
    (0..0x7BFF).step_by(31)
}

/// What lies half-way between an f16 and the next larger one, and the f32 beside that; signs and sides alternate.
fn midpoints() -> Vec<[f32; 2]> {
    let midpoint = |(i, pattern): (u32, u16)| {
        let middle = 0.5 * (f16::from_bits(pattern).to_f32() + f16::from_bits(pattern + 1).to_f32());
        let beside = if i.is_multiple_of(2) { middle.next_up() } else { middle.next_down() };
        let sign = if (i / 2).is_multiple_of(2) { 1.0 } else { -1.0 };
        [sign * middle, sign * beside]
    };
    (0..).zip(f16_patterns()).map(midpoint).collect()
}

/// Two f16 each: one from the whole range, and every subnormal once, signs alternating.
fn halves() -> Vec<u32> {
    (0..).zip(f16_patterns()).map(|(i, pattern)| u32::from(pattern) | i << 16 | (i & 1) << 31).collect()
}

fn quads() -> Vec<[u32; 2]> {
    let mut random = random(2);
    (0..N_THREADS).map(|_| [random() as u32, random() as u32]).collect()
}

fn places() -> Vec<f32> {
    let mut random = random(3);
    (0..N_SUMS * N_PLACES).map(|_| number(random(), 23)).collect()
}

/// Two f16 each, in [2^-4, 2^4); every fourth pair so small that its product is subnormal.
fn f16_pairs() -> Vec<u32> {
    let mut random = random(4);
    let half = |i: u32, bits: u64| {
        let exponent = if i.is_multiple_of(4) { 4 } else { 11 } + (bits >> 60 & 7) as u32;
        ((bits >> 63) as u32) << 15 | exponent << 10 | (bits & 0x3FF) as u32
    };
    (0..N_THREADS).map(|i| half(i, random()) | half(i, random()) << 16).collect()
}

/// Reads the answers of `arithmetic.wgsl`.
pub(super) fn arithmetic(words: &[u32]) -> Fingerprint {
    let (forms, rest) = words.split_at(N_FORMS);
    let (functions, counted) = rest.split_at(N_WORDS * N_ARGUMENTS);
    let value = |form: usize| f32::from_bits(forms[form]);
    let two_more = LARGE + 2.0;
    let sums = [
        (6, two_more),
        (7, two_more),
        (8, LARGE),
        (9, two_more),
        (10, LARGE),
        (11, LARGE + 4.0),
        (12, LARGE),
        (13, LARGE),
        (14, two_more),
    ];
    let counted: Vec<&[u32]> = counted.chunks_exact(N_WORDS).collect();
    let ulp = |place: usize, truth: fn(f64, f64) -> f64| {
        let each = functions.chunks_exact(N_WORDS).zip(arguments());
        let errors = each.map(|(words, [x, y])| ulp_between(words[place], truth(x.into(), y.into()) as f32));
        errors.max().unwrap_or(0)
    };
    Fingerprint {
        multiply_add_fused: (0..5).any(|form| value(form) != 0.0),
        fma_fused: value(5) != 0.0,
        sums_regrouped: sums.iter().any(|(form, expected)| value(*form) != *expected),
        products_regrouped: value(15) != two_more,
        constants_regrouped: value(16) != two_more,
        sums_and_products_wrong: count(counted.iter().zip(pairs()), |(words, [a, b])| {
            wrong(words[0], (a + b).to_bits()) + wrong(words[1], (a * b).to_bits())
        }),
        subnormal_results_kept: forms[17] == SUBNORMAL.to_bits(),
        subnormal_operands_kept: value(18) == SUBNORMAL * LARGE && forms[19] == (SUBNORMAL + SUBNORMAL).to_bits(),
        round_ties_to_even: [value(20), value(21), value(22)] == [2.0, 4.0, -2.0],
        f16_pack_wrong: count(counted.iter().zip(midpoints()), |(words, both)| {
            let [low, high] = both.map(|v| u32::from(f16::from_f32(v).to_bits()));
            wrong(words[2] & 0xFFFF, low) + wrong(words[2] >> 16, high)
        }),
        f16_unpack_wrong: count(counted.iter().zip(halves()), |(words, both)| {
            let exact = |bits: u32| f16::from_bits(bits as u16).to_f32().to_bits();
            wrong(words[3], exact(both & 0xFFFF)) + wrong(words[4], exact(both >> 16))
        }),
        exp_ulp: ulp(0, |x, _| x.exp()),
        inverse_sqrt_ulp: ulp(1, |_, y| 1.0 / y.sqrt()),
        division_ulp: ulp(2, |x, y| y / x),
        sin_ulp: ulp(3, |x, _| x.sin()),
        tanh_ulp: ulp(4, |x, _| x.tanh()),
        ..Fingerprint::default()
    }
}

pub(super) fn packed_dot_wrong(words: &[u32]) -> u32 {
    count(words.iter().zip(quads()), |(word, [a, b])| {
        let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        let dot: i32 = products.map(|(a, b)| i32::from(a as i8) * i32::from(b as i8)).sum();
        wrong(*word, dot as u32)
    })
}

pub(super) fn native_f16_wrong(words: &[u32]) -> u32 {
    count(words.chunks_exact(2).zip(f16_pairs()), |(words, both)| {
        let [a, b] = [both, both >> 16].map(|bits| f16::from_bits(bits as u16).to_f32());
        // The f32 operation has bits enough that a second rounding gives what one would.
        let nearest = |exact: f32| f16::from_f32(exact).to_f32().to_bits();
        wrong(words[0], nearest(a + b)) + wrong(words[1], nearest(a * b))
    })
}

pub(super) fn subgroup_order(words: &[u32]) -> SubgroupOrder {
    let size = words[0] as usize;
    let places = places();
    if !size.is_power_of_two() || size > N_PLACES {
        return SubgroupOrder::Other;
    }
    let adds_like = |sum: fn(&[f32]) -> f32| {
        let sums = places.chunks_exact(N_PLACES).map(|places| sum(&places[..size]).to_bits());
        sums.eq(words[1..].iter().copied())
    };
    if adds_like(|lanes| lanes.iter().copied().reduce(|sum, v| sum + v).unwrap_or(0.0)) {
        SubgroupOrder::Sequential
    } else if adds_like(neighbours) {
        SubgroupOrder::Neighbours
    } else if adds_like(halves_sum) {
        SubgroupOrder::Halves
    } else {
        SubgroupOrder::Other
    }
}

fn neighbours(lanes: &[f32]) -> f32 {
    match lanes {
        [one] => *one,
        _ => {
            let (lower, upper) = lanes.split_at(lanes.len() / 2);
            neighbours(lower) + neighbours(upper)
        }
    }
}

fn halves_sum(lanes: &[f32]) -> f32 {
    let mut lanes = lanes.to_vec();
    while lanes.len() > 1 {
        let upper = lanes.split_off(lanes.len() / 2);
        lanes.iter_mut().zip(upper).for_each(|(lower, upper)| *lower += upper);
    }
    lanes[0]
}

fn count<T>(answers: impl Iterator<Item = T>, wrong: impl Fn(T) -> u32) -> u32 {
    answers.map(wrong).sum()
}

fn wrong(found: u32, expected: u32) -> u32 {
    u32::from(found != expected)
}

/// How many f32 lie between a result and the expected one.
fn ulp_between(found: u32, expected: f32) -> u32 {
    // Bits of floats, ordered as their values are.
    let ordered = |bits: u32| if bits >> 31 == 0 { i64::from(bits) } else { -i64::from(bits & 0x7FFF_FFFF) };
    u32::try_from(ordered(found).abs_diff(ordered(expected.to_bits()))).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers of a device that rounds to nearest even, neither fuses nor regroups, keeps subnormals, and whose functions are exact.
    fn faithful() -> Vec<u32> {
        let two_more = LARGE + 2.0;
        let mut words: Vec<u32> = [0.0; 6]
            .into_iter()
            .chain([two_more, two_more, LARGE, two_more, LARGE, LARGE + 4.0, LARGE, LARGE, two_more])
            .chain([two_more, two_more, SUBNORMAL, SUBNORMAL * LARGE, SUBNORMAL + SUBNORMAL, 2.0, 4.0, -2.0])
            .map(f32::to_bits)
            .collect();
        words.resize(N_FORMS, 0);
        for [x, y] in arguments().map(|both| both.map(f64::from)) {
            words.extend([x.exp(), 1.0 / y.sqrt(), y / x, x.sin(), x.tanh()].map(|v| (v as f32).to_bits()));
        }
        for (([a, b], both), halves) in pairs().into_iter().zip(midpoints()).zip(halves()) {
            let [low, high] = both.map(|v| u32::from(f16::from_f32(v).to_bits()));
            let exact = |bits: u32| f16::from_bits(bits as u16).to_f32().to_bits();
            words.extend([(a + b).to_bits(), (a * b).to_bits(), low | high << 16, exact(halves), exact(halves >> 16)]);
        }
        words
    }

    #[test]
    fn a_faithful_device_has_no_hindrance_and_one_wrong_word_is_seen() {
        let words = faithful();
        assert_eq!(words.len(), N_ARITHMETIC);
        let found = arithmetic(&words);
        assert_eq!(
            found,
            Fingerprint {
                subnormal_results_kept: true,
                subnormal_operands_kept: true,
                round_ties_to_even: true,
                ..Fingerprint::default()
            }
        );
        assert!(found.rounds_like_the_twin());
        for i in 0..words.len() {
            let mut words = words.clone();
            words[i] ^= 1;
            let unused = (23..N_FORMS).contains(&i);
            assert_eq!(arithmetic(&words) == found, unused, "word {i}");
        }
        let mut fused = words;
        fused[3] = f32::to_bits(4.0 / LARGE);
        assert_eq!(arithmetic(&fused).unlike_the_twin(), ["it fuses a product and a sum into one rounding"]);
    }

    #[test]
    fn the_questions_tell_the_answers_apart() {
        // Truncating packing, fused and regrouped arithmetic, and the three orders of a subgroup give other answers to these questions.
        let truncated = midpoints().into_iter().filter(|[middle, _]| {
            let nearest = f16::from_f32(*middle).to_f32();
            nearest.abs() > middle.abs()
        });
        assert!(truncated.count() > 400);
        let [a, minus_a_squared, ..] = forms();
        assert_eq!((a * a + minus_a_squared, a.mul_add(a, minus_a_squared)), (0.0, 1.0 / LARGE));
        let ties = pairs().into_iter().filter(|[a, b]| {
            let exact = f64::from(*a) + f64::from(*b);
            let rounded = f64::from(a + b);
            exact != rounded && 2.0 * (exact - rounded).abs() >= f64::from((a + b).abs().next_up() - (a + b).abs())
        });
        assert!(ties.count() > 50, "few sums lie half-way between two numbers");
        for size in [4, 8, 16, 32, 64, 128] {
            for order in [SubgroupOrder::Sequential, SubgroupOrder::Neighbours, SubgroupOrder::Halves] {
                let sum = |lanes: &[f32]| match order {
                    SubgroupOrder::Neighbours => neighbours(lanes),
                    SubgroupOrder::Halves => halves_sum(lanes),
                    _ => lanes[1..].iter().fold(lanes[0], |sum, v| sum + v),
                };
                let mut words = vec![size as u32];
                words.extend(places().chunks_exact(N_PLACES).map(|places| sum(&places[..size]).to_bits()));
                assert_eq!(subgroup_order(&words), order, "{size} lanes");
                words[2] ^= 1;
                assert_eq!(subgroup_order(&words), SubgroupOrder::Other);
            }
        }
    }
}

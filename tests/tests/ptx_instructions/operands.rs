//! Operands: edge values and random numbers.

/// The operands of a thread.
pub type Triple = [u64; 3];

const WHOLE: [u64; 16] = [
    0,
    1,
    2,
    31,
    32,
    33,
    63,
    64,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Bits of numbers of single precision in the lower half, of double precision as a whole.
const SINGLES: [f32; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    -2.5,
    f32::MAX,
    f32::MIN_POSITIVE,
    1e-42,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    16777217.0,
];

/// The operands of all threads, the same in every run. With `float` they have edge values of floating-point numbers,
/// for double precision in every other thread.
pub fn triples(count: usize, float: bool) -> Vec<Triple> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        // A generator of Knuth's (MMIX); its upper bits are the good ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.rotate_left(32)
    };
    let edge = |thread: usize, place: usize| {
        let index = thread * (2 * place + 1) / (place + 1) + place * 5;
        match (float, thread % 2) {
            (false, _) => WHOLE[index % WHOLE.len()],
            (true, 0) => u64::from(SINGLES[index % SINGLES.len()].to_bits()),
            // Halved, so that no number is left out.
            (true, _) => f64::from(SINGLES[index / 2 % SINGLES.len()]).to_bits(),
        }
    };
    (0..count)
        .map(|thread| {
            [0, 1, 2].map(|place| {
                if thread % 4 < 2 {
                    edge(thread / 2, place)
                } else {
                    random()
                }
            })
        })
        .collect()
}

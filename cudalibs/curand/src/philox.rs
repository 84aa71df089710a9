//! Philox4x32-10 (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a counter is enough of a
//! state.

/// The four numbers of a counter and a key.
pub fn block(counter: u64, sequence: u64, key: u64) -> [u32; 4] {
    let mut c = [
        counter as u32,
        (counter >> 32) as u32,
        sequence as u32,
        (sequence >> 32) as u32,
    ];
    let mut k = [key as u32, (key >> 32) as u32];
    for _ in 0..10 {
        let p0 = u64::from(c[0]) * 0xD251_1F53;
        let p1 = u64::from(c[2]) * 0xCD9E_8D57;
        c = [
            (p1 >> 32) as u32 ^ c[1] ^ k[0],
            p1 as u32,
            (p0 >> 32) as u32 ^ c[3] ^ k[1],
            p0 as u32,
        ];
        k = [
            k[0].wrapping_add(0x9E37_79B9),
            k[1].wrapping_add(0xBB67_AE85),
        ];
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_curand() {
        assert_eq!(
            block(0, 0, 1234),
            [0x2090_b348, 0xda7c_f0ab, 0x4401_906f, 0xcbca_470e]
        );
        assert_eq!(
            block(0, 1, 1234),
            [0xd115_a128, 0x52fc_7c75, 0xc7f3_3f17, 0x0f15_39db]
        );
    }
}

//! MT19937 (M. Matsumoto, T. Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998), one sequence.

const SIZE: usize = 624;
const MIDDLE: usize = 397;

/// The state.
#[derive(Clone)]
pub struct Mt19937 {
    words: [u32; SIZE],
    next: usize,
}

impl Mt19937 {
    /// The sequence of a seed.
    pub fn seeded(seed: u64) -> Mt19937 {
        let mut words = [seed as u32; SIZE];
        for index in 1..SIZE {
            let before = words[index - 1];
            let mixed = (before ^ (before >> 30)).wrapping_mul(1_812_433_253);
            words[index] = mixed.wrapping_add(index as u32);
        }
        Mt19937 { words, next: SIZE }
    }

    fn renew(&mut self) {
        for index in 0..SIZE {
            let joined =
                self.words[index] & 0x8000_0000 | self.words[(index + 1) % SIZE] & 0x7fff_ffff;
            let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[index] = self.words[(index + MIDDLE) % SIZE] ^ (joined >> 1) ^ twist;
        }
        self.next = 0;
    }

    /// The next number.
    pub fn next(&mut self) -> u32 {
        if self.next == SIZE {
            self.renew();
        }
        let mut word = self.words[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_paper() {
        // The published implementation's first and ten-thousandth numbers for its own seed.
        let mut generator = Mt19937::seeded(5489);
        assert_eq!(generator.next(), 3_499_211_612);
        (1..9999).for_each(|_| {
            generator.next();
        });
        assert_eq!(generator.next(), 4_123_659_995);
    }
}

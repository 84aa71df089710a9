//! The accesses of a warp as rows.

use super::row::{SEGMENT, Threads};

/// Lanes that access elements at equal distances, each bytes of its own.
pub struct Strided {
    /// The thread of lane 0.
    first: u16,
    /// The address of lane 0's element, and the distance of it from a multiple of the stride.
    address: u64,
    phase: u64,
    size: u64,
    /// As a power of two.
    stride: u32,
    lanes: u64,
}

impl Strided {
    /// `None` if the lanes make no rows.
    pub fn new(
        first: u16,
        (address, size): (u64, u64),
        lanes: u64,
        stride: i64,
    ) -> Option<Strided> {
        let distance = u64::try_from(stride).ok()?;
        let phase = address & distance.wrapping_sub(1);
        let fits = distance.is_power_of_two() && distance <= SEGMENT && phase + size <= distance;
        (fits && lanes != 0).then_some(Strided {
            first,
            address,
            phase,
            size,
            stride: distance.trailing_zeros(),
            lanes,
        })
    }

    /// The first segment that they access, and an address in the last one.
    pub fn bounds(&self) -> (u64, u64) {
        let origin = self.address - self.phase;
        let of_lane = |lane: u32| origin.wrapping_add(u64::from(lane) << self.stride);
        let low = of_lane(self.lanes.trailing_zeros());
        let high = of_lane(63 - self.lanes.leading_zeros());
        (low / SEGMENT * SEGMENT, high)
    }

    /// Calls `act` for the segments that they access: the address, the threads, and the bytes.
    #[inline]
    pub fn each_row(&self, mut act: impl FnMut(u64, Threads, u64)) {
        let origin = self.address - self.phase;
        let (mut segment, high) = self.bounds();
        let element = (u64::MAX >> (SEGMENT - self.size)) << self.phase;
        let elements = element.wrapping_mul(u64::MAX / ones(1 << self.stride));
        while segment <= high {
            let lane = (segment.wrapping_sub(origin) as i64) >> self.stride;
            let lanes = match lane {
                0.. => self.lanes >> lane,
                _ => self.lanes << -lane,
            };
            let bytes = elements & spread(lanes & ones(64 >> self.stride), self.stride);
            if bytes != 0 {
                let at_byte_0 = i32::from(self.first) + lane as i32;
                act(
                    segment,
                    Threads::each(at_byte_0, self.stride, self.first),
                    bytes,
                );
            }
            segment += SEGMENT;
        }
    }
}

/// So many bits that are set, from 1 to 64.
fn ones(count: u32) -> u64 {
    u64::MAX >> (64 - count)
}

/// Each bit as often as 1 << shift says.
#[inline]
fn spread(bits: u64, shift: u32) -> u64 {
    if bits == ones(64 >> shift) {
        return u64::MAX;
    }
    let mut rest = bits;
    let mut spread = 0;
    while rest != 0 {
        let bit = rest.trailing_zeros();
        // A run of bits at once.
        let run = (rest >> bit).trailing_ones();
        let filled = ones(run << shift);
        spread |= filled << (bit << shift);
        rest &= !(ones(run) << bit);
    }
    spread
}

/// Lanes with addresses of their own, as runs of consecutive lanes: each lane's element behind the one before, or all
/// lanes at the same. Gives the first lane's index, the run's lanes, and the stride. `addresses` has one for each lane.
pub fn runs(lanes: u64, size: u64, addresses: &[u64]) -> impl Iterator<Item = (usize, u64, i64)> {
    let mut rest = lanes;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let first = rest.trailing_zeros() as usize;
        let most = (rest >> first).trailing_ones() as usize;
        let ahead = &addresses[first..][..most];
        let stride = match ahead {
            [one, next, ..] => next.wrapping_sub(*one),
            _ => 0,
        };
        let count = match stride == size || stride == 0 {
            true => 1 + steps(ahead, stride),
            false => 1,
        };
        let run = ones(count as u32) << first;
        rest &= !run;
        Some((first, run, stride as i64))
    })
}

/// How often the next address follows at a distance of `stride`.
#[inline]
fn steps(addresses: &[u64], stride: u64) -> usize {
    let follows = |pair: (&u64, &u64)| pair.1.wrapping_sub(*pair.0) == stride;
    let pairs = addresses.iter().zip(&addresses[1..]);
    pairs.take_while(|&pair| follows(pair)).count()
}

/// Threads of two rows that have accessed the same bytes, the first row's first, and the byte.
pub fn pairs(a: Threads, b: Threads, bytes: u64) -> impl Iterator<Item = (u16, u16, u32)> {
    // Bytes after which one of the threads is another one.
    let step = a.shift().min(b.shift());
    let mut rest = bytes;
    let bytes = std::iter::from_fn(move || {
        let byte = (rest != 0).then(|| rest.trailing_zeros())?;
        let behind = ((byte >> step) + 1) << step;
        rest &= u64::MAX.checked_shl(behind).unwrap_or(0);
        Some(byte)
    });
    bytes.flat_map(move |byte| {
        let (a, b) = (a.at(byte), b.at(byte));
        [(a[0], b[0]), (a[1], b[0]), (a[0], b[1]), (a[1], b[1])].map(|(a, b)| (a, b, byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(address: u64, size: u64, lanes: u64, stride: i64) -> Vec<(u64, u16, u64)> {
        let strided = Strided::new(32, (address, size), lanes, stride).unwrap();
        let mut rows = Vec::new();
        strided.each_row(|segment, threads, bytes| {
            rows.push((segment, threads.at(bytes.trailing_zeros())[0], bytes));
        });
        rows
    }

    #[test]
    fn lanes_make_rows() {
        let all = u64::from(u32::MAX);
        assert_eq!(
            rows(128, 4, all, 4),
            [(128, 32, u64::MAX), (192, 48, u64::MAX)]
        );
        let shifted = rows(184, 4, all, 4);
        assert_eq!(shifted[0], (128, 32, 0xff << 56));
        assert_eq!(shifted[1], (192, 34, u64::MAX));
        assert_eq!(shifted[2], (256, 50, u64::MAX >> 8));
        assert_eq!(rows(128, 4, 0b1011, 4), [(128, 32, 0xf0ff)]);
        assert_eq!(rows(136, 4, 0b11, 16), [(128, 32, 0x0f00_0f00)]);
        assert_eq!(
            rows(64, 64, 0b101, 64),
            [(64, 32, u64::MAX), (192, 34, u64::MAX)]
        );
        assert!(Strided::new(0, (130, 4), 3, 4).is_none());
        assert!(Strided::new(0, (128, 12), 3, 12).is_none());
        assert!(Strided::new(0, (128, 4), 3, -4).is_none());
    }

    #[test]
    fn pairs_of_threads() {
        let all = |a, b, bytes| pairs(a, b, bytes).step_by(4).collect::<Vec<_>>();
        let (each, one) = (Threads::each(8, 3, 8), Threads::one(1));
        assert_eq!(all(each, one, 0xff_ff00), [(9, 1, 8), (10, 1, 16)]);
        assert_eq!(all(one, one, u64::MAX), [(1, 1, 0)]);
        let together = Threads::together(0, 31);
        let found: Vec<_> = pairs(together, one, 1).collect();
        assert_eq!(found, [(0, 1, 0), (31, 1, 0), (0, 1, 0), (31, 1, 0)]);
    }

    #[test]
    fn gathers_have_runs() {
        let addresses = [64, 68, 72, 8, 8, 8, 100, 108, 112];
        let found: Vec<_> = runs(0b1_1111_1111, 4, &addresses).collect();
        assert_eq!(
            found,
            [
                (0, 0b111, 4),
                (3, 0b11_1000, 0),
                (6, 0b100_0000, 8),
                (7, 0b1_1000_0000, 4)
            ]
        );
    }
}

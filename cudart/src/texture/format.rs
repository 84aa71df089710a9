//! What a texel is.

use devicertl_textures::descriptor::Kind;

use super::abi::ChannelFormat;
use crate::error::{Code, Result};

/// The format of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// What a channel holds ([`Kind`]).
    pub kind: u32,
    /// Its bits.
    pub bits: u32,
    /// Channels of a texel.
    pub channels: u32,
    /// Whether the format itself says that integers are fractions.
    pub normalized: bool,
}

impl Format {
    /// The format that a program describes. Compressed ones, and those of videos, are not there.
    pub fn of(described: &ChannelFormat) -> Result<Format> {
        const FLOAT: i32 = 2;
        let format = match described.kind {
            0..=FLOAT => Format {
                kind: described.kind as u32,
                bits: described.bits[0] as u32,
                channels: described.bits.iter().take_while(|bits| **bits != 0).count() as u32,
                normalized: false,
            },
            // Six of numbers without sign, six of numbers with one: 8 bits, 16 bits.
            kind @ 5..=16 => {
                let index = (kind - 5) as usize;
                Format {
                    kind: [Kind::UNSIGNED, Kind::SIGNED][index / 6],
                    bits: [8, 16][index % 6 / 3],
                    channels: [1, 2, 4][index % 3],
                    normalized: true,
                }
            }
            _ => return Err(Code::INVALID_CHANNEL_DESCRIPTOR),
        };
        let used = &described.bits[..format.channels as usize];
        let alike = format.normalized || used.iter().all(|bits| *bits == described.bits[0]);
        let bits_fit = match format.kind {
            Kind::FLOAT => matches!(format.bits, 16 | 32),
            _ => matches!(format.bits, 8 | 16 | 32),
        };
        match alike && bits_fit && matches!(format.channels, 1 | 2 | 4) {
            true => Ok(format),
            false => Err(Code::INVALID_CHANNEL_DESCRIPTOR),
        }
    }

    /// The format of a view (`cudaResourceViewFormat`), of texels of the same size.
    pub fn of_view(self, number: i32) -> Result<Format> {
        let index = match number {
            0 => return Ok(self),
            1..=24 => (number - 1) as usize,
            _ => return Err(Code::INVALID_VALUE),
        };
        let (signed, unsigned) = (Kind::SIGNED, Kind::UNSIGNED);
        let kinds = [
            unsigned,
            signed,
            unsigned,
            signed,
            unsigned,
            signed,
            Kind::FLOAT,
            Kind::FLOAT,
        ];
        let view = Format {
            kind: kinds[index / 3],
            bits: [8, 8, 16, 16, 32, 32, 16, 32][index / 3],
            channels: [1, 2, 4][index % 3],
            normalized: false,
        };
        match view.bytes() == self.bytes() {
            true => Ok(view),
            false => Err(Code::INVALID_VALUE),
        }
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        (self.bits / 8 * self.channels) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bits: [i32; 4], kind: i32) -> Result<Format> {
        Format::of(&ChannelFormat { bits, kind })
    }

    #[test]
    fn formats() {
        let float = of([32, 0, 0, 0], 2).unwrap();
        assert_eq!(
            (float.bytes(), float.channels, float.kind),
            (4, 1, Kind::FLOAT)
        );
        let pair = of([0; 4], 15).unwrap();
        assert_eq!(
            (pair.bytes(), pair.kind, pair.normalized),
            (4, Kind::SIGNED, true)
        );
        for wrong in [
            of([8, 16, 0, 0], 1),
            of([8, 8, 8, 0], 1),
            of([0; 4], 1),
            of([8; 4], 2),
            of([8; 4], 17),
        ] {
            assert_eq!(wrong, Err(Code::INVALID_CHANNEL_DESCRIPTOR));
        }
        assert_eq!(float.of_view(13).map(|view| view.kind), Ok(Kind::UNSIGNED));
        assert!(float.of_view(15).is_err() && float.of_view(99).is_err());
    }
}

//! Texels: a format and a number of channels.

use cudart::error::{Code, Result};
use cudart::texture::abi::ChannelFormat;

/// `CUarray_format` of each kind of the runtime's, with the bits of a channel.
const PLAIN: [(u32, i32, i32); 8] = [
    (0x01, 1, 8),
    (0x02, 1, 16),
    (0x03, 1, 32),
    (0x08, 0, 8),
    (0x09, 0, 16),
    (0x0a, 0, 32),
    (0x10, 2, 16),
    (0x20, 2, 32),
];

/// `CU_AD_FORMAT_UNORM_INT8X1`, the first of twelve formats whose integers are fractions, with their channels.
const FIRST_FRACTION: u32 = 0xc0;
/// `cudaChannelFormatKindUnsignedNormalized8X1`, the first of the same twelve.
const FIRST_KIND: i32 = 5;

/// The runtime's description.
pub fn described(format: u32, channels: u32) -> Result<ChannelFormat> {
    if let Some(index) = format.checked_sub(FIRST_FRACTION).filter(|it| *it < 12) {
        let own = [1, 2, 4][index as usize % 3];
        let bits = [8, 16][index as usize % 6 / 3];
        let described = of(FIRST_KIND + index as i32, bits, own);
        return (own == channels)
            .then_some(described)
            .ok_or(Code::INVALID_VALUE);
    }
    let plain = PLAIN.iter().find(|(number, ..)| *number == format);
    match plain {
        Some((_, kind, bits)) if matches!(channels, 1 | 2 | 4) => Ok(of(*kind, *bits, channels)),
        _ => Err(Code::INVALID_VALUE),
    }
}

fn of(kind: i32, bits: i32, channels: u32) -> ChannelFormat {
    let bits = [0, 1, 2, 3].map(|channel| if channel < channels { bits } else { 0 });
    ChannelFormat { bits, kind }
}

/// The format and the channels of a description that the runtime has taken.
pub fn format(described: &ChannelFormat) -> (u32, u32) {
    if let Ok(index @ 0..12) = u32::try_from(described.kind - FIRST_KIND) {
        return (FIRST_FRACTION + index, [1, 2, 4][index as usize % 3]);
    }
    let is_it =
        |(_, kind, bits): &&(u32, i32, i32)| *kind == described.kind && *bits == described.bits[0];
    let format = PLAIN.iter().find(is_it).map_or(0, |(number, ..)| *number);
    let channels = described.bits.iter().filter(|bits| **bits != 0).count();
    (format, channels as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_both_interfaces() {
        for (number, ..) in PLAIN {
            for channels in [1, 2, 4] {
                let found = described(number, channels).map(|it| format(&it));
                assert_eq!(found, Ok((number, channels)));
            }
            assert!(described(number, 3).is_err() && described(number, 0).is_err());
        }
        for index in 0..12 {
            let (number, channels) = (FIRST_FRACTION + index, [1, 2, 4][index as usize % 3]);
            let found = described(number, channels).unwrap();
            assert_eq!(format(&found), (number, channels));
            assert!(cudart::texture::format::Format::of(&found).is_ok());
        }
        for unknown in [0, 0x91, 0xb0, 0xcc, u32::MAX] {
            assert!(described(unknown, 1).is_err());
        }
    }
}

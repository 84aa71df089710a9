//! Texels in memory, and as values.

use crate::descriptor::{Kind, Level, Texture};

/// The bits of four channels.
pub type Bits = [u32; 4];

/// The bits of a texel, sign-extended where they have a sign. Channels that the format lacks are 0.
///
/// # Safety
/// The texel is in the level, and its memory is there.
pub unsafe fn read(texture: &Texture, level: &Level, [x, y, slice]: [u32; 3]) -> Bits {
    let bytes = texture.texel_bytes() as u64;
    let offset = x as u64 * bytes + y as u64 * level.pitch + slice as u64 * level.slice;
    let texel = (level.address + offset) as *const u8;
    if texture.bits == 32 && texture.channels == 1 {
        // SAFETY: caller.
        return [unsafe { texel.cast::<u32>().read_unaligned() }, 0, 0, 0];
    }
    let mut bits = [0; 4];
    for (channel, place) in bits.iter_mut().enumerate() {
        if channel as u32 >= texture.channels {
            break;
        }
        // SAFETY: the texel has this channel (caller).
        *place = unsafe { read_channel(texture, texel, channel) };
    }
    bits
}

/// # Safety
/// The texel has this channel.
unsafe fn read_channel(texture: &Texture, texel: *const u8, channel: usize) -> u32 {
    let signed = texture.kind == Kind::SIGNED;
    // SAFETY: caller.
    unsafe {
        match texture.bits {
            8 if signed => *texel.cast::<i8>().add(channel) as u32,
            8 => *texel.add(channel) as u32,
            16 if signed => texel.cast::<i16>().add(channel).read_unaligned() as u32,
            16 => texel.cast::<u16>().add(channel).read_unaligned() as u32,
            _ => texel.cast::<u32>().add(channel).read_unaligned(),
        }
    }
}

/// A texel as numbers.
pub fn floats(texture: &Texture, bits: Bits) -> [f32; 4] {
    if texture.kind == Kind::FLOAT && texture.bits == 32 {
        return bits.map(f32::from_bits);
    }
    let mut numbers = [0.0; 4];
    for channel in 0..texture.channels.min(4) as usize {
        numbers[channel] = float(texture, bits[channel]);
        if texture.srgb != 0 && channel < 3 {
            numbers[channel] = linear_light(numbers[channel]);
        }
    }
    numbers
}

fn float(texture: &Texture, bits: u32) -> f32 {
    match (texture.kind, texture.bits) {
        (Kind::FLOAT, 16) => half(bits),
        (Kind::FLOAT, _) => f32::from_bits(bits),
        (Kind::SIGNED, 8) => (bits as i32 as f32 / 127.0).max(-1.0),
        (Kind::SIGNED, _) => (bits as i32 as f32 / 32767.0).max(-1.0),
        (_, 8) => bits as f32 / 255.0,
        (_, _) => bits as f32 / 65535.0,
    }
}

/// A number in half precision (IEEE 754 binary16).
fn half(bits: u32) -> f32 {
    let sign = (bits & 0x8000) << 16;
    let magnitude = bits & 0x7fff;
    let number = match magnitude >> 10 {
        // Multiples of 2^-24.
        0 => magnitude as f32 / 16_777_216.0,
        31 => f32::from_bits(0x7f80_0000 | (magnitude & 0x3ff) << 13),
        _ => f32::from_bits((magnitude << 13) + (112 << 23)),
    };
    f32::from_bits(number.to_bits() | sign)
}

/// sRGB's transfer function (IEC 61966-2-1).
fn linear_light(colour: f32) -> f32 {
    if colour <= 0.04045 {
        return colour / 12.92;
    }
    let base = (colour + 0.055) / 1.055;
    base * base * fifth_root(base * base)
}

/// The fifth root of a number from 0 to 1, by Newton's method.
fn fifth_root(number: f32) -> f32 {
    let mut root = 0.4 + 0.6 * number;
    for _ in 0..8 {
        let fourth = root * root * root * root;
        root += (number / fourth - root) / 5.0;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        let numbers = [0x0000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000].map(half);
        let expected = [0.0, 1.0, -2.0, 65504.0, 5.960_464_5e-8, -0.0];
        assert_eq!(numbers, expected);
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }

    #[test]
    fn colours_become_linear() {
        for colour in [0.02f32, 0.05, 0.2, 0.5, 0.73, 1.0] {
            let exact = match colour <= 0.04045 {
                true => colour / 12.92,
                false => ((colour + 0.055) / 1.055).powf(2.4),
            };
            assert!((linear_light(colour) - exact).abs() < 1e-6, "{colour}");
        }
    }

    #[test]
    fn integers_become_fractions() {
        let texture = |kind, bits| Texture {
            kind,
            bits,
            normalized_values: 1,
            ..Texture::default()
        };
        assert_eq!(float(&texture(Kind::UNSIGNED, 8), 255), 1.0);
        assert_eq!(float(&texture(Kind::SIGNED, 8), -128i32 as u32), -1.0);
        assert_eq!(float(&texture(Kind::SIGNED, 16), 32767), 1.0);
    }
}

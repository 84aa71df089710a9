//! A colour as a texel (`clEnqueueFillImage`; conversions: OpenCL 3.0, 8.3).

use half::f16;

use super::format::{
    BGRA, FLOAT, Format, HALF, SIGNED8, SIGNED16, SNORM8, SNORM16, UNORM8, UNORM16, UNSIGNED8,
    UNSIGNED16,
};

impl Format {
    /// The texel of a colour: four numbers, single-precision or integers as the format's channels are.
    pub fn texel(self, colour: [u32; 4]) -> Vec<u8> {
        let [red, green, blue, alpha] = colour;
        let stored = match self.order {
            BGRA => [blue, green, red, alpha],
            _ => colour,
        };
        let channels = stored.into_iter().take(self.channels());
        channels.flat_map(|number| self.channel(number)).collect()
    }

    /// A channel's bytes.
    fn channel(self, number: u32) -> Vec<u8> {
        let value = f32::from_bits(number);
        let scaled = |greatest: f32| (value * greatest).round_ties_even();
        // Conversions of Rust's saturate; a NaN becomes zero.
        match self.channel {
            UNORM8 => vec![scaled(255.0) as u8],
            UNORM16 => (scaled(65535.0) as u16).to_le_bytes().to_vec(),
            SNORM8 => vec![scaled(127.0) as i8 as u8],
            SNORM16 => (scaled(32767.0) as i16).to_le_bytes().to_vec(),
            SIGNED8 => vec![(number as i32).clamp(-0x80, 0x7f) as u8],
            SIGNED16 => ((number as i32).clamp(-0x8000, 0x7fff) as u16)
                .to_le_bytes()
                .to_vec(),
            UNSIGNED8 => vec![number.min(0xff) as u8],
            UNSIGNED16 => (number.min(0xffff) as u16).to_le_bytes().to_vec(),
            HALF => f16::from_f32(value).to_le_bytes().to_vec(),
            FLOAT => value.to_le_bytes().to_vec(),
            _ => number.to_le_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::{R, RG, RGBA};
    use super::*;

    #[test]
    fn colours_become_texels() {
        let texel = |order, channel, colour: [f32; 4]| {
            Format { order, channel }.texel(colour.map(f32::to_bits))
        };
        let colour = [1.0, 0.5, -1.0, 2.0];
        assert_eq!(texel(RGBA, UNORM8, colour), [255, 128, 0, 255]);
        assert_eq!(texel(BGRA, UNORM8, colour), [0, 128, 255, 255]);
        assert_eq!(texel(RG, SNORM8, [-2.0, f32::NAN, 0.0, 0.0]), [0x80, 0]);
        assert_eq!(texel(R, HALF, colour), [0, 0x3c]);
        let signed = Format {
            order: RG,
            channel: SIGNED16,
        };
        let texel = signed.texel([-70000i32 as u32, 7, 0, 0]);
        assert_eq!(texel, [0, 0x80, 7, 0]);
    }
}

//! Accesses of surfaces, whose elements are plain bytes (PTX ISA, `suld`, `sust`).

use crate::descriptor::{Shape, Texture};

/// What an access outside does (`cudaSurfaceBoundaryMode`).
pub struct Outside;

impl Outside {
    /// Reads zero, writes nothing.
    pub const ZERO: u32 = 0;
    /// Takes the nearest element.
    pub const CLAMP: u32 = 1;
    /// Ends the kernel.
    pub const TRAP: u32 = 2;
}

/// The place of an element of so many bytes. Columns count in bytes. 0: it is outside.
pub fn element(
    surface: &Texture,
    shape: u32,
    layer: u32,
    [x, y, z]: [i32; 3],
    bytes: u32,
    outside: u32,
) -> u64 {
    let level = surface.level(0);
    let row = level.width as u64 * surface.texel_bytes() as u64;
    let slices = match shape {
        Shape::VOLUME => level.depth,
        _ => surface.layers,
    };
    let (y, slice) = match shape {
        Shape::LINE => (0, layer as i32),
        Shape::VOLUME => (y, z),
        _ => (y, layer as i32),
    };
    let columns = row.saturating_sub(bytes as u64 - 1);
    let limits = [columns, level.height as u64, slices as u64];
    let mut at = [x, y, slice].map(|coordinate| coordinate as i64);
    for axis in 0..3 {
        let limit = limits[axis] as i64;
        if at[axis] < 0 || at[axis] >= limit {
            if outside != Outside::CLAMP || limit == 0 {
                return 0;
            }
            at[axis] = at[axis].clamp(0, limit - 1);
        }
    }
    let [x, y, slice] = at.map(|coordinate| coordinate as u64);
    level.address + x + y * level.pitch + slice * level.slice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::Level;

    #[test]
    fn elements_inside_and_outside() {
        let mut surface = Texture {
            level_count: 1,
            layers: 2,
            bits: 32,
            channels: 1,
            ..Texture::default()
        };
        surface.levels[0] = Level {
            address: 1000,
            pitch: 16,
            slice: 48,
            width: 4,
            height: 3,
            depth: 1,
            reserved: 0,
        };
        let at = |x, y, outside| element(&surface, Shape::PLANE, 1, [x, y, 0], 4, outside);
        assert_eq!(at(8, 2, Outside::TRAP), 1000 + 8 + 32 + 48);
        assert_eq!(at(16, 2, Outside::TRAP), 0);
        assert_eq!(at(-4, 0, Outside::ZERO), 0);
        assert_eq!(at(13, 0, Outside::ZERO), 0);
        assert_eq!(at(40, -7, Outside::CLAMP), 1000 + 12 + 48);
    }
}

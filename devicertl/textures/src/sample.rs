//! Fetches: the texels at a place, filtered.

use crate::addressing::{index, split, weight};
use crate::cube;
use crate::descriptor::{Level, Shape, Texture};
use crate::texel::{self, Bits};

/// Where a fetch looks.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// A [`Shape`].
    pub shape: u32,
    /// The layer; 0 where there are none.
    pub layer: u32,
    /// The coordinates, or a cube's direction.
    pub at: [f32; 3],
}

/// One level of a texture as a fetch sees it.
struct View<'a> {
    texture: &'a Texture,
    level: &'a Level,
    shape: u32,
    /// The first slice of the layer.
    slice: u32,
}

impl View<'_> {
    /// The texel at an index. What lies outside is the border's colour.
    ///
    /// # Safety
    /// The descriptor's memory is there.
    unsafe fn texel(&self, [i, j, k]: [i32; 3]) -> Option<Bits> {
        let (level, modes) = (self.level, &self.texture.modes);
        let is_inside = (i as u32) < level.width && (j as u32) < level.height;
        if self.shape == Shape::CUBE && self.texture.seamless != 0 && !is_inside {
            let own = self.slice % 6;
            let (face, x, y) = cube::beyond(own, [i, j], level.width.max(1));
            // SAFETY: all three are inside.
            return Some(unsafe {
                texel::read(self.texture, level, [x, y, self.slice - own + face])
            });
        }
        let x = index(i, level.width, modes[0])?;
        let y = match self.shape {
            Shape::LINE => 0,
            _ => index(j, level.height, modes[1])?,
        };
        let slice = match self.shape {
            Shape::VOLUME => index(k, level.depth, modes[2])?,
            _ => self.slice,
        };
        // SAFETY: all three are inside (`index`), and the memory is there (caller).
        Some(unsafe { texel::read(self.texture, level, [x, y, slice]) })
    }

    /// # Safety
    /// As for [`View::texel`].
    unsafe fn number(&self, at: [i32; 3]) -> [f32; 4] {
        // SAFETY: caller.
        match unsafe { self.texel(at) } {
            Some(bits) => texel::floats(self.texture, bits),
            None => self.texture.border,
        }
    }

    /// The nearest texel.
    ///
    /// # Safety
    /// As for [`View::texel`].
    unsafe fn nearest(&self, at: [f32; 3]) -> Bits {
        let at = at.map(|coordinate| split(coordinate).0);
        if self.texture.gives_floats() {
            // SAFETY: caller.
            return unsafe { self.number(at) }.map(f32::to_bits);
        }
        // SAFETY: caller.
        let texel = unsafe { self.texel(at) };
        texel.unwrap_or(self.texture.border.map(|colour| colour as i32 as u32))
    }

    /// The texels around a place, weighted.
    ///
    /// # Safety
    /// As for [`View::texel`].
    unsafe fn interpolated(&self, at: [f32; 3]) -> Bits {
        let axes = match self.shape {
            Shape::LINE => 1,
            Shape::VOLUME => 3,
            _ => 2,
        };
        let parts = at.map(|coordinate| split(coordinate - 0.5));
        let mut sum = [0.0; 4];
        for corner in 0..1u32 << axes {
            let mut weighs = 1.0;
            let mut texel = [0; 3];
            for axis in 0..axes {
                let (first, fraction) = parts[axis];
                let alpha = weight(fraction);
                let second = corner >> axis & 1 != 0;
                weighs *= if second { alpha } else { 1.0 - alpha };
                texel[axis] = first.saturating_add(second as i32);
            }
            if weighs == 0.0 {
                continue;
            }
            // SAFETY: caller.
            let number = unsafe { self.number(texel) };
            for channel in 0..4 {
                sum[channel] += weighs * number[channel];
            }
        }
        sum.map(f32::to_bits)
    }
}

/// The view of a level for a place, and the coordinates in texels.
fn view<'a>(texture: &'a Texture, level: &'a Level, place: Place) -> (View<'a>, [f32; 3]) {
    let is_cube = place.shape == Shape::CUBE;
    let faces = if is_cube { 6 } else { 1 };
    let last = (texture.layers / faces).max(1) - 1;
    let mut slice = place.layer.min(last) * faces;
    let mut at = place.at;
    if is_cube {
        let (face, s, t) = cube::face(at);
        slice += face;
        at = [(s + 1.0) / 2.0, (t + 1.0) / 2.0, 0.0];
    }
    if is_cube || texture.normalized_coordinates != 0 {
        let sizes = [level.width, level.height, level.depth];
        for axis in 0..3 {
            at[axis] *= sizes[axis] as f32;
        }
    }
    let shape = place.shape;
    let view = View {
        texture,
        level,
        shape,
        slice,
    };
    (view, at)
}

/// # Safety
/// As for [`sample`].
unsafe fn sample_level(texture: &Texture, number: u32, place: Place) -> Bits {
    let (view, at) = view(texture, texture.level(number), place);
    // SAFETY: caller.
    unsafe {
        match texture.linear != 0 && texture.gives_floats() {
            true => view.interpolated(at),
            false => view.nearest(at),
        }
    }
}

/// What a fetch at a place gives, at a level of detail.
///
/// # Safety
/// The descriptor's memory is there.
pub unsafe fn sample(texture: &Texture, place: Place, detail: f32) -> Bits {
    if texture.level_count <= 1 {
        // SAFETY: caller.
        return unsafe { sample_level(texture, 0, place) };
    }
    let detail = (detail + texture.bias).min(texture.greatest);
    let last = (texture.level_count - 1) as f32;
    let detail = detail.max(texture.least).max(0.0).min(last);
    if texture.linear_levels == 0 || !texture.gives_floats() {
        // SAFETY: caller.
        return unsafe { sample_level(texture, split(detail + 0.5).0 as u32, place) };
    }
    let (first, fraction) = split(detail);
    let share = weight(fraction);
    // SAFETY: caller.
    let near = unsafe { sample_level(texture, first as u32, place) };
    if share == 0.0 {
        return near;
    }
    // SAFETY: caller.
    let far = unsafe { sample_level(texture, first as u32 + 1, place) };
    let mut mixed = [0; 4];
    for channel in 0..4 {
        let [near, far] = [near, far].map(|bits| f32::from_bits(bits[channel]));
        mixed[channel] = ((1.0 - share) * near + share * far).to_bits();
    }
    mixed
}

/// The texel with these numbers, not filtered.
///
/// # Safety
/// The descriptor's memory is there.
pub unsafe fn fetch(texture: &Texture, shape: u32, layer: u32, at: [i32; 3], number: u32) -> Bits {
    let level = texture.level(number);
    if texture.is_memory != 0 && at[0] as u32 >= level.width {
        return [0; 4];
    }
    let slice = layer.min(texture.layers.max(1) - 1);
    let view = View {
        texture,
        level,
        shape,
        slice,
    };
    // SAFETY: caller.
    let texel = unsafe { view.texel(at) };
    match (texel, texture.gives_floats()) {
        (Some(bits), true) => texel::floats(texture, bits).map(f32::to_bits),
        (Some(bits), false) => bits,
        (None, true) => texture.border.map(f32::to_bits),
        (None, false) => texture.border.map(|colour| colour as i32 as u32),
    }
}

/// One channel of the four texels that a fetch would interpolate, in the order of PTX's `tld4`: from the lower left on,
/// against the clock.
///
/// # Safety
/// The descriptor's memory is there.
pub unsafe fn gather(texture: &Texture, place: Place, channel: u32) -> Bits {
    let (view, at) = view(texture, texture.level(0), place);
    let [(i, _), (j, _), _] = at.map(|coordinate| split(coordinate - 0.5));
    let (right, below) = (i.saturating_add(1), j.saturating_add(1));
    [[i, below], [right, below], [right, j], [i, j]].map(|[i, j]| {
        let centre = [i as f32 + 0.5, j as f32 + 0.5, 0.0];
        // SAFETY: caller.
        let texel = unsafe { view.nearest(centre) };
        texel[(channel & 3) as usize]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::{Kind, Mode};

    /// A texture of 4 columns, so many rows and slices of numbers that count up.
    fn texture(numbers: &[f32], height: u32, slices: u32) -> Texture {
        let mut made = Texture {
            level_count: 1,
            layers: slices,
            kind: Kind::FLOAT,
            bits: 32,
            channels: 1,
            modes: [Mode::CLAMP; 3],
            ..Texture::default()
        };
        made.levels[0] = Level {
            address: numbers.as_ptr() as u64,
            pitch: 16,
            slice: 16 * height as u64,
            width: 4,
            height,
            depth: slices,
            reserved: 0,
        };
        made
    }

    fn at(texture: &Texture, shape: u32, layer: u32, at: [f32; 3]) -> f32 {
        let place = Place { shape, layer, at };
        // SAFETY: the numbers live as long as the test.
        f32::from_bits(unsafe { sample(texture, place, 0.0) }[0])
    }

    fn counted(count: usize) -> Vec<f32> {
        (0..count).map(|number| number as f32).collect()
    }

    #[test]
    fn points_and_lines() {
        let numbers = counted(4);
        let mut line = texture(&numbers, 1, 1);
        let read = |line: &Texture, x| at(line, Shape::LINE, 0, [x, 0.0, 0.0]);
        assert_eq!(
            [-3.0, 0.9, 2.0, 8.0].map(|x| read(&line, x)),
            [0.0, 0.0, 2.0, 3.0]
        );
        line.linear = 1;
        assert_eq!(
            [0.5, 1.0, 1.25, 3.9].map(|x| read(&line, x)),
            [0.0, 0.5, 0.75, 3.0]
        );
        line.modes = [Mode::BORDER; 3];
        line.border = [8.0; 4];
        assert_eq!(read(&line, 4.0), 0.5 * 3.0 + 0.5 * 8.0);
        line.normalized_coordinates = 1;
        line.modes = [Mode::WRAP; 3];
        assert_eq!(read(&line, 1.25), 0.5);
        assert_eq!(read(&line, 1.0), 1.5);
    }

    #[test]
    fn planes_volumes_layers() {
        let numbers = counted(24);
        let mut all = texture(&numbers, 3, 2);
        assert_eq!(at(&all, Shape::PLANE, 1, [2.5, 1.5, 0.0]), 18.0);
        assert_eq!(at(&all, Shape::PLANE, 9, [2.5, 1.5, 0.0]), 18.0);
        assert_eq!(at(&all, Shape::VOLUME, 0, [2.5, 1.5, 1.5]), 18.0);
        all.linear = 1;
        assert_eq!(at(&all, Shape::PLANE, 0, [1.0, 1.0, 0.0]), 2.5);
        assert_eq!(at(&all, Shape::VOLUME, 0, [1.0, 1.0, 1.0]), 8.5);
        let place = Place {
            shape: Shape::PLANE,
            layer: 0,
            at: [1.0, 1.0, 0.0],
        };
        // SAFETY: the numbers live as long as the test.
        let four = unsafe { gather(&all, place, 0) }.map(f32::from_bits);
        assert_eq!(four, [4.0, 5.0, 1.0, 0.0]);
    }

    #[test]
    fn levels_are_mixed() {
        let numbers = counted(6);
        let mut line = texture(&numbers, 1, 1);
        line.level_count = 2;
        line.greatest = 5.0;
        line.levels[1] = Level {
            address: numbers[4..].as_ptr() as u64,
            width: 2,
            ..line.levels[0]
        };
        line.normalized_coordinates = 1;
        let read = |line: &Texture, detail| {
            let place = Place {
                shape: Shape::LINE,
                layer: 0,
                at: [0.9, 0.0, 0.0],
            };
            // SAFETY: the numbers live as long as the test.
            f32::from_bits(unsafe { sample(line, place, detail) }[0])
        };
        assert_eq!(
            [0.0, 0.4, 0.6, 9.0].map(|it| read(&line, it)),
            [3.0, 3.0, 5.0, 5.0]
        );
        line.linear_levels = 1;
        assert_eq!(read(&line, 0.5), 4.0);
    }

    #[test]
    fn fetches_outside_of_memory_are_zero() {
        let numbers = [5.0f32, 6.0, 7.0, 8.0];
        let mut line = texture(&numbers, 1, 1);
        line.is_memory = 1;
        // SAFETY: the numbers live as long as the test.
        let read = |x| f32::from_bits(unsafe { fetch(&line, Shape::LINE, 0, [x, 0, 0], 0) }[0]);
        assert_eq!([-1, 0, 3, 4].map(read), [0.0, 5.0, 8.0, 0.0]);
    }

    #[test]
    fn cubes_have_six_faces() {
        let numbers = counted(96);
        let mut cube = texture(&numbers, 4, 6);
        cube.normalized_coordinates = 1;
        let read = |cube: &Texture, direction| at(cube, Shape::CUBE, 0, direction);
        assert_eq!(read(&cube, [1.0, 0.99, 0.99]), 0.0);
        assert_eq!(read(&cube, [0.0, 0.0, -1.0]), 5.0 * 16.0 + 10.0);
        cube.linear = 1;
        cube.seamless = 1;
        // Half way between +x's right column and -z's left one.
        assert_eq!(read(&cube, [1.0, 0.25, -1.0]), (7.0 + 84.0) / 2.0);
    }
}

//! Texture and surface objects: descriptors in device memory, whose addresses are the programs' handles.

use devicertl_textures::descriptor::{Level, MAX_LEVELS, Mode, Texture};

use super::abi::{Memory, Resource, Settings, View};
use super::array::{Array, MAX_PLANE};
use super::format::Format;
use crate::error::{Code, Result};

/// An object of the program.
#[derive(Clone)]
pub struct Object {
    /// The number of its device.
    pub device: usize,
    /// What it was made of: the program may ask.
    pub resource: Resource,
    /// How it reads. Surfaces have no settings.
    pub settings: Option<Settings>,
    /// What of the resource it sees.
    pub view: Option<View>,
}

// SAFETY: the addresses in it are numbers to this library.
unsafe impl Send for Object {}

/// Texels of a row of memory, at most.
pub const MAX_ROW: usize = 1 << 28;

/// The levels and layers of an array.
pub fn of_array(array: &Array) -> (Texture, Format) {
    let mut texture = Texture {
        level_count: array.levels.len() as u32,
        layers: array.layers,
        ..Texture::default()
    };
    texture.levels[..array.levels.len()].copy_from_slice(&array.levels);
    (texture, array.format)
}

/// A row of memory.
pub fn of_row(memory: &Memory) -> Result<(Texture, Format)> {
    let format = Format::of(&memory.format)?;
    let texels = memory.width / format.bytes();
    if memory.address.is_null() || texels == 0 || texels > MAX_ROW {
        return Err(Code::INVALID_VALUE);
    }
    Ok((plain(memory, [texels, 1], memory.width, true), format))
}

/// Rows of memory.
pub fn of_rows(memory: &Memory) -> Result<(Texture, Format)> {
    let format = Format::of(&memory.format)?;
    let size = [memory.width, memory.height];
    let fits = size
        .iter()
        .zip(MAX_PLANE)
        .all(|(size, most)| (1..=most).contains(size));
    if memory.address.is_null() || !fits || memory.pitch < memory.width * format.bytes() {
        return Err(Code::INVALID_VALUE);
    }
    Ok((plain(memory, size, memory.pitch, false), format))
}

fn plain(memory: &Memory, [width, height]: [usize; 2], pitch: usize, is_memory: bool) -> Texture {
    let mut texture = Texture {
        level_count: 1,
        layers: 1,
        is_memory: is_memory.into(),
        ..Texture::default()
    };
    texture.levels[0] = Level {
        address: memory.address as u64,
        pitch: pitch as u64,
        slice: (pitch * height) as u64,
        width: width as u32,
        height: height as u32,
        depth: 1,
        reserved: 0,
    };
    texture
}

/// Narrows a texture to a view.
pub fn seen(texture: &mut Texture, format: Format, view: &View) -> Result<Format> {
    let format = format.of_view(view.format)?;
    let (first, last) = (view.first_level, view.last_level);
    let layers = (view.first_layer, view.last_layer);
    if first > last
        || last >= texture.level_count
        || layers.0 > layers.1
        || layers.1 >= texture.layers.max(1)
    {
        return Err(Code::INVALID_VALUE);
    }
    let mut levels = [Level::default(); MAX_LEVELS];
    let count = (last - first + 1) as usize;
    levels[..count].copy_from_slice(&texture.levels[first as usize..=last as usize]);
    for level in &mut levels[..count] {
        level.address += layers.0 as u64 * level.slice;
    }
    texture.levels = levels;
    texture.level_count = count as u32;
    texture.layers = layers.1 - layers.0 + 1;
    Ok(format)
}

/// Gives a texture its format.
pub fn set_format(texture: &mut Texture, format: Format) {
    texture.kind = format.kind;
    texture.bits = format.bits;
    texture.channels = format.channels;
    texture.normalized_values = format.normalized.into();
}

/// Gives a texture its settings. It has its format.
pub fn set(texture: &mut Texture, settings: &Settings) -> Result<()> {
    let flags = [settings.filter, settings.read_mode, settings.level_filter];
    let known = flags.iter().all(|flag| matches!(flag, 0 | 1));
    if !known || settings.modes.iter().any(|mode| !matches!(mode, 0..=3)) {
        return Err(Code::INVALID_VALUE);
    }
    let is_integer = texture.kind != devicertl_textures::descriptor::Kind::FLOAT;
    if settings.read_mode != 0 && is_integer && texture.bits < 32 {
        texture.normalized_values = 1;
    }
    let interpolates = settings.filter != 0 || settings.level_filter != 0;
    if interpolates && !texture.gives_floats() {
        return Err(Code::INVALID_VALUE);
    }
    let is_colour = texture.normalized_values != 0 && texture.bits == 8;
    texture.srgb = (settings.srgb != 0 && is_colour).into();
    texture.normalized_coordinates = (settings.normalized_coordinates != 0).into();
    texture.linear = settings.filter as u32;
    texture.linear_levels = settings.level_filter as u32;
    texture.seamless = (settings.seamless != 0).into();
    // Only coordinates from 0 to 1 repeat.
    let repeats = settings.normalized_coordinates != 0;
    texture.modes = settings.modes.map(|mode| match mode as u32 {
        Mode::WRAP | Mode::MIRROR if !repeats => Mode::CLAMP,
        mode => mode,
    });
    texture.border = settings.border;
    texture.bias = settings.bias;
    texture.least = settings.least;
    texture.greatest = settings.greatest;
    Ok(())
}

/// The bytes of a descriptor.
pub fn bytes(texture: &Texture) -> &[u8] {
    let place = std::ptr::from_ref(texture).cast();
    // SAFETY: a structure of numbers without gaps.
    unsafe { std::slice::from_raw_parts(place, size_of::<Texture>()) }
}

/// The fields leave no gap.
const _: () = assert!(size_of::<Texture>() == MAX_LEVELS * 40 + 22 * 4);

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        // SAFETY: zeros are valid numbers.
        unsafe { std::mem::zeroed() }
    }

    fn texture(kind: u32, bits: u32) -> Texture {
        Texture {
            level_count: 2,
            layers: 3,
            kind,
            bits,
            channels: 1,
            ..Texture::default()
        }
    }

    #[test]
    fn settings_that_do_not_go_together() {
        let mut linear = settings();
        linear.filter = 1;
        assert_eq!(set(&mut texture(0, 8), &linear), Err(Code::INVALID_VALUE));
        linear.read_mode = 1;
        assert_eq!(set(&mut texture(0, 8), &linear), Ok(()));
        assert_eq!(set(&mut texture(0, 32), &linear), Err(Code::INVALID_VALUE));
        assert_eq!(set(&mut texture(2, 32), &linear), Ok(()));
        linear.modes[2] = 4;
        assert_eq!(set(&mut texture(2, 32), &linear), Err(Code::INVALID_VALUE));
    }

    #[test]
    fn coordinates_in_texels_do_not_repeat() {
        let mut made = texture(2, 32);
        set(&mut made, &settings()).unwrap();
        assert_eq!(made.modes, [Mode::CLAMP; 3]);
    }

    #[test]
    fn views_stay_inside() {
        let format = Format {
            kind: 2,
            bits: 32,
            channels: 1,
            normalized: false,
        };
        let mut view = View {
            first_level: 1,
            last_level: 1,
            last_layer: 2,
            ..View::default()
        };
        let mut made = texture(2, 32);
        assert_eq!(seen(&mut made, format, &view), Ok(format));
        assert_eq!((made.level_count, made.layers), (1, 3));
        view.last_layer = 3;
        assert!(seen(&mut texture(2, 32), format, &view).is_err());
    }
}

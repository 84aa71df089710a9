//! What texture and surface objects are: `libcudart` writes it, device code reads it.

/// Levels of a mipmapped array, at most: the largest side has 32,768 texels.
pub const MAX_LEVELS: usize = 16;

/// A level: slices of rows of texels. A slice is a plane of a 3-D texture, a layer, or a face of a cube.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// The first texel.
    pub address: u64,
    /// Bytes from one row to the next.
    pub pitch: u64,
    /// Bytes from one slice to the next.
    pub slice: u64,
    /// Texels of a row.
    pub width: u32,
    /// Rows of a slice.
    pub height: u32,
    /// Planes of a 3-D texture; 1 for others.
    pub depth: u32,
    /// Zero.
    pub reserved: u32,
}

/// What a channel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind;

impl Kind {
    /// Integers with a sign.
    pub const SIGNED: u32 = 0;
    /// Integers without one.
    pub const UNSIGNED: u32 = 1;
    /// Floating-point numbers.
    pub const FLOAT: u32 = 2;
}

/// What is read where a coordinate is outside (`cudaTextureAddressMode`).
pub struct Mode;

impl Mode {
    /// The texture repeats.
    pub const WRAP: u32 = 0;
    /// The texel at the edge.
    pub const CLAMP: u32 = 1;
    /// The texture repeats, every other time the other way round.
    pub const MIRROR: u32 = 2;
    /// The border's colour.
    pub const BORDER: u32 = 3;
}

/// A texture, or a surface, which has no more than a level and a format.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Texture {
    /// The levels.
    pub levels: [Level; MAX_LEVELS],
    /// How many there are: at least one.
    pub level_count: u32,
    /// Slices that are layers or faces; 1 where there are no layers.
    pub layers: u32,
    /// A [`Kind`].
    pub kind: u32,
    /// Bits of a channel: 8, 16 or 32.
    pub bits: u32,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// Integers become fractions of the largest one.
    pub normalized_values: u32,
    /// Colours become linear.
    pub srgb: u32,
    /// Coordinates run from 0 to 1.
    pub normalized_coordinates: u32,
    /// Texels are interpolated.
    pub linear: u32,
    /// So are levels.
    pub linear_levels: u32,
    /// The edges of a cube's faces continue on the next face.
    pub seamless: u32,
    /// The texture is plain memory: a fetch outside is zero.
    pub is_memory: u32,
    /// A [`Mode`] for each axis.
    pub modes: [u32; 3],
    /// What is outside.
    pub border: [f32; 4],
    /// Added to a level of detail.
    pub bias: f32,
    /// The least level of detail.
    pub least: f32,
    /// The greatest.
    pub greatest: f32,
}

impl Texture {
    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u32 {
        self.bits / 8 * self.channels
    }

    /// A level. One that is not there is the last.
    pub fn level(&self, number: u32) -> &Level {
        let last = self.level_count.clamp(1, MAX_LEVELS as u32) - 1;
        &self.levels[number.min(last) as usize]
    }

    /// Whether fetches give floating-point numbers.
    pub fn gives_floats(&self) -> bool {
        self.kind == Kind::FLOAT || self.normalized_values != 0
    }
}

/// The shape by which a fetch addresses a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape;

impl Shape {
    /// `1d` and `a1d`.
    pub const LINE: u32 = 1;
    /// `2d` and `a2d`.
    pub const PLANE: u32 = 2;
    /// `3d`.
    pub const VOLUME: u32 = 3;
    /// `cube` and `acube`.
    pub const CUBE: u32 = 4;
}

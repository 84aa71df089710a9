//! What a program asks of a texture: PTX's `txq` and `suq`.

use crate::descriptor::Texture;

/// What is asked.
pub struct Question;

impl Question {
    /// Texels of a row.
    pub const WIDTH: u32 = 0;
    /// Rows.
    pub const HEIGHT: u32 = 1;
    /// Planes.
    pub const DEPTH: u32 = 2;
    /// Levels.
    pub const LEVELS: u32 = 3;
    /// Layers.
    pub const LAYERS: u32 = 4;
    /// Whether coordinates run from 0 to 1.
    pub const NORMALIZED: u32 = 5;
}

/// The answer, of a level.
pub fn answer(texture: &Texture, question: u32, number: u32) -> u32 {
    let level = texture.level(number);
    match question {
        Question::WIDTH => level.width,
        Question::HEIGHT => level.height,
        Question::DEPTH => level.depth,
        Question::LEVELS => texture.level_count,
        Question::LAYERS => texture.layers,
        _ => texture.normalized_coordinates,
    }
}

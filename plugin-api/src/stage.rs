//! The stages of loading an image, for profiles.

use std::time::Instant;

/// A stage of loading an image.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// What was done: `compile`, `assemble and load`.
    pub name: &'static str,
    /// When it began.
    pub begin: Instant,
    /// When it ended.
    pub end: Instant,
}

impl Stage {
    /// Does `work` as the stage called `name`, and adds the stage to `stages`.
    pub fn of<T>(name: &'static str, stages: &mut Vec<Stage>, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = work();
        stages.push(Stage {
            name,
            begin,
            end: Instant::now(),
        });
        result
    }
}

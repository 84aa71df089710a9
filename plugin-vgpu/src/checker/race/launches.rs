//! Launches, and which of them come after which.

use super::segment::Horizon;

/// Most blocks that have numbers of their own.
const MAX_BLOCKS: u64 = u32::MAX as u64;

/// A launch.
struct LaunchSpan {
    /// The number of its first block.
    first: u32,
    blocks: u64,
    /// Blocks with lower numbers were over when it began.
    settled: u32,
    began: u64,
    ended: Option<u64>,
}

/// The launches of a device.
#[derive(Default)]
pub struct Launches {
    all: Vec<LaunchSpan>,
    /// Those that have not ended.
    running: Vec<u32>,
    blocks: u64,
    events: u64,
}

impl Launches {
    /// A launch of so many blocks begins. Gives its number.
    pub fn begin(&mut self, blocks: u64) -> u32 {
        self.events += 1;
        let first = (1 + self.blocks).min(MAX_BLOCKS) as u32;
        self.blocks += blocks;
        let number = self.all.len() as u32;
        let running = self.running.iter().map(|&it| self.all[it as usize].first);
        self.all.push(LaunchSpan {
            first,
            blocks,
            settled: running.min().unwrap_or(first),
            began: self.events,
            ended: None,
        });
        self.running.push(number);
        number
    }

    /// A launch has ended.
    pub fn end(&mut self, launch: u32) {
        self.running.retain(|&it| it != launch);
        self.events += 1;
        self.all[launch as usize].ended = Some(self.events);
    }

    /// What a block of a launch comes after.
    pub fn horizon(&self, launch: u32, block: u64) -> Horizon {
        let LaunchSpan { first, settled, .. } = self.all[launch as usize];
        Horizon {
            block: (u64::from(first) + block).min(MAX_BLOCKS) as u32,
            all: 0,
            settled,
        }
    }

    /// Whether a launch comes after all those before it.
    pub fn is_alone(&self, launch: u32) -> bool {
        let LaunchSpan { first, settled, .. } = self.all[launch as usize];
        first == settled
    }

    /// Whether the launch of `other` had ended when that of `block` began.
    pub fn orders(&self, other: u32, block: u32) -> bool {
        let (Some((other, _)), Some((present, _))) = (self.of(other), self.of(block)) else {
            return true;
        };
        let began = self.all[present as usize].began;
        other != present
            && self.all[other as usize]
                .ended
                .is_some_and(|ended| ended < began)
    }

    /// The launch of a block, and the block's index in it.
    pub fn of(&self, block: u32) -> Option<(u32, u64)> {
        let behind = self.all.partition_point(|it| it.first <= block);
        let launch = behind.checked_sub(1)?;
        let index = u64::from(block - self.all[launch].first);
        (index < self.all[launch].blocks).then_some((launch as u32, index))
    }

    /// Whether a block has no number of its own: nothing is compared then.
    pub fn is_exhausted(block: u32) -> bool {
        u64::from(block) >= MAX_BLOCKS
    }
}

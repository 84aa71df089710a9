//! Launches, and which of them come after which.

use findings::{DeviceWork, WINDOW};

use super::horizon::Horizon;
use super::work::Begun;

/// Most blocks that have numbers of their own.
const MAX_BLOCKS: u64 = u32::MAX as u64;

/// A launch.
struct LaunchSpan {
    /// The number of its first block.
    first: u32,
    blocks: u64,
    /// Blocks with lower numbers were over when it began.
    settled: u32,
    /// Its work, while it is new.
    begun: Option<Begun>,
}

/// The launches of a device.
#[derive(Default)]
pub struct Launches {
    all: Vec<LaunchSpan>,
    blocks: u64,
}

impl Launches {
    /// A launch of so many blocks begins. Gives its number.
    pub fn begin(&mut self, blocks: u64, begun: Begun) -> u32 {
        let first = (1 + self.blocks).min(MAX_BLOCKS) as u32;
        self.blocks += blocks;
        let old = self.all.len().saturating_sub(WINDOW as usize);
        let unknown = self.all[old..].iter().find(|it| !it.is_before(&begun));
        let settled = unknown.map_or(first, |it| it.first);
        if let Some(old) = old.checked_sub(1) {
            self.all[old].begun = None;
        }
        self.all.push(LaunchSpan {
            first,
            blocks,
            settled,
            begun: Some(begun),
        });
        self.all.len() as u32 - 1
    }

    /// The work that a launch is.
    pub fn work(&self, launch: u32) -> Option<DeviceWork> {
        Some(self.all[launch as usize].begun.as_ref()?.work)
    }

    /// What a block of a launch comes after.
    pub fn horizon(&self, launch: u32, block: u64) -> Horizon {
        let LaunchSpan {
            first,
            settled,
            blocks,
            ..
        } = self.all[launch as usize];
        let number = |block: u64| (u64::from(first) + block).min(MAX_BLOCKS) as u32;
        Horizon {
            block: number(block),
            all: 0,
            settled,
            apart: (first, number(blocks)),
        }
    }

    /// Whether a launch comes after all those before it.
    pub fn is_alone(&self, launch: u32) -> bool {
        let LaunchSpan { first, settled, .. } = self.all[launch as usize];
        first == settled
    }

    /// Whether the launch of `block` comes after that of `other`.
    pub fn orders(&self, other: u32, block: u32) -> bool {
        let (Some((other, _)), Some((present, _))) = (self.of(other), self.of(block)) else {
            return true;
        };
        let begun = self.all[present as usize].begun.as_ref();
        other != present && begun.is_none_or(|begun| self.all[other as usize].is_before(begun))
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

impl LaunchSpan {
    fn is_before(&self, later: &Begun) -> bool {
        let mine = self.begun.as_ref();
        mine.is_none_or(|mine| later.known.has(mine.work))
    }
}

//! Blocks of a kernel whose threads never wait, in the form that is faster or that has to be tried
//! ([`crate::form_choice`]), whole or in pieces.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Grid, cpu_time};
use crate::block_ranges::{self, BlockRange, index_in};
use crate::engine::Form;
use crate::form_choice::{FormChoice, Way};
use crate::sm::Sm;

impl Grid {
    /// Runs a range of blocks in the form that is faster, or that has to be tried. `notes`: notes how long it takes.
    pub(super) fn run_as_chosen(
        &self,
        sm: &Sm,
        choice: &FormChoice,
        blocks: Range<u64>,
        notes: bool,
    ) {
        let began = Instant::now();
        if choice.wants_steps() && self.run.checks.is_none() {
            return self.run_in_steps(sm, choice, blocks);
        }
        let count = blocks.end - blocks.start;
        match choice.try_range() {
            None => self.run_range(sm, blocks, self.form_of(choice.preferred())),
            Some(way) => {
                let before = cpu_time();
                self.run_range(sm, blocks, self.form_of(way));
                let time = cpu_time().saturating_sub(before);
                choice.tried(way, count * u64::from(self.run.threads()), time);
            }
        }
        if notes {
            choice.ran(count, began.elapsed());
        }
    }

    /// A form, of those between which there is a choice.
    fn form_of(&self, way: Way) -> Form {
        match (way, self.run.form) {
            (Way::Threads, Form::Subgroups { rest, threads, .. }) => {
                threads.map_or(Form::Threads(rest), Form::OneByOne)
            }
            (_, form) => form,
        }
    }

    /// Runs pieces of blocks.
    pub(super) fn run_pieces(&self, sm: &Sm, pieces: Range<u64>) {
        for number in pieces {
            let (block, part) = self.pieces.get(number);
            let block = index_in(self.run.blocks, block);
            match &self.run.choice {
                Some(choice) => self.run_part_in_steps(sm, choice, block, part, &mut 1),
                None => {
                    let whole = part.end / self.width() * self.width();
                    self.run_part(sm, block, self.run.form, part.start..whole);
                    self.run_part(sm, block, self.form_of(Way::Threads), whole..part.end);
                }
            }
        }
    }

    /// Threads of a subgroup, where these do not wait.
    fn width(&self) -> u32 {
        let Form::Subgroups { width, .. } = self.run.form else {
            unreachable!("the form has subgroups");
        };
        width
    }

    /// Runs a range of blocks a few subgroups at a time, in the form that is faster so far or that has to be tried.
    fn run_in_steps(&self, sm: &Sm, choice: &FormChoice, blocks: Range<u64>) {
        let mut most = 1;
        for block in BlockRange::new(self.run.blocks, blocks) {
            self.run_part_in_steps(sm, choice, block, 0..self.run.threads(), &mut most);
        }
    }

    /// The same of a block, or a part of one. `most`: subgroups at a time, changed by the time that they take.
    fn run_part_in_steps(
        &self,
        sm: &Sm,
        choice: &FormChoice,
        block: [u32; 3],
        part: Range<u32>,
        most: &mut u64,
    ) {
        let width = self.width();
        let (mut next, end) = (part.start / width, part.end / width);
        let of_all = u64::from(self.run.threads() / width);
        while next < end && !self.stop.load(Ordering::Relaxed) {
            let count = (*most).min(u64::from(end - next)) as u32;
            let left = self.block_ranges.count_left() * of_all / u64::from(self.pieces.count());
            let sample = choice.try_subgroups(left + u64::from(end - next));
            let way = sample.unwrap_or(choice.preferred());
            let began = cpu_time();
            let threads = next * width..(next + count) * width;
            self.run_part(sm, block, self.form_of(way), threads);
            let time = cpu_time().saturating_sub(began);
            if sample.is_some() {
                choice.tried(way, u64::from(count * width), time);
            }
            choice.ran_subgroups(count.into(), time);
            *most = block_ranges::next_size(*most, time);
            next += count;
        }
        self.run_part(sm, block, self.form_of(Way::Threads), end * width..part.end);
        if part.end == self.run.threads() {
            choice.ran(1, Duration::ZERO);
        }
    }
}

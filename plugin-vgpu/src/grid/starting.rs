//! Blocks of a kernel that has just begun: in the form in which it starts, until a better one is there
//! (docs/decisions/0159-kernels-start-thread-by-thread.md).

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Grid, cpu_time};
use crate::block_ranges::{self, BlockRange};
use crate::engine::Form;
use crate::host_cpu;
use crate::later::Later;
use crate::signals;
use crate::sm::Sm;

/// Threads of a block after which the form may change at first. No subgroup has fewer.
const FEW: u64 = 8;
/// A range of short blocks takes less time, unless the system lets something else run.
const LONG: Duration = Duration::from_millis(1);

impl Grid {
    /// Runs a range of blocks.
    pub(super) fn run_starting(&self, sm: &Sm, kernel: &Later, blocks: Range<u64>) {
        if let Some(form) = self.better_form(kernel) {
            return self.run_range(sm, blocks, form);
        }
        if kernel.at_a_time() < self.run.threads().into() {
            let blocks = BlockRange::new(self.run.blocks, blocks);
            return blocks.for_each(|block| self.run_in_parts(sm, kernel, block));
        }
        let began = Instant::now();
        self.run_range(sm, blocks, self.run.form);
        let time = began.elapsed();
        if time >= LONG {
            kernel.run_at_a_time(FEW);
        }
        kernel.ran(time.min(LONG));
    }

    /// Runs a block, which may take long, some threads at a time.
    fn run_in_parts(&self, sm: &Sm, kernel: &Later, block: [u32; 3]) {
        let (mut next, end) = (0, self.run.threads());
        while next < end && !self.stop.load(Ordering::Relaxed) {
            if let Some(form @ Form::Subgroups { width, .. }) = self.better_form(kernel) {
                let first = next.next_multiple_of(width).min(end);
                let rest = (end / width * width).max(first);
                self.run_part(sm, block, self.run.form, next..first);
                self.run_part(sm, block, form, first..rest);
                return self.run_part(sm, block, self.run.form, rest..end);
            }
            let most = kernel.at_a_time().max(FEW);
            let count = most.min((end - next).into()) as u32;
            let began = cpu_time();
            self.run_part(sm, block, self.run.form, next..next + count);
            let time = cpu_time().saturating_sub(began);
            kernel.ran(time);
            kernel.run_at_a_time(block_ranges::next_size(most, time));
            next += count;
        }
    }

    /// A better form than that in which the kernel starts. If it has run in that for long enough, compiles the others.
    fn better_form(&self, kernel: &Later) -> Option<Form> {
        if kernel.is_over() && kernel.best(self.run.threads).is_none() {
            signals::as_host(|| kernel.compile(&mut Vec::new()));
        }
        let form = kernel.best(self.run.threads)?;
        host_cpu::see_new_code();
        Some(form)
    }
}

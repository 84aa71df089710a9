//! Blocks of a kernel that has just begun: in the form in which it starts, until a better one is there
//! (docs/decisions/0159-kernels-start-thread-by-thread.md).

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::{Grid, cpu_time};
use crate::block_ranges::{self, BlockRange};
use crate::engine::Form;
use crate::host_cpu;
use crate::later::Later;
use crate::signals;
use crate::sm::Sm;

/// Threads of a block after which the form may change at first. No subgroup has fewer.
const FEW: u32 = 8;

impl Grid {
    /// Runs a range of blocks.
    pub(super) fn run_starting(&self, sm: &Sm, kernel: &Later, blocks: Range<u64>) {
        match self.better_form(kernel) {
            Some(form) => self.run_range(sm, blocks, form),
            None if blocks.end - blocks.start == 1 => {
                let blocks = BlockRange::new(self.run.blocks, blocks);
                blocks.for_each(|block| self.run_in_parts(sm, kernel, block));
            }
            // They are short, as the range is made by the time that blocks take.
            None => {
                let began = cpu_time();
                self.run_range(sm, blocks, self.run.form);
                kernel.ran(cpu_time().saturating_sub(began));
            }
        }
    }

    /// Runs a block, which may take long, some threads at a time.
    fn run_in_parts(&self, sm: &Sm, kernel: &Later, block: [u32; 3]) {
        let (mut next, end) = (0, self.run.threads());
        let mut most = 1;
        while next < end && !self.stop.load(Ordering::Relaxed) {
            if let Some(form @ Form::Subgroups { width, .. }) = self.better_form(kernel) {
                let whole = next.next_multiple_of(width).min(end)..(end / width * width).max(next);
                self.run_part(sm, block, self.run.form, next..whole.start);
                self.run_part(sm, block, form, whole.clone());
                return self.run_part(sm, block, self.run.form, whole.end.max(whole.start)..end);
            }
            let count = (u64::from(FEW) * most).min((end - next).into()) as u32;
            let began = cpu_time();
            self.run_part(sm, block, self.run.form, next..next + count);
            let time = cpu_time().saturating_sub(began);
            kernel.ran(time);
            most = block_ranges::next_size(most, time);
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

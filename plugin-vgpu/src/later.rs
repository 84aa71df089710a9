//! A kernel of a divided image, compiled when it is first launched, and the form in which it starts until its warp form
//! is worth compiling (docs/decisions/0159-kernels-start-thread-by-thread.md).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use plugin_api::{Result, Stage};

use crate::engine::Form;
use crate::kernel_groups::{Found, KernelGroup};
use crate::module::Code;
use crate::runnable::Runnable;

/// Fewest threads of a launch in the form in which a kernel starts. That form is left between the subgroups of a better
/// one. Of so many threads a subgroup is a small part, however long each takes.
const FEWEST_THREADS: u64 = 64;
/// An empty thread takes longer.
const EACH_TAKES: Duration = Duration::from_nanos(2);

/// The kernel.
pub struct Later {
    group: Arc<KernelGroup>,
    /// Its name in the group's manifest.
    name: String,
    /// Its name in messages.
    title: String,
    /// All of its forms.
    all: OnceLock<Runnable>,
    start: Option<Start>,
    /// How many threads run at a time in that form: as many as take a moment.
    at_a_time: AtomicU64,
}

/// The form in which it starts.
struct Start {
    runnable: OnceLock<Runnable>,
    /// CPU time in it after which it pays to compile the others.
    patience: Duration,
    /// Whether the kernel has run in another process, which did not spend so much time.
    is_old: AtomicBool,
    /// Nanoseconds so far.
    spent: AtomicU64,
    /// Whether the others could not be compiled.
    stays: AtomicBool,
}

impl Later {
    /// The kernel `name` of a group, to be called `title` in messages. `patience`: if it starts in another form, the
    /// CPU time in that after which it pays to compile the group.
    pub fn new(
        group: Arc<KernelGroup>,
        name: String,
        title: String,
        patience: Option<Duration>,
    ) -> Later {
        let start = |patience| Start {
            runnable: OnceLock::new(),
            patience,
            is_old: AtomicBool::new(false),
            spent: AtomicU64::new(0),
            stays: AtomicBool::new(false),
        };
        Later {
            group,
            name,
            title,
            all: OnceLock::new(),
            start: patience.map(start),
            at_a_time: AtomicU64::new(0),
        }
    }

    /// What runs a launch of so many threads. Compiles and loads what is missing, and adds that to `stages`.
    pub fn runnable(&self, threads: u64, stages: &mut Vec<Stage>) -> Result<&Runnable> {
        if let Some(all) = self.all.get() {
            return Ok(all);
        }
        match self.start.as_ref().filter(|it| it.suits(threads)) {
            None => self.all(stages),
            Some(start) => {
                if start.is_over() {
                    self.compile(stages);
                }
                self.first(start, stages)
            }
        }
    }

    /// Whether this is the form in which the kernel starts.
    pub fn is_start(&self, runnable: &Runnable) -> bool {
        let start = self.start.as_ref().and_then(|it| it.runnable.get());
        start.is_some_and(|it| std::ptr::eq(it, runnable))
    }

    /// If the kernel starts in another form: how long it does.
    pub fn patience(&self) -> Option<Duration> {
        self.start.as_ref().map(Start::most)
    }

    /// The best form for blocks of this shape, once it is there.
    pub fn best(&self, block: [u32; 3]) -> Option<Form> {
        self.all.get().map(|it| it.forms.choose(block, true))
    }

    /// The code that a form is in.
    pub fn code_of(&self, form: Form) -> Option<&Code> {
        let start = self.start.as_ref().and_then(|it| it.runnable.get());
        let all = [self.all.get(), start].into_iter().flatten();
        let mut codes = all.map(|it| &*it.code);
        codes.find(|code| code.loaded.is_code(form.address()))
    }

    /// How many threads run at a time in the form in which the kernel starts: none was said yet, if 0.
    pub fn at_a_time(&self) -> u64 {
        self.at_a_time.load(Ordering::Relaxed)
    }

    /// Lets later blocks begin with so many threads at a time.
    pub fn run_at_a_time(&self, threads: u64) {
        self.at_a_time.store(threads, Ordering::Relaxed);
    }

    /// Notes that threads have run for some time in the form in which the kernel starts.
    pub fn ran(&self, time: Duration) {
        if let Some(start) = &self.start {
            let time = time.as_nanos() as u64;
            start.spent.fetch_add(time, Ordering::Relaxed);
        }
    }

    /// Whether the kernel has run in that form for so long that somebody should [`compile`](Later::compile) the others.
    pub fn is_over(&self) -> bool {
        self.start.as_ref().is_some_and(Start::is_over)
    }

    /// Compiles and loads all forms. Threads that want the same at the same time wait: what they could do meanwhile
    /// takes several times as long in the form in which the kernel starts. If it fails, the kernel stays as it is.
    pub fn compile(&self, stages: &mut Vec<Stage>) {
        if let (Err(error), Some(start)) = (self.all(stages), &self.start)
            && !start.stays.swap(true, Ordering::Relaxed)
        {
            log::warn!("the kernel {} stays without warp form: {error}", self.title);
        }
    }

    /// All forms, or that in which the kernel starts, whichever is there or takes less time to get.
    fn first<'a>(&'a self, start: &'a Start, stages: &mut Vec<Stage>) -> Result<&'a Runnable> {
        if let Some(there) = self.all.get().or(start.runnable.get()) {
            return Ok(there);
        }
        if let Some(found) = self.group.cached(&self.name, stages)? {
            let all = self.runnable_of(found)?;
            return Ok(self.all.get_or_init(|| all));
        }
        match self.group.start(&self.name, stages)? {
            Some(found) if found.entry.threads.is_some() => {
                start.is_old.store(found.was_cached, Ordering::Relaxed);
                let first = self.runnable_of(found)?;
                Ok(start.runnable.get_or_init(|| first))
            }
            // Its locals are of a size that is not known, or the like.
            _ => self.all(stages),
        }
    }

    fn all(&self, stages: &mut Vec<Stage>) -> Result<&Runnable> {
        if let Some(all) = self.all.get() {
            return Ok(all);
        }
        let all = self.runnable_of(self.group.kernel(&self.name, stages)?)?;
        Ok(self.all.get_or_init(|| all))
    }

    fn runnable_of(&self, found: Found) -> Result<Runnable> {
        Runnable::new(found.code, &found.entry, &self.title)
    }
}

impl Start {
    /// Whether launches of so many threads may begin in the form.
    fn suits(&self, threads: u64) -> bool {
        let shortest = EACH_TAKES.as_nanos() * u128::from(threads);
        threads >= FEWEST_THREADS && shortest < self.patience.as_nanos()
    }

    fn is_over(&self) -> bool {
        let spent = Duration::from_nanos(self.spent.load(Ordering::Relaxed));
        spent >= self.most() && !self.stays.load(Ordering::Relaxed)
    }

    /// The time in this form after which the others are compiled. A program that runs again takes about as long as
    /// before, and should not begin to compile then.
    fn most(&self) -> Duration {
        match self.is_old.load(Ordering::Relaxed) {
            true => 2 * self.patience,
            false => self.patience,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Start {
        Start {
            runnable: OnceLock::new(),
            patience: Duration::from_millis(10),
            is_old: AtomicBool::new(false),
            spent: AtomicU64::new(0),
            stays: AtomicBool::new(false),
        }
    }

    #[test]
    fn neither_few_threads_nor_very_many_start_in_the_form() {
        let suits = |threads| start().suits(threads);
        assert!(suits(64) && suits(100_000));
        assert!(!suits(63) && !suits(5_000_000) && !suits(u64::MAX));
    }

    #[test]
    fn what_has_run_before_has_twice_the_time() {
        let start = start();
        let spend = |milliseconds: u64| {
            let time = milliseconds * 1_000_000;
            start.spent.store(time, Ordering::Relaxed);
            start.is_over()
        };
        assert!(!spend(9) && spend(10));
        start.is_old.store(true, Ordering::Relaxed);
        assert!(!spend(19) && spend(20));
        start.stays.store(true, Ordering::Relaxed);
        assert!(!spend(1000));
    }
}

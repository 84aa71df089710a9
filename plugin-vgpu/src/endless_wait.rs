//! Blocks that wait on memory for long: the user gets a hint, once for each kernel. Without a time limit
//! (`OMPTARGET_VGPU_TIMEOUT`) such a block may wait for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::deadlock;
use crate::fault::{FaultLocation, Raised};
use crate::module::Code;

/// How long a block waits before there is a hint.
const LONG: Duration = Duration::from_secs(10);

/// The hint about the waits of a kernel.
pub struct EndlessWait {
    after: Duration,
    is_reported: AtomicBool,
    report: Box<Report>,
}

/// Gets the block, how long it has waited, and who waits where.
type Report = dyn Fn([u32; 3], Duration, &Raised) + Send + Sync;

impl EndlessWait {
    /// The hint about a block that has waited for `after`.
    pub fn new(
        after: Duration,
        report: impl Fn([u32; 3], Duration, &Raised) + Send + Sync + 'static,
    ) -> EndlessWait {
        EndlessWait {
            after,
            is_reported: AtomicBool::new(false),
            report: Box::new(report),
        }
    }

    /// The hint for a kernel, as a warning.
    pub fn of_kernel(code: Arc<Code>, kernel: String) -> EndlessWait {
        EndlessWait::new(LONG, move |block, waited, raised| {
            log::warn!("{}", text(&kernel, block, waited, raised, &code));
        })
    }

    /// Reports a block that has waited for long, if none was. `raised` says who waits where.
    pub fn check(&self, block: [u32; 3], waited: Duration, raised: impl FnOnce() -> Raised) {
        if waited > self.after && !self.is_reported.swap(true, Ordering::Relaxed) {
            (self.report)(block, waited, &raised());
        }
    }
}

fn text(
    kernel: &str,
    [x, y, z]: [u32; 3],
    waited: Duration,
    raised: &Raised,
    code: &Code,
) -> String {
    let mut text = format!(
        "still in kernel {kernel} without progress for {:.0} s: block ({x},{y},{z}) waits",
        waited.as_secs_f64()
    );
    for group in &raised.waiting {
        let threads = deadlock::ranges(&group.threads);
        text += &format!("\n  waiting at {}: threads {threads}", group.at);
        if let Some(location) = code.location(FaultLocation::Site(group.site)) {
            text += &format!("\n    at {location}");
        }
    }
    text + "\n  hint: set OMPTARGET_VGPU_TIMEOUT to a number of seconds to end it"
}

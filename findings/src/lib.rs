//! Findings of the checker (`OMPTARGET_CHECK`, `omptarget check`): mistakes of a program that runs, found by a device
//! or by a front end.
//!
//! Whoever finds something calls [`report`]. It prints the finding once on standard error, in the style of the
//! runtime's errors, and appends it as a line of JSON to the file that [`REPORT_VARIABLE`] names. A front end that
//! knows what lies at a device address adds to the findings of devices with a [`Describer`].
//!
//! It also knows which work of devices comes after which ([`DeviceWork`]): front ends see tasks, devices see streams.
//!
//! `docs/checker.md` shows reports as a user sees them.

mod caller;
mod checks;
mod describer;
mod ending;
mod exclusive;
mod fault;
mod finding;
mod origin;
mod report;
mod summary;
mod work;

pub use caller::{caller, place_in_program};
pub use checks::{Checks, VARIABLE, wanted};
pub use describer::{Describer, describe_with};
pub use ending::at_end;
pub use exclusive::{Exclusive, is_exclusive, set_exclusive};
pub use fault::record_fault;
pub use finding::{Finding, Kind, Note, Severity};
pub use origin::{Origin, current_origin, set_origin};
pub use report::{REPORT_VARIABLE, count, record, report};
pub use summary::{count_kinds, print_summary, summarise_at_exit};
pub use work::{
    DeviceWork, Finished, TaskClock, WINDOW, begin_by_host, enter_task, host_learns, is_in_task,
    known_to_host, on_learning, task_clock,
};

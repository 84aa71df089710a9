//! What tasks of the host come after, for the `race` check: libomp tells of its tasks through OMPT (OpenMP 5.2,
//! chapter 19), as it tells Archer (Atzeni et al., IPDPS 2016; Protze et al., "Thread-Local Concurrency", IWOMP 2018).
//!
//! A task with `nowait` or of `task` comes after what its parent knew when it met the construct, and after the tasks
//! that its `depend` clauses name. What it does is known to its parent after a `taskwait`, to others after the end of
//! a `taskgroup` or a barrier. So it does not matter when libomp's helper threads begin it.
//!
//! Threads outside of such tasks share a clock (`findings::known_to_host`), because what they tell each other through
//! memory cannot be seen.

mod dependences;
mod task;
mod tool;

pub use tool::tool;

//! What a program did not release.

use fake_driver::handle;

use crate::call::tell;
use crate::memory::memory;
use crate::queue;

/// Kinds of objects that belong to the program. The others exist as long as the process.
const OWNED: [&str; 3] = ["Signal", "Executable", "Reader"];

/// Tells of each.
pub fn report() {
    let queues = queue::count();
    let mut counts = handle::count();
    if let Some(signals) = counts.get_mut("Signal") {
        // Each queue has a doorbell.
        *signals -= queues;
    }
    let owned = |(kind, count): &(&str, usize)| OWNED.contains(kind) && *count > 0;
    let objects = counts.into_iter().filter(owned);
    let mut lines: Vec<String> = memory().leaks().collect();
    lines.extend(objects.map(|(kind, count)| format!("objects of kind {kind}: {count}")));
    if queues > 0 {
        lines.push(format!("queues: {queues}"));
    }
    for line in lines {
        tell(&format!("leak: {line}"));
    }
}

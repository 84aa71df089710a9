//! The identity of a 64-bit ARM CPU.

use std::collections::BTreeSet;

/// Bytes that differ between CPUs for which LLVM would generate different code: the lines of the system's description
/// from which LLVM itself learns what the CPU is. Without one, both know nothing.
pub fn identity() -> Vec<u8> {
    let description = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    // Machines may have cores of several kinds, and each core has its own lines.
    let lines: BTreeSet<_> = description.lines().filter(|line| describes(line)).collect();
    lines
        .into_iter()
        .flat_map(|line| [line, "\n"])
        .flat_map(str::bytes)
        .collect()
}

fn describes(line: &str) -> bool {
    const KEYS: [&str; 4] = ["Features", "CPU implementer", "CPU variant", "CPU part"];
    KEYS.iter().any(|key| line.starts_with(key))
}

//! Dependences between tasks (OpenMP 5.2, §15.9.5).

/// `kmp_depend_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    address: u64,
    bytes: usize,
    flags: u8,
}

/// `kmp_depend_info` flags: `out`, `inout` and `mutexinoutset` have others than these.
const IN: u8 = 0x1;
const IN_OUT_SET: u8 = 0x8;
/// `omp_all_memory`.
const ALL: u8 = 0x80;

impl Dependence {
    /// Whether tasks with these must come one after the other (OpenMP 5.2, §15.9.5).
    pub fn conflicts(&self, other: &Dependence) -> bool {
        let same = self.address == other.address || (self.flags | other.flags) & ALL != 0;
        let both = |flags| self.flags == flags && other.flags == flags;
        same && !both(IN) && !both(IN_OUT_SET)
    }
}

//! The settings from the environment.

use vendor_driver::{heap_of, size_setting, stack_setting};

/// Limits for every device that the process uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Private memory of a thread for calls through pointers, bytes: to regions of generic kernels and of other
    /// translation units. What a kernel is known to need comes on top.
    pub stack: u32,
    /// Heap of `malloc` on the device, bytes. `None`: a share of the device's memory.
    heap: Option<u64>,
    /// Freed memory that is kept for the next allocation, bytes. `None`: a share of the device's memory.
    kept: Option<u64>,
    /// Buffer of `printf` of an image, bytes.
    pub printf: u64,
}

/// As large as CUDA's.
const PRINTF: u64 = 1 << 20;
/// The device runtime's heap counts units of 16 bytes in 32 bits.
const MAX_HEAP: u64 = 64 << 30;
/// The share of the device's memory that is kept when it is freed. Other processes may need the rest.
const KEPT_SHARE: u64 = 8;

impl Settings {
    /// The defaults, changed by the environment.
    pub fn from_environment() -> Result<Settings, String> {
        Settings::from_variables(|name| std::env::var(name).ok())
    }

    /// The defaults, changed by the variables that `variable` knows.
    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let printf = size_setting(&variable, "OMPTARGET_AMDGPU_PRINTF_BUFFER")?;
        Ok(Settings {
            stack: u32::try_from(stack_setting(&variable)?).unwrap_or(u32::MAX),
            heap: size_setting(&variable, "LIBOMPTARGET_HEAP_SIZE")?,
            kept: size_setting(&variable, "OMPTARGET_AMDGPU_KEEP")?,
            printf: printf.unwrap_or(PRINTF).next_multiple_of(8),
        })
    }

    /// Freed memory that a device with this much memory keeps, bytes.
    pub fn kept_of(&self, memory: u64) -> u64 {
        self.kept.unwrap_or(memory / KEPT_SHARE)
    }

    /// The heap for a device with this much memory, bytes.
    pub fn heap_of(&self, memory: u64) -> u64 {
        heap_of(self.heap, memory).min(MAX_HEAP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let read = |name: &'static str, value: &'static str| {
            Settings::from_variables(|asked| (asked == name).then(|| value.to_owned()))
        };
        let defaults = read("", "").unwrap();
        assert_eq!((defaults.stack, defaults.printf), (4 << 10, 1 << 20));
        assert_eq!(defaults.heap_of(8 << 30), 512 << 20);
        let heap = read("LIBOMPTARGET_HEAP_SIZE", "1T0");
        assert!(heap.unwrap_err().contains("LIBOMPTARGET_HEAP_SIZE=1T0"));
        let heap = read("LIBOMPTARGET_HEAP_SIZE", "100G").unwrap();
        assert_eq!(heap.heap_of(8 << 30), 64 << 30);
        assert_eq!(defaults.kept_of(8 << 30), 1 << 30);
        let kept = read("OMPTARGET_AMDGPU_KEEP", "0").unwrap();
        assert_eq!(kept.kept_of(8 << 30), 0);
        let printf = read("OMPTARGET_AMDGPU_PRINTF_BUFFER", "100").unwrap();
        assert_eq!(printf.printf, 104);
    }
}

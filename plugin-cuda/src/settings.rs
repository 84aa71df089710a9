//! The settings from the environment.

use vendor_driver::{heap_of, size_setting, stack_setting};

/// Limits for every device that the process uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Stack of a thread, bytes. The driver provides the stack that a kernel is known to need. This is for calls
    /// through pointers: to regions of generic kernels and of other translation units.
    pub stack: usize,
    /// Heap of `malloc` on the device, bytes. `None`: a share of the device's memory.
    pub heap: Option<u64>,
    /// Buffer of `printf`, bytes. `None`: the driver's choice.
    pub printf: Option<usize>,
    /// Bytes of freed device memory that are kept for the next allocation.
    pub release_threshold: u64,
}

impl Settings {
    /// The defaults, changed by the environment. A value that cannot be parsed is an error. Otherwise the user
    /// would wonder why a setting has no effect.
    pub fn from_environment() -> Result<Settings, String> {
        Settings::from_variables(|name| std::env::var(name).ok())
    }

    /// The defaults, changed by the variables that `variable` knows.
    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let size = |name| size_setting(&variable, name);
        let whole = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        Ok(Settings {
            stack: whole(stack_setting(&variable)?),
            heap: size("LIBOMPTARGET_HEAP_SIZE")?,
            printf: size("OMPTARGET_CUDA_PRINTF_BUFFER")?.map(whole),
            release_threshold: size("OMPTARGET_CUDA_KEEP")?.unwrap_or(u64::MAX),
        })
    }

    /// The heap for a device with this much memory, bytes.
    pub fn heap_of(&self, memory: u64) -> usize {
        usize::try_from(heap_of(self.heap, memory)).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &'static str) -> Result<Settings, String> {
        Settings::from_variables(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn sizes() {
        let defaults = read("", "").unwrap();
        assert_eq!((defaults.stack, defaults.heap), (4 << 10, None));
        assert_eq!(defaults.release_threshold, u64::MAX);
        assert_eq!(
            read("LIBOMPTARGET_STACK_SIZE", "16k").unwrap().stack,
            16 << 10
        );
        let heap = read("LIBOMPTARGET_HEAP_SIZE", "1G").unwrap();
        assert_eq!(heap.heap_of(8 << 30), 1 << 30);
        assert_eq!(
            read("OMPTARGET_CUDA_KEEP", "0").unwrap().release_threshold,
            0
        );
        let printf = read("OMPTARGET_CUDA_PRINTF_BUFFER", "4M").unwrap().printf;
        assert_eq!(printf, Some(4 << 20));
        let why = read("LIBOMPTARGET_HEAP_SIZE", "lots").unwrap_err();
        assert!(why.contains("LIBOMPTARGET_HEAP_SIZE=lots"), "{why}");
    }
}

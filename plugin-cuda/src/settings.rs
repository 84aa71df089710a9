//! The settings from the environment.

use plugin_api::parse_size;

/// Limits for every device that the process uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Stack of a thread, bytes. The driver provides the stack that a kernel is known to need. This is for calls
    /// through pointers: to regions of generic kernels and of other translation units.
    pub stack: usize,
    /// Heap of `malloc` on the device, bytes. `None`: a share of the device's memory.
    pub heap: Option<usize>,
    /// Buffer of `printf`, bytes. `None`: the driver's choice.
    pub printf: Option<usize>,
    /// Bytes of freed device memory that are kept for the next allocation.
    pub release_threshold: u64,
}

/// CUDA's default of 1 KiB is too small for functions of other translation units.
const STACK: usize = 4 << 10;
/// The share of the device's memory that its heap gets.
const HEAP_SHARE: u64 = 16;
/// The largest heap by default. State buffers for all teams of an H100 take a sixth of it.
const MAX_HEAP: u64 = 512 << 20;
/// The driver's default.
const MIN_HEAP: u64 = 8 << 20;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            stack: STACK,
            heap: None,
            printf: None,
            release_threshold: u64::MAX,
        }
    }
}

impl Settings {
    /// The defaults, changed by the environment. A value that cannot be parsed is an error. Otherwise the user
    /// would wonder why a setting has no effect.
    pub fn from_environment() -> Result<Settings, String> {
        Settings::from_variables(|name| std::env::var(name).ok())
    }

    /// The defaults, changed by the variables that `variable` knows.
    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let size = |name: &str| match variable(name) {
            None => Ok(None),
            Some(text) if text.trim().is_empty() => Ok(None),
            Some(text) => match parse_size(&text) {
                Some(bytes) => Ok(Some(bytes)),
                None => Err(format!(
                    "{name}={text}: a size in bytes is needed (suffixes k, M, G)"
                )),
            },
        };
        let whole = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        Ok(Settings {
            stack: size("LIBOMPTARGET_STACK_SIZE")?.map_or(STACK, whole),
            heap: size("LIBOMPTARGET_HEAP_SIZE")?.map(whole),
            printf: size("OMPTARGET_CUDA_PRINTF_BUFFER")?.map(whole),
            release_threshold: size("OMPTARGET_CUDA_KEEP")?.unwrap_or(u64::MAX),
        })
    }

    /// The heap for a device with this much memory, bytes.
    pub fn heap_of(&self, memory: u64) -> usize {
        let share = (memory / HEAP_SHARE).clamp(MIN_HEAP, MAX_HEAP);
        self.heap.unwrap_or(share as usize)
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
        assert_eq!(read("", "").unwrap(), Settings::default());
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

    #[test]
    fn the_heap_follows_the_device() {
        let settings = Settings::default();
        assert_eq!(settings.heap_of(80 << 30), 512 << 20);
        assert_eq!(settings.heap_of(4 << 30), 256 << 20);
        assert_eq!(settings.heap_of(64 << 20), 8 << 20);
    }
}

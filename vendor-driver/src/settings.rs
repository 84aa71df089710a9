//! Settings from the environment that every maker's devices have.

use plugin_api::parse_size;

/// The share of the device's memory that its heap gets.
const HEAP_SHARE: u64 = 16;
/// The largest heap by default. State buffers for all teams of an H100 take a sixth of it.
const MAX_HEAP: u64 = 512 << 20;
/// CUDA's default.
const MIN_HEAP: u64 = 8 << 20;
/// CUDA's default of 1 KiB is too small for functions of other translation units.
const STACK: u64 = 4 << 10;

/// The size that the variable `name` sets, in bytes; `None` if it is not set. A value that cannot be parsed is an
/// error. Otherwise the user would wonder why a setting has no effect.
pub fn size_setting(
    variable: &impl Fn(&str) -> Option<String>,
    name: &str,
) -> Result<Option<u64>, String> {
    match variable(name) {
        None => Ok(None),
        Some(text) if text.trim().is_empty() => Ok(None),
        Some(text) => match parse_size(&text) {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(format!(
                "{name}={text}: a size in bytes is needed (suffixes k, M, G)"
            )),
        },
    }
}

/// The stack of a thread whose kernel calls through pointers, bytes.
pub fn stack_setting(variable: &impl Fn(&str) -> Option<String>) -> Result<u64, String> {
    Ok(size_setting(variable, "LIBOMPTARGET_STACK_SIZE")?.unwrap_or(STACK))
}

/// The heap of a device with this much memory, bytes, if no setting says otherwise.
pub fn heap_of(setting: Option<u64>, memory: u64) -> u64 {
    setting.unwrap_or((memory / HEAP_SHARE).clamp(MIN_HEAP, MAX_HEAP))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let variable = |text: &'static str| move |_: &str| Some(text.to_owned());
        assert_eq!(size_setting(&|_| None, "X"), Ok(None));
        assert_eq!(size_setting(&variable(" "), "X"), Ok(None));
        assert_eq!(size_setting(&variable("16k"), "X"), Ok(Some(16 << 10)));
        let why = size_setting(&variable("lots"), "X").unwrap_err();
        assert!(why.contains("X=lots"), "{why}");
        assert_eq!(stack_setting(&|_| None), Ok(4 << 10));
    }

    #[test]
    fn the_heap_follows_the_device() {
        assert_eq!(heap_of(None, 80 << 30), 512 << 20);
        assert_eq!(heap_of(None, 4 << 30), 256 << 20);
        assert_eq!(heap_of(None, 64 << 20), 8 << 20);
        assert_eq!(heap_of(Some(1 << 30), 8 << 30), 1 << 30);
    }
}

//! The settings: environment variables that are read once.

use std::path::PathBuf;
use std::sync::OnceLock;

use fake_driver::injection::Calls;

use crate::result::Failure;

/// The configuration of the driver.
#[derive(Debug)]
pub struct Config {
    /// `FAKE_CUDA_CAPABILITY`: compute capability of each device, `8.0` or `8.0,9.0`; one for all if there is
    /// one. Default 8.0. `FAKE_CUDA_DEVICES`: how many devices. Default 1.
    pub capabilities: Vec<(u8, u8)>,
    /// `FAKE_CUDA_VERSION`: the newest CUDA that the driver supports, as `cuDriverGetVersion` reports it. Default
    /// 12080.
    pub version: u32,
    /// `FAKE_CUDA_BITCODE`: a folder with the bitcode of every module that will be loaded.
    pub bitcode: Option<PathBuf>,
    /// `FAKE_CUDA_PTXAS`: the assembler. Without it PTX is not checked.
    pub ptxas: Option<PathBuf>,
    /// `FAKE_CUDA_FAIL`: which calls fail, as `NAME:COUNT:ERROR` separated by commas.
    /// `cuMemAlloc_v2:2:CUDA_ERROR_OUT_OF_MEMORY` is the second call; `2+` is the second and every later one.
    /// `FAKE_CUDA_LOG`: a file to which each call is appended, with name and count.
    pub calls: Calls,
    /// `FAKE_CUDA_PAGEABLE=1`: kernels may follow host pointers (`CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS`).
    pub pageable: bool,
    /// `FAKE_CUDA_POOLS=0`: devices without `cuMemAllocAsync` (`CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED`).
    pub pools: bool,
    /// `FAKE_CUDA_EXIT=early`: the driver shuts down when the program begins to exit, before the handlers that
    /// were registered earlier than the call of `cuInit`.
    pub exits_early: bool,
}

/// The settings, or the reason why they are invalid.
pub fn config() -> Result<&'static Config, &'static str> {
    static CONFIG: OnceLock<Result<Config, String>> = OnceLock::new();
    let read = || {
        let config = Config::from_variables(|name| std::env::var(name).ok());
        if let Err(why) = &config {
            eprintln!("fake CUDA driver: {why}");
        }
        config
    };
    CONFIG.get_or_init(read).as_ref().map_err(String::as_str)
}

impl Config {
    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Config, String> {
        let set = |name: &str| variable(name).filter(|text| !text.is_empty());
        let number = |name: &str, default: u32| match set(name) {
            Some(text) => text
                .parse()
                .map_err(|_| format!("{name}={text}: a number is needed")),
            None => Ok(default),
        };
        let count = number("FAKE_CUDA_DEVICES", 1)? as usize;
        let capabilities = set("FAKE_CUDA_CAPABILITY").unwrap_or("8.0".into());
        let mut capabilities: Vec<(u8, u8)> = capabilities
            .split(',')
            .map(|text| capability(text).ok_or(format!("FAKE_CUDA_CAPABILITY: {text}")))
            .collect::<Result<_, _>>()?;
        let last = *capabilities.last().expect("a split gives one at least");
        capabilities.resize(count, last);
        let failures = set("FAKE_CUDA_FAIL").unwrap_or_default();
        let log = set("FAKE_CUDA_LOG").map(PathBuf::from);
        Ok(Config {
            capabilities,
            version: number("FAKE_CUDA_VERSION", 12_080)?,
            bitcode: set("FAKE_CUDA_BITCODE").map(PathBuf::from),
            ptxas: set("FAKE_CUDA_PTXAS").map(PathBuf::from),
            calls: Calls::new("FAKE_CUDA_FAIL", &failures, log, |name| {
                Failure::named(name).map(|failure| failure.0)
            })?,
            pageable: set("FAKE_CUDA_PAGEABLE").is_some_and(|text| text == "1"),
            pools: set("FAKE_CUDA_POOLS").is_none_or(|text| text != "0"),
            exits_early: set("FAKE_CUDA_EXIT").is_some_and(|text| text == "early"),
        })
    }
}

/// Parses `9.0`.
fn capability(text: &str) -> Option<(u8, u8)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

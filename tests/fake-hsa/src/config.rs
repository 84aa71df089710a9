//! The settings: environment variables that are read once.

use std::path::PathBuf;
use std::sync::OnceLock;

use fake_driver::injection::Calls;

use crate::isa::Isa;
use crate::status::Failure;

/// Packets of the largest queue, as ROCm 5.2 has it.
const QUEUE_SIZE: u32 = 0x20000;

/// The configuration of the runtime.
#[derive(Debug)]
pub struct Config {
    /// `FAKE_HSA_AGENTS`: the architecture of each GPU, `gfx90a` or `gfx90a:sramecc+:xnack-,gfx1100`; `none` for no
    /// GPU. Default `gfx90a`.
    pub isas: Vec<Isa>,
    /// `FAKE_HSA_BITCODE`: a folder with the bitcode of every code object that will be loaded.
    pub bitcode: Option<PathBuf>,
    /// `FAKE_HSA_SERVICES`: the archive of the device services (`libompservices.a`), which are in every code object.
    /// Without it, the virtual GPU's own serve.
    pub services: Option<PathBuf>,
    /// `FAKE_HSA_FAIL`: which calls fail, as `NAME:COUNT:ERROR` separated by commas.
    /// `hsa_signal_create:2:HSA_STATUS_ERROR_OUT_OF_RESOURCES` is the second call; `2+` is the second and every later
    /// one.
    /// `FAKE_HSA_LOG`: a file to which each call is appended, with name and count.
    pub calls: Calls,
    /// `FAKE_HSA_LEAKS=1`: the last `hsa_shut_down` names what was not released. So does the end of the process.
    pub leaks: bool,
    /// `FAKE_HSA_QUEUE_SIZE`: packets of the largest queue. Default 131072.
    pub queue_size: u32,
    /// `FAKE_HSA_INTEGRATED=1`: the GPUs share the host's memory and page tables, as those of an APU. Their kernels may
    /// follow host pointers whatever their `xnack` says.
    pub integrated: bool,
    /// `FAKE_HSA_MEMORY_FAULT=quiet`: memory faults are told to the system event handler only, as older drivers do.
    pub quiet_memory_faults: bool,
}

/// The settings, or the reason why they are invalid.
pub fn config() -> Result<&'static Config, &'static str> {
    static CONFIG: OnceLock<Result<Config, String>> = OnceLock::new();
    let read = || {
        let config = Config::from_variables(|name| std::env::var(name).ok());
        if let Err(why) = &config {
            eprintln!("fake HSA runtime: {why}");
        }
        config
    };
    CONFIG.get_or_init(read).as_ref().map_err(String::as_str)
}

impl Config {
    /// Whether kernels on a GPU may follow host pointers.
    pub fn follows_host_pointers(&self, isa: &Isa) -> bool {
        self.integrated || isa.has_xnack()
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Config, String> {
        let set = |name: &str| variable(name).filter(|text| !text.is_empty());
        let agents = set("FAKE_HSA_AGENTS").unwrap_or("gfx90a".into());
        let isas = agents.split(',').filter(|text| *text != "none");
        let failures = set("FAKE_HSA_FAIL").unwrap_or_default();
        let log = set("FAKE_HSA_LOG").map(PathBuf::from);
        let queue_size = match set("FAKE_HSA_QUEUE_SIZE") {
            Some(text) => text
                .parse()
                .map_err(|_| format!("FAKE_HSA_QUEUE_SIZE={text}: a number is needed"))?,
            None => QUEUE_SIZE,
        };
        Ok(Config {
            isas: isas
                .map(|text| Isa::parse(text).ok_or(format!("FAKE_HSA_AGENTS: {text}")))
                .collect::<Result<_, _>>()?,
            bitcode: set("FAKE_HSA_BITCODE").map(PathBuf::from),
            services: set("FAKE_HSA_SERVICES").map(PathBuf::from),
            calls: Calls::new("FAKE_HSA_FAIL", &failures, log, |name| {
                Failure::named(name).map(|failure| failure.0)
            })?,
            leaks: set("FAKE_HSA_LEAKS").is_some_and(|text| text == "1"),
            queue_size,
            integrated: set("FAKE_HSA_INTEGRATED").is_some_and(|text| text == "1"),
            quiet_memory_faults: set("FAKE_HSA_MEMORY_FAULT").is_some_and(|text| text == "quiet"),
        })
    }
}

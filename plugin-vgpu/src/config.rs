//! The settings: the `OMPTARGET_VGPU_*` environment variables.

use std::time::Duration;

use codegen::CpuLevel;
use findings::Checks;

use crate::address_limit;
use crate::engine::Engine;
use crate::fiber::STACKS_OF_SM;
use crate::schedule::Schedule;

/// The configuration of a process's virtual GPUs, which are all alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// How many there are. What follows is of each.
    pub devices: u32,
    /// Multiprocessors. Each runs one block at a time on a CPU thread.
    pub multiprocessors: u32,
    /// Device memory in bytes.
    pub memory: u64,
    /// Device heap (`malloc` in kernels) in bytes.
    pub heap: u64,
    /// How long a block may wait on memory without progress. `None`: without limit.
    pub timeout: Option<Duration>,
    /// Whether threads count the instructions they execute.
    pub count: bool,
    /// Whether bitcode for NVIDIA's GPUs becomes PTX first, as for such a GPU, and the PTX is what runs.
    pub through_ptx: bool,
    /// Which engine runs kernels.
    pub engine: Engine,
    /// In which order blocks and threads run.
    pub schedule: Schedule,
    /// What is checked (`OMPTARGET_CHECK`).
    pub checks: Checks,
    /// What kernels are compiled for. `None`: the CPU at hand.
    pub cpu: Option<CpuLevel>,
    /// Whether loading a module runs its constructors, and unloading it the destructors. Otherwise they are kernels, as
    /// in AMD's code objects (`amdgcn.device.init`, `amdgcn.device.fini`). No variable sets this.
    pub runs_constructors: bool,
}

impl Config {
    /// The defaults for this machine: every CPU that the process may use, and half of the memory. Less where the
    /// process's addresses are limited.
    pub fn detect() -> Config {
        Config::shared_by(1)
    }

    /// The defaults for each of several devices, which share CPUs, memory and addresses.
    fn shared_by(devices: u32) -> Config {
        let config = Config::unlimited().share(devices);
        match address_limit::allowance() {
            Some(window) => config.within(window / u64::from(devices)),
            None => config,
        }
    }

    /// An equal share for each of several devices: at least one CPU, and as much memory as may be asked for.
    fn share(self, devices: u32) -> Config {
        let memory = (self.memory / u64::from(devices)).max(LEAST_BYTES);
        Config {
            devices,
            multiprocessors: (self.multiprocessors / devices).max(1),
            memory,
            heap: default_heap(memory),
            ..self
        }
    }

    fn unlimited() -> Config {
        let cpus = std::thread::available_parallelism()
            .map_or(1, |cpus| cpus.get() as u32)
            .min(MAX_SMS);
        let memory = physical_memory() / 2;
        Config {
            devices: 1,
            multiprocessors: cpus,
            memory,
            heap: default_heap(memory),
            timeout: None,
            count: false,
            through_ptx: false,
            engine: Engine::Auto,
            schedule: Schedule::InOrder,
            checks: Checks::NONE,
            cpu: None,
            runs_constructors: true,
        }
    }

    /// The configuration with no more multiprocessors and memory than a window of `window` bytes has room for. Stacks,
    /// which are aligned to their size, get up to half of it.
    fn within(self, window: u64) -> Config {
        let parts = window / STACKS_OF_SM;
        let multiprocessors = u64::from(self.multiprocessors).min(parts / 2).max(1);
        let rest = parts.saturating_sub(multiprocessors) * STACKS_OF_SM;
        let memory = rest.saturating_sub(ROOM_FOR_CODE) / 5 * 4;
        let memory = self.memory.min(memory.next_multiple_of(1 << 20));
        Config {
            multiprocessors: multiprocessors as u32,
            memory,
            heap: default_heap(memory),
            ..self
        }
    }

    /// What kernels are compiled to check.
    pub fn compiled_checks(&self) -> vgpu_abi::Checks {
        vgpu_abi::Checks {
            memory: self.checks.memory,
            init: self.checks.init,
            race: self.checks.race,
            sync: self.checks.sync,
        }
    }

    /// The defaults, changed by the environment. A value that cannot be parsed is an error. Otherwise the user
    /// would wonder why a setting has no effect.
    pub fn from_environment() -> Result<Config, String> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    /// The defaults, changed by the variables that `variable` knows.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Config, String> {
        let devices = match variable("OMPTARGET_VGPU_DEVICES") {
            Some(text) => number("OMPTARGET_VGPU_DEVICES", &text, MAX_DEVICES)?,
            None => 1,
        };
        let mut config = Config::shared_by(devices);
        if let Some(text) = variable("OMPTARGET_VGPU_SCHEDULE") {
            config.schedule = Schedule::named(text.trim()).ok_or_else(|| {
                format!("OMPTARGET_VGPU_SCHEDULE={text}: in-order or random:SEED is needed")
            })?;
            // Blocks on several CPUs would have an order that no seed decides.
            if config.schedule != Schedule::InOrder {
                config.multiprocessors = 1;
            }
        }
        if let Some(text) = variable("OMPTARGET_VGPU_SMS") {
            config.multiprocessors = number("OMPTARGET_VGPU_SMS", &text, MAX_SMS)?;
        }
        if let Some(text) = variable(findings::VARIABLE) {
            config.checks = Checks::parse(&text)?;
        }
        if config.checks.sync {
            config.timeout = Some(WAITS_TOO_LONG);
        }
        // Accesses are compared in the order in which they happen.
        if config.checks.race {
            config.multiprocessors = 1;
        }
        if let Some(text) = variable("OMPTARGET_VGPU_MEMORY") {
            config.memory = bytes("OMPTARGET_VGPU_MEMORY", &text)?;
            config.heap = default_heap(config.memory);
        }
        if let Some(text) = variable("OMPTARGET_VGPU_HEAP") {
            config.heap = bytes("OMPTARGET_VGPU_HEAP", &text)?;
        }
        if let Some(text) = variable("OMPTARGET_VGPU_TIMEOUT") {
            config.timeout = match text.trim().parse() {
                Ok(0.0) => None,
                Ok(seconds) if seconds > 0.0 && seconds < 1e9 => {
                    Some(Duration::from_secs_f64(seconds))
                }
                _ => {
                    return Err(format!(
                        "OMPTARGET_VGPU_TIMEOUT={text}: a number of seconds is needed"
                    ));
                }
            };
        }
        for (name, field) in [
            ("OMPTARGET_VGPU_COUNT", &mut config.count),
            ("OMPTARGET_VGPU_THROUGH_PTX", &mut config.through_ptx),
        ] {
            if let Some(text) = variable(name) {
                *field = match text.trim() {
                    "0" => false,
                    "1" => true,
                    _ => return Err(format!("{name}={text}: 0 or 1 is needed")),
                };
            }
        }
        if let Some(text) = variable("OMPTARGET_VGPU_ENGINE") {
            config.engine = Engine::named(text.trim()).ok_or_else(|| {
                format!("OMPTARGET_VGPU_ENGINE={text}: fiber, workgroup or auto is needed")
            })?;
        }
        if let Some(text) = variable("OMPTARGET_VGPU_CPU") {
            config.cpu = cpu(text.trim())?;
        }
        Ok(config)
    }
}

/// What `OMPTARGET_VGPU_CPU` asks for. A level that the CPU at hand does not have would end in an illegal instruction.
fn cpu(text: &str) -> Result<Option<CpuLevel>, String> {
    match (text, CpuLevel::named(text)) {
        ("native", _) => Ok(None),
        (_, Some(level)) if level.runs_here() => Ok(Some(level)),
        (_, Some(_)) => Err(format!(
            "OMPTARGET_VGPU_CPU={text}: this CPU does not run it"
        )),
        (_, None) => {
            let levels: Vec<_> = CpuLevel::names(std::env::consts::ARCH).collect();
            Err(format!(
                "OMPTARGET_VGPU_CPU={text}: native or one of {} is needed",
                levels.join(", ")
            ))
        }
    }
}

/// What is left beside memory, heap and stacks in a small window: code, globals, shared memory, bitmaps.
const ROOM_FOR_CODE: u64 = 64 << 20;

/// How long a block may wait on memory where its waits are checked and no time is set.
const WAITS_TOO_LONG: Duration = Duration::from_secs(10);

/// Most multiprocessors. Each takes half a gigabyte of the window for its stacks.
const MAX_SMS: u32 = 512;

/// Most devices. Each has stacks, memory and a heap in the one window.
const MAX_DEVICES: u32 = 16;

/// Least device memory that may be asked for.
const LEAST_BYTES: u64 = 1 << 20;

/// Largest device memory and largest heap. They must fit into the window beside stacks and code.
const MAX_BYTES: u64 = 256 << 30;

fn default_heap(memory: u64) -> u64 {
    (memory / 4).clamp(8 << 20, 8 << 30)
}

fn number(name: &str, text: &str, most: u32) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(count) if (1..=most).contains(&count) => Ok(count),
        _ => Err(format!(
            "{name}={text}: a number from 1 to {most} is needed"
        )),
    }
}

fn bytes(name: &str, text: &str) -> Result<u64, String> {
    match plugin_api::parse_size(text) {
        Some(size) if (LEAST_BYTES..=MAX_BYTES).contains(&size) => Ok(size),
        _ => Err(format!(
            "{name}={text}: a size from 1M to 256G is needed (suffixes k, M, G)"
        )),
    }
}

fn physical_memory() -> u64 {
    let system = rustix::system::sysinfo();
    let bytes = (system.totalram as u64).saturating_mul(system.mem_unit.into());
    bytes.clamp(64 << 20, 2 * MAX_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &'static str) -> Result<Config, String> {
        Config::from_variables(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn sizes_and_counts() {
        assert_eq!(read("OMPTARGET_VGPU_MEMORY", "3G").unwrap().memory, 3 << 30);
        assert_eq!(
            read("OMPTARGET_VGPU_MEMORY", "64MiB").unwrap().heap,
            16 << 20
        );
        assert_eq!(
            read("OMPTARGET_VGPU_HEAP", "2097152").unwrap().heap,
            2 << 20
        );
        assert_eq!(read("OMPTARGET_VGPU_SMS", "5").unwrap().multiprocessors, 5);
        assert_eq!(read("OMPTARGET_VGPU_TIMEOUT", "0").unwrap().timeout, None);
        assert_eq!(
            read("OMPTARGET_VGPU_TIMEOUT", "1.5").unwrap().timeout,
            Some(Duration::from_millis(1500))
        );
        assert!(read("OMPTARGET_VGPU_COUNT", "1").unwrap().count);
        assert!(!read("OMPTARGET_VGPU_COUNT", "0").unwrap().count);
        assert!(read("OMPTARGET_VGPU_THROUGH_PTX", "1").unwrap().through_ptx);
        assert_eq!(Config::detect().engine, Engine::Auto);
        let engine = |name| read("OMPTARGET_VGPU_ENGINE", name).unwrap().engine;
        assert_eq!(engine("fiber"), Engine::Fiber);
        assert_eq!(engine(" workgroup "), Engine::Workgroup);
        assert_eq!(engine("auto"), Engine::Auto);
        let random = read("OMPTARGET_VGPU_SCHEDULE", "random:5").unwrap();
        assert_eq!(random.schedule, Schedule::Random(5));
        assert_eq!(random.multiprocessors, 1);
        let cpu = |name| read("OMPTARGET_VGPU_CPU", name).unwrap().cpu;
        assert_eq!(cpu("native"), None);
        let oldest = CpuLevel::names(std::env::consts::ARCH).next().unwrap();
        assert_eq!(cpu(oldest), CpuLevel::named(oldest));
    }

    #[test]
    fn devices_share_the_machine() {
        let whole = Config {
            multiprocessors: 8,
            memory: 32 << 30,
            ..Config::unlimited()
        };
        let part = whole.clone().share(4);
        assert_eq!(
            (part.devices, part.multiprocessors, part.memory, part.heap),
            (4, 2, 8 << 30, 2 << 30)
        );
        assert_eq!(whole.share(16).multiprocessors, 1);
        assert_eq!(read("OMPTARGET_VGPU_DEVICES", "3").unwrap().devices, 3);
        assert_eq!(Config::detect().devices, 1);
    }

    /// Everything fits, with alignment, whatever the order in which it is placed.
    #[test]
    fn a_small_window_has_room_for_all() {
        let whole = Config {
            multiprocessors: 8,
            memory: 32 << 30,
            heap: 8 << 30,
            ..Config::unlimited()
        };
        for window in [1 << 30, 3 << 29, 5 << 30, 100 << 30] {
            let config = whole.clone().within(window);
            let stacks = u64::from(config.multiprocessors) * STACKS_OF_SM;
            let other = config.memory + config.heap + ROOM_FOR_CODE / 2;
            let used = stacks + other.next_multiple_of(STACKS_OF_SM);
            assert!(used <= window, "{config:?} in {window}");
            assert!(
                config.memory > 256 << 20 && config.heap > 64 << 20,
                "{config:?}"
            );
        }
        assert_eq!(whole.clone().within(1 << 40), whole);
    }

    #[test]
    fn nonsense_is_named() {
        for (name, value) in [
            ("OMPTARGET_VGPU_MEMORY", "much"),
            ("OMPTARGET_VGPU_MEMORY", "99999999999G"),
            ("OMPTARGET_VGPU_MEMORY", "5Q"),
            ("OMPTARGET_VGPU_HEAP", "-1"),
            ("OMPTARGET_VGPU_SMS", "0"),
            ("OMPTARGET_VGPU_DEVICES", "0"),
            ("OMPTARGET_VGPU_DEVICES", "17"),
            ("OMPTARGET_VGPU_TIMEOUT", "NaN"),
            ("OMPTARGET_VGPU_COUNT", "yes"),
            ("OMPTARGET_VGPU_THROUGH_PTX", "sm_80"),
            ("OMPTARGET_VGPU_ENGINE", "fast"),
            ("OMPTARGET_VGPU_ENGINE", ""),
            ("OMPTARGET_VGPU_SCHEDULE", "random"),
            ("OMPTARGET_VGPU_CPU", "x86-64-v9"),
        ] {
            assert!(read(name, value).unwrap_err().contains(name));
        }
    }
}

//! Environment variables, read once at the first use of the runtime. `docs/environment.md` lists
//! them.

use std::env;
use std::path::PathBuf;

use crate::report::info::Info;

/// The settings in the environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `OMP_TARGET_OFFLOAD`, upper case.
    pub target_offload: String,
    /// `OMP_DEFAULT_DEVICE`, used when no host OpenMP library answers.
    pub default_device: Option<i32>,
    /// `OMP_NUM_TEAMS`.
    pub num_teams: Option<u32>,
    /// `OMP_TEAMS_THREAD_LIMIT`.
    pub teams_thread_limit: Option<u32>,
    /// `LIBOMPTARGET_SHARED_MEMORY_SIZE`: dynamic shared memory of every launch, bytes.
    pub shared_memory_size: Option<u32>,
    /// `LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT`.
    pub min_threads_for_low_trip_count: Option<u32>,
    /// `OMPTARGET_DEVICES`: which plugins may offer devices; empty means all.
    pub devices: Vec<String>,
    /// `LIBOMPTARGET_INFO` bits, and those `LIBOMPTARGET_DEBUG` asks for.
    pub info: Info,
    /// `LIBOMPTARGET_DEBUG` is set to something other than 0.
    pub debug: bool,
    /// `LIBOMPTARGET_PROFILE`: the file that gets the timeline.
    pub profile: Option<String>,
    /// `LIBOMPTARGET_PROFILE_GRANULARITY`: shortest span of the timeline, microseconds.
    pub profile_granularity: Option<u32>,
    /// `OMPTARGET_SUMMARY` is set to something other than 0.
    pub summary: bool,
    /// `OMPTARGET_RECORD`: the folder that launches are recorded to.
    pub record: Option<PathBuf>,
    /// `OMPTARGET_RECORD_KERNEL`: a part of the name of the recorded kernel.
    pub record_kernel: String,
    /// `OMPTARGET_RECORD_LAUNCH`: which launch of that kernel.
    pub record_launch: u32,
    /// Warnings about values that were not understood.
    pub complaints: Vec<String>,
}

impl Environment {
    /// Reads the process's environment.
    pub fn read() -> Environment {
        Environment::from(|name| {
            env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    /// Reads variables through `variable`.
    pub fn from(variable: impl Fn(&str) -> Option<String>) -> Environment {
        let mut complaints = Vec::new();
        let mut positive = |name: &str| number(&variable, name, 1, &mut complaints);
        let num_teams = positive("OMP_NUM_TEAMS");
        let teams_thread_limit = positive("OMP_TEAMS_THREAD_LIMIT");
        let record_launch = positive("OMPTARGET_RECORD_LAUNCH").unwrap_or(1);
        // 0 means the default.
        let mut or_default =
            |name: &str| number(&variable, name, 0, &mut complaints).filter(|value| *value > 0);
        let shared_memory_size = or_default("LIBOMPTARGET_SHARED_MEMORY_SIZE");
        let min_threads_for_low_trip_count =
            or_default("LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT");
        let profile_granularity = or_default("LIBOMPTARGET_PROFILE_GRANULARITY");
        let every_bit = variable("LIBOMPTARGET_INFO").is_some_and(|text| text.trim() == "-1");
        let info = if every_bit {
            Info::all()
        } else {
            let bits = number(&variable, "LIBOMPTARGET_INFO", 0, &mut complaints);
            Info::from_bits_retain(bits.unwrap_or(0))
        };
        let text = |name: &str| {
            variable(name)
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let debug = text("LIBOMPTARGET_DEBUG").filter(|value| value != "0");
        Environment {
            target_offload: text("OMP_TARGET_OFFLOAD")
                .unwrap_or_default()
                .to_ascii_uppercase(),
            default_device: text("OMP_DEFAULT_DEVICE").and_then(|value| value.parse().ok()),
            num_teams,
            teams_thread_limit,
            shared_memory_size,
            min_threads_for_low_trip_count,
            devices: text("OMPTARGET_DEVICES")
                .map(|list| device_families::names(&list))
                .unwrap_or_default(),
            info: info | debug.as_deref().map_or(Info::empty(), info_of_debug),
            debug: debug.is_some(),
            profile: text("LIBOMPTARGET_PROFILE"),
            profile_granularity,
            summary: text("OMPTARGET_SUMMARY").is_some_and(|value| value != "0"),
            record: text("OMPTARGET_RECORD").map(PathBuf::from),
            record_kernel: text("OMPTARGET_RECORD_KERNEL").unwrap_or_default(),
            record_launch,
            complaints,
        }
    }
}

/// The `LIBOMPTARGET_INFO` bits that a `LIBOMPTARGET_DEBUG` includes: all bits for a level, otherwise those of the
/// listed kinds. The words are those of LLVM 21 and 22 (`ODT_…` in its Shared/Debug.h), also as `kind:level`. Kinds
/// without bits have debug lines only.
fn info_of_debug(text: &str) -> Info {
    if text.parse::<i64>().is_ok() {
        return Info::all();
    }
    let kind = |word: &str| {
        let word = word.split(':').next().unwrap_or("").trim();
        match word.to_ascii_lowercase().as_str() {
            "all" => Info::all(),
            "kernel" => Info::KERNEL_ARGS | Info::PLUGIN_KERNEL,
            "kernelargs" => Info::KERNEL_ARGS,
            "pluginkernel" => Info::PLUGIN_KERNEL,
            "map" | "mapping" => {
                Info::MAPPING_EXISTS
                    | Info::MAPPING_CHANGED
                    | Info::DUMP_TABLE
                    | Info::EMPTY_MAPPING
            }
            "mappingexists" => Info::MAPPING_EXISTS,
            "mappingchanged" => Info::MAPPING_CHANGED,
            "dumptable" => Info::DUMP_TABLE,
            "emptymapping" => Info::EMPTY_MAPPING,
            "copy" | "datatransfer" => Info::DATA_TRANSFER,
            _ => Info::empty(),
        }
    };
    text.split(',').map(kind).collect()
}

/// A number of at least `least`, decimal or `0x…`. Anything else is a complaint.
fn number(
    variable: &impl Fn(&str) -> Option<String>,
    name: &str,
    least: u32,
    complaints: &mut Vec<String>,
) -> Option<u32> {
    let text = variable(name)?;
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let understood = parsed.ok().filter(|value| *value >= least);
    if understood.is_none() {
        complaints.push(format!(
            "{name}={text} is not a number from {least} to {} and is ignored",
            u32::MAX
        ));
    }
    understood
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Environment {
        Environment::from(|name| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn numbers_and_lists() {
        let read = with(&[
            ("OMP_NUM_TEAMS", " 12 "),
            ("LIBOMPTARGET_INFO", "0x21"),
            ("OMPTARGET_DEVICES", "VGPU, cuda"),
            ("OMP_TARGET_OFFLOAD", "mandatory"),
            ("LIBOMPTARGET_DEBUG", "0"),
        ]);
        assert_eq!(read.num_teams, Some(12));
        assert_eq!(read.info.bits(), 0x21);
        assert_eq!(read.devices, ["vgpu", "cuda"]);
        assert_eq!(read.target_offload, "MANDATORY");
        assert!(!read.debug);
        assert!(read.complaints.is_empty());
        assert_eq!(with(&[("LIBOMPTARGET_INFO", "-1")]).info.bits(), u32::MAX);
    }

    #[test]
    fn debugging_includes_information() {
        let info = |value| with(&[("LIBOMPTARGET_DEBUG", value), ("LIBOMPTARGET_INFO", "2")]);
        assert_eq!(info("1").info.bits(), u32::MAX);
        assert_eq!(info("0").info.bits(), 2);
        let read = info("Init, DataTransfer:2");
        assert!(read.debug);
        assert_eq!(read.info, Info::DATA_TRANSFER | Info::MAPPING_EXISTS);
        assert_eq!(info("kernel,map").info.bits(), 0x5f);
    }

    #[test]
    fn nonsense_is_complained_about() {
        let read = with(&[("OMP_NUM_TEAMS", "many")]);
        assert_eq!(read.num_teams, None);
        assert_eq!(read.complaints.len(), 1);
        for value in ["-4", "-1", "0", "99999999999", "0x", "0x100000000", "1.5"] {
            let read = with(&[("OMP_NUM_TEAMS", value)]);
            assert_eq!(read.num_teams, None, "{value}");
            assert!(read.complaints[0].contains(value), "{value}");
        }
    }
}

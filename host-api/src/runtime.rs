//! The runtime of the process: policy, devices, registered programs.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use device_families::{Absence, Family, families, unknown};
use parking_lot::Mutex;
use plugin_api::{Device, Plugin};

use crate::device::offload_policy::OffloadPolicy;
use crate::device::omp_device::{OmpDevice, Target};
use crate::device::program;
use crate::device::registry::Registry;
use crate::environment::Environment;
use crate::fork;
use crate::host_library;
use crate::ompt;
use crate::recording::request::{self, Recording};
use crate::report::error::{Error, Result, warn};
use crate::report::info;
use crate::report::logger;
use crate::report::source_location::SourceLocation;
use crate::trace;

/// The state that the entry points share.
pub struct Runtime {
    /// The environment at the first use of the library.
    pub environment: Environment,
    /// `OMP_TARGET_OFFLOAD`.
    pub policy: OffloadPolicy,
    /// Registered programs.
    pub registry: Registry,
    /// Set once, when devices are found.
    devices: OnceLock<Vec<OmpDevice>>,
    discovery: Mutex<Option<u64>>,
    families: OnceLock<Vec<Family>>,
    warned: AtomicBool,
    recording: Recording,
}

/// The process's runtime.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let environment = Environment::read();
        environment
            .complaints
            .iter()
            .for_each(|complaint| warn(complaint));
        info::set_level(environment.info);
        info::set_debug(environment.debug);
        logger::install();
        trace::start(&environment);
        let policy =
            OffloadPolicy::parse(&environment.target_offload).unwrap_or_else(|complaint| {
                warn(&complaint);
                OffloadPolicy::Default
            });
        Runtime::new(environment, policy)
    })
}

/// Warns that the virtual GPU stands in although there is a real GPU.
fn report_passed_over(reasons: &[String]) {
    if !reasons.is_empty() {
        warn(&format_args!(
            "no device image of this program can be used on the GPU:{}; target regions run on the virtual GPU\n  \
             hint: compile for the GPU's architecture, or set OMPTARGET_DEVICES=vgpu to choose the virtual GPU",
            reasons.concat()
        ));
    }
}

/// What a tool may ask about a device.
fn tool_device(device: &OmpDevice) -> ompt::ToolDevice {
    ompt::ToolDevice {
        name: CString::new(device.name()).unwrap_or_default(),
        multiprocessors: device.device.info().multiprocessors,
    }
}

/// The plugin of a family, if it can be used. If not, the log or a warning says why, once.
fn plugin(family: &Family) -> Option<&Arc<dyn Plugin>> {
    let report = |absence: &Absence| match absence {
        Absence::Usual(why) => info::debug(format_args!("{}: {why}", family.name())),
        Absence::Unusual(why) => warn(why),
    };
    Some(&family.open(report).ok()?.plugin)
}

/// Why a family has no devices, if that is known and no reason for a warning.
fn usual_absence(family: &Family) -> Option<String> {
    match family.absence()? {
        Absence::Usual(why) => Some(format!("{}: {why}", family.name())),
        Absence::Unusual(_) => None,
    }
}

impl Runtime {
    /// A runtime that has found no devices yet.
    pub fn new(environment: Environment, policy: OffloadPolicy) -> Runtime {
        Runtime {
            environment,
            policy,
            registry: Registry::default(),
            devices: OnceLock::new(),
            discovery: Mutex::new(None),
            families: OnceLock::new(),
            warned: AtomicBool::new(false),
            recording: Recording::default(),
        }
    }

    /// The devices, found at the first call. If there are none, the search is repeated after another program has
    /// registered.
    pub fn devices(&self) -> &[OmpDevice] {
        match self.devices.get() {
            Some(devices) => devices,
            None if self.policy == OffloadPolicy::Disabled => &[],
            None => self.search(),
        }
    }

    /// The devices that have been found so far.
    pub fn devices_found(&self) -> &[OmpDevice] {
        self.devices.get().map_or(&[], |devices| devices)
    }

    /// Starts recording on device `number`, in `memory` bytes of it (0: a quarter of its memory).
    pub fn begin_recording(&self, number: i64, memory: u64) -> Result<()> {
        let number = self.resolve(number);
        {
            // Locked, so that no device is found meanwhile.
            let _searched = self.discovery.lock();
            let in_use = self.devices.get().is_some();
            self.recording
                .activate(&self.environment, in_use, number, memory)?;
        }
        let total = self.device(number)?.device.info().total_memory;
        request::check_memory(memory, total)
    }

    fn search(&self) -> &[OmpDevice] {
        let generation = self.registry.generation();
        let mut searched = self.discovery.lock();
        if self.devices.get().is_none() && *searched != Some(generation) {
            let found = self.discover();
            if !found.is_empty() {
                ompt::set_devices(found.iter().map(tool_device).collect());
                // Nobody else sets it, because the lock is held.
                self.devices.get_or_init(|| found);
                fork::watch();
            }
            *searched = Some(generation);
        }
        self.devices_found()
    }

    /// The devices of all plugins that can run at least one registered image. A device that can run nothing must not
    /// count: programs would map data to it and then compute on the host. If no program has images, the devices of the
    /// first plugin: such a program can only allocate and copy. The virtual GPU stands in for GPUs and is left out
    /// where there are other devices: it shares the host's cores, so it must not get a share of the work that a program
    /// spreads over all devices.
    fn discover(&self) -> Vec<OmpDevice> {
        let libraries = self.registry.libraries();
        let has_images = libraries.iter().any(|library| !library.images.is_empty());
        let unified = self.registry.unified_shared_memory();
        let mut found = Vec::new();
        let mut passed_over = Vec::new();
        for family in self.families() {
            if !found.is_empty() && (family.stands_in() || !has_images) {
                continue;
            }
            let Some(plugin) = plugin(family) else {
                continue;
            };
            for (index, device) in plugin.devices().into_iter().enumerate() {
                let takes_one = |library| program::accepted_image(&*device, library).is_some();
                let usable = !has_images || libraries.iter().map(|each| &**each).any(takes_one);
                info::debug(format_args!(
                    "{} device {index}: {}, usable: {usable}",
                    plugin.name(),
                    device.info().name
                ));
                if !usable && !family.stands_in() {
                    passed_over.extend(self.refusals(&*device));
                }
                if usable && family.stands_in() {
                    report_passed_over(&passed_over);
                }
                if usable {
                    let device = self
                        .recording
                        .device(&self.environment, found.len(), device);
                    let uid =
                        CString::new(format!("{}-{index}", plugin.name())).unwrap_or_default();
                    found.push(OmpDevice::new(found.len(), uid, device, unified));
                }
            }
        }
        if found.is_empty() && has_images && !self.warned.swap(true, Ordering::Relaxed) {
            self.report_refusals();
        }
        found
    }

    /// The families of devices that `OMPTARGET_DEVICES` allows.
    fn families(&self) -> &[Family] {
        self.families.get_or_init(|| {
            let wanted = &self.environment.devices;
            if let Some(complaint) = unknown(wanted) {
                warn(&complaint);
            }
            families(wanted)
        })
    }

    fn report_refusals(&self) {
        if self.policy == OffloadPolicy::Default {
            let why = self.why_no_device();
            warn(&format_args!(
                "{why}; target regions run on the host\n  hint: OMP_TARGET_OFFLOAD=MANDATORY makes this an error"
            ));
        }
    }

    /// Warns once that regions run on the host although there is a device.
    pub fn warn_host_fallback(&self, error: &Error, location: &SourceLocation) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            let hint = error
                .hint()
                .map(|hint| format!("\n  hint: {hint}"))
                .unwrap_or_default();
            warn(&format_args!(
                "{error}; the target region at {location} runs on the host{hint}"
            ));
        }
    }

    /// Why there is no device.
    pub fn why_no_device(&self) -> String {
        if self.policy == OffloadPolicy::Disabled {
            return "OMP_TARGET_OFFLOAD=DISABLED".into();
        }
        let mut reasons = Vec::new();
        let families = self.families();
        for plugin in families.iter().filter_map(plugin) {
            for device in plugin.devices() {
                reasons.extend(self.refusals(&*device));
                // Devices of one kind give the same reason.
                reasons.dedup();
            }
        }
        let absences = families.iter().filter_map(usual_absence);
        if reasons.is_empty() {
            let list = self.environment.devices.join(",");
            let narrowed = if list.is_empty() {
                String::new()
            } else {
                format!(" (OMPTARGET_DEVICES={list})")
            };
            let absences: Vec<_> = absences.map(|why| format!("; {why}")).collect();
            return format!("no device is available{narrowed}{}", absences.concat());
        }
        reasons.extend(absences.map(|why| format!("\n  {why}")));
        format!(
            "no device image of this program can be used:{}",
            reasons.concat()
        )
    }

    /// Why the device refuses the registered images, one line each.
    fn refusals(&self, device: &dyn Device) -> Vec<String> {
        let libraries = self.registry.libraries();
        let refused = libraries
            .iter()
            .flat_map(|library| program::refusals(device, library));
        refused
            .map(|reason| format!("\n  {}: {reason}", device.info().name))
            .collect()
    }

    /// OpenMP's number of the host: one past the last device.
    pub fn initial_device(&self) -> i32 {
        i32::try_from(self.devices().len()).unwrap_or(i32::MAX)
    }

    /// The target of a construct with this `device` clause (-1: no clause). A device has everything registered loaded.
    pub fn target(&self, number: i64) -> Result<Target<'_>> {
        let devices = self.devices();
        if devices.is_empty() {
            return match self.policy {
                OffloadPolicy::Mandatory => Err(Error::Mandatory {
                    why: self.why_no_device(),
                }),
                _ => Ok(Target::Host),
            };
        }
        let number = self.resolve(number);
        if number == devices.len() as i64 || number == -1 {
            return Ok(Target::Host);
        }
        self.loaded(number)
    }

    /// The target of a routine with this device number. -1 and the number past the last device are the host.
    pub fn routine_target(&self, number: i32) -> Result<Target<'_>> {
        if number == self.initial_device() || number == -1 {
            return Ok(Target::Host);
        }
        self.loaded(number.into())
    }

    /// The device with this number, with everything registered loaded.
    fn loaded(&self, number: i64) -> Result<Target<'_>> {
        let device = self.device(number)?;
        if !device.program.is_current(&self.registry) {
            // Connect before anything happens on a device, but not earlier: libomp asks for the number of devices while
            // it initialises, when it is not ready for tools.
            ompt::connect();
            ompt::devices_are_used();
            if device.device.info().shares_cpus {
                host_library::share_cpus();
            }
            let device_count = self.devices().len();
            let target = device.load_target();
            device
                .program
                .load_registered(&target, &self.registry, device_count)?;
        }
        Ok(Target::Device(device))
    }

    /// The device number that a construct means. -1 is the calling thread's default device.
    pub fn resolve(&self, number: i64) -> i64 {
        if number == -1 {
            i64::from(self.default_device())
        } else {
            number
        }
    }

    /// The device with this number, regardless of what it has loaded.
    pub fn device(&self, number: i64) -> Result<&OmpDevice> {
        let devices = self.devices();
        if fork::happened() {
            return Err(Error::Forked);
        }
        usize::try_from(number)
            .ok()
            .and_then(|index| devices.get(index))
            .ok_or(Error::NoSuchDevice {
                number,
                available: devices.len(),
            })
    }

    fn default_device(&self) -> i32 {
        host_library::default_device()
            .or(self.environment.default_device)
            .unwrap_or(0)
    }
}

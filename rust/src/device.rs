//! Devices, and where they come from.

use std::fmt;
use std::sync::{Arc, OnceLock};

use bytemuck::Pod;
use device_families::{Absence, Family, VARIABLE, families, judge, names, unknown};
use device_image::Image;
use plugin_api::{DeviceInfo, LoadOptions, preferred_image};

use crate::{Buffer, Error, Module, Result, Stream};

/// A device. Clones stand for the same one.
#[derive(Clone)]
pub struct Device {
    pub(crate) raw: Arc<dyn plugin_api::Device>,
    family: &'static str,
    index: usize,
}

/// The families that `OMPTARGET_DEVICES` allows. They are opened once: a device keeps what it has learnt.
fn allowed() -> Result<&'static [Family]> {
    static FAMILIES: OnceLock<std::result::Result<Vec<Family>, String>> = OnceLock::new();
    let found = FAMILIES.get_or_init(|| {
        let wanted = names(&std::env::var(VARIABLE).unwrap_or_default());
        match unknown(&wanted) {
            Some(complaint) => Err(complaint),
            None => Ok(families(&wanted)),
        }
    });
    match found {
        Ok(families) => Ok(families),
        Err(complaint) => Err(Error::Setting(complaint.clone())),
    }
}

/// Logs why a family that every machine should have is not there.
fn report(absence: &Absence) {
    match absence {
        Absence::Usual(why) => log::debug!("{why}"),
        Absence::Unusual(why) => log::warn!("{why}"),
    }
}

/// The reasons why families have no devices, and why there are not more families.
fn absences(families: &[Family]) -> Vec<String> {
    let narrowed = std::env::var(VARIABLE).ok().filter(|list| !list.is_empty());
    let narrowed = narrowed.map(|list| format!("{VARIABLE}={list} allows no others"));
    let absent = families
        .iter()
        .filter_map(|family| Some((family.name(), family.absence()?)));
    absent
        .map(|(name, absence)| format!("{name}: {}", absence.why()))
        .chain(narrowed)
        .collect()
}

/// The family of the host as a device.
const HOST: &str = "host";

/// Why the host as a device loads nothing here. To open a shared object runs whatever it has: no safe function may do
/// that.
const NO_KERNELS: &str =
    "the host as a device has memory for Rust programs, and runs no kernels of theirs";

/// Every device: GPUs, the virtual GPU, and the host as a device, which has memory only. `OMPTARGET_DEVICES` narrows
/// the list.
///
/// The virtual GPU works with the host's processors. [`device_for`] prefers GPUs: it takes the virtual GPU where there
/// is none.
pub fn devices() -> Result<Vec<Device>> {
    let families = allowed()?;
    let mut devices = Vec::new();
    for family in families {
        let Ok(opened) = family.open(report) else {
            continue;
        };
        let numbered = opened.plugin.devices().into_iter().enumerate();
        devices.extend(numbered.map(|(index, raw)| Device {
            raw,
            family: family.name(),
            index,
        }));
    }
    match devices.is_empty() {
        true => Err(Error::NoDevice {
            reasons: absences(families),
        }),
        false => Ok(devices),
    }
}

/// The first device that runs an image: a GPU, else the virtual GPU.
pub fn device_for(image: &[u8]) -> Result<Device> {
    let images = Image::parse(image)?;
    let families = allowed()?;
    for family in families {
        // The opening's result is kept; the log hears of an absence.
        let _ = family.open(report);
    }
    let mut reasons = Vec::new();
    for verdict in judge(families, &images) {
        match verdict.image {
            Ok(_) if verdict.family == HOST => reasons.push(NO_KERNELS.to_owned()),
            Ok(_) => {
                return Ok(Device {
                    raw: verdict.device,
                    family: verdict.family,
                    index: verdict.index,
                });
            }
            Err(why) => reasons.push(format!("{}: {why}", verdict.device.info().name)),
        }
    }
    // Devices of one kind give the same reason.
    reasons.dedup();
    reasons.extend(absences(families));
    Err(Error::NoDevice { reasons })
}

impl Device {
    /// What the device is, and its limits.
    pub fn info(&self) -> &DeviceInfo {
        self.raw.info()
    }

    /// Its name for people, e.g. `virtual GPU (2 SMs)`.
    pub fn name(&self) -> &str {
        &self.info().name
    }

    /// The name of its family in `OMPTARGET_DEVICES`: `cuda`, `amdgpu`, `vgpu`, `host`.
    pub fn family(&self) -> &'static str {
        self.family
    }

    /// Its number in the family.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Loads an image: bitcode, PTX, machine code, or several of these in clang's container. Bitcode is compiled, or
    /// taken from the user's cache. The device chooses among several.
    pub fn load(&self, image: &[u8]) -> Result<Module> {
        let images = Image::parse(image)?;
        if self.family == HOST {
            return Err(Error::Refused {
                device: self.name().to_owned(),
                reasons: vec![NO_KERNELS.to_owned()],
            });
        }
        let refusals = || images.iter().filter_map(|image| self.raw.refusal(image));
        let chosen =
            preferred_image(&*self.raw, images.iter().cloned()).ok_or_else(|| Error::Refused {
                device: self.name().to_owned(),
                reasons: refusals()
                    .map(|why| format!("the image is {why}"))
                    .collect(),
            })?;
        let module = self
            .raw
            .load(&chosen, &LoadOptions::default())
            .map_err(Error::device("loading a device image"))?;
        Ok(Module::new(self.clone(), module))
    }

    /// A buffer with a copy of `elements`.
    pub fn buffer<T: Pod>(&self, elements: &[T]) -> Result<Buffer<T>> {
        let mut buffer = Buffer::allocate(self, elements.len())?;
        buffer.write(elements)?;
        Ok(buffer)
    }

    /// A buffer of `count` elements whose bytes are 0.
    pub fn zeroed<T: Pod>(&self, count: usize) -> Result<Buffer<T>> {
        let mut buffer = Buffer::allocate(self, count)?;
        buffer.zero()?;
        Ok(buffer)
    }

    /// A new stream. Making one may be slow; keep it.
    pub fn stream(&self) -> Result<Stream> {
        Stream::new(self)
    }

    pub(crate) fn is(&self, other: &Device) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.raw), Arc::as_ptr(&other.raw))
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.family, self.index, self.name())
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.is(other)
    }
}

impl Eq for Device {}

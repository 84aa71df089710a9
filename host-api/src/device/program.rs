//! What a device has loaded: the images of the registered libraries, their kernels by region id, and their `declare
//! target` variables in the mapping table.

use std::collections::HashMap;
use std::collections::hash_map::Entry::Vacant;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use device_image::Image;
use parking_lot::Mutex;
use plugin_api::{Device, DevicePtr, LoadOptions, MemoryKind, Module, preferred_image};

use crate::check::variables;
use crate::device::device_runtime::DeviceRuntime;
use crate::device::entries::{Entry, EntryFlags};
use crate::device::kernel_environment::KernelEnvironment;
use crate::device::regions::{PaddedRegion, Region, Regions};
use crate::device::registry::{Library, Registry};
use crate::mapping::mapped_range::{Mapping, Storage};
use crate::mapping::table::MappingTable;
use crate::ompt;
use crate::report::error::{Error, Result};
use crate::trace::{self, Kind};

/// The part of a device that loading and unloading use.
pub struct LoadTarget<'a> {
    /// Its OpenMP device number.
    pub number: usize,
    /// The device itself.
    pub device: &'a dyn Device,
    /// Its mapping table, which gets the `declare target` variables.
    pub table: &'a MappingTable,
    /// Whether host memory is used in place.
    pub unified_shared_memory: bool,
}

impl LoadTarget<'_> {
    fn name(&self) -> &str {
        &self.device.info().name
    }
}

/// A library that was withdrawn and must still be unloaded.
#[must_use]
pub struct Withdrawn {
    library: usize,
    loaded: Loaded,
}

/// What a device has of one library.
struct Loaded {
    module: Arc<dyn Module>,
    regions: Vec<u64>,
    variables: Vec<u64>,
    indirect_table: Option<DevicePtr>,
}

/// The images a device has loaded.
pub struct Program {
    seen: AtomicU64,
    loaded: Mutex<HashMap<usize, Option<Loaded>>>,
    regions: Regions,
}

/// A number that is no generation of the registry.
const NONE: u64 = u64::MAX;

impl Default for Program {
    fn default() -> Program {
        Program {
            seen: AtomicU64::new(NONE),
            loaded: Mutex::default(),
            regions: Regions::default(),
        }
    }
}

impl Program {
    /// Whether everything registered is loaded.
    pub fn is_current(&self, registry: &Registry) -> bool {
        self.seen.load(Ordering::Acquire) == registry.generation()
    }

    /// Loads everything registered since the last call on `device`. There are `device_count` devices.
    pub fn load_registered(
        &self,
        device: &LoadTarget<'_>,
        registry: &Registry,
        device_count: usize,
    ) -> Result<()> {
        let generation = registry.generation();
        let mut loaded = self.loaded.lock();
        for library in registry.libraries() {
            if let Vacant(place) = loaded.entry(library.id) {
                place.insert(self.load(device, &library, device_count)?);
            }
        }
        self.seen.store(generation, Ordering::Release);
        Ok(())
    }

    /// The region with this id.
    pub fn region(&self, id: u64) -> Option<Arc<PaddedRegion>> {
        self.regions.get(id)
    }

    /// Withdraws a library: no region of it starts any more. The caller unloads it when the running ones have ended.
    /// Returns `None` if the device has nothing of it.
    pub fn withdraw(&self, library: usize) -> Option<Withdrawn> {
        let loaded = self.loaded.lock().remove(&library)??;
        self.regions.remove(&loaded.regions);
        Some(Withdrawn { library, loaded })
    }

    /// Returns `None` if no image of the library is for this device.
    fn load(
        &self,
        device: &LoadTarget<'_>,
        library: &Library,
        device_count: usize,
    ) -> Result<Option<Loaded>> {
        let Some(image) = accepted_image(device.device, library) else {
            return Ok(None);
        };
        let options = LoadOptions {
            unified_shared_memory: device.unified_shared_memory,
        };
        let span = trace::span(Kind::Load, device.number, image.bytes.len() as u64, || {
            format!("image for {}", device.name())
        });
        let module = device.device.load(&image, &options).map_err(Error::Load)?;
        drop(span);
        trace::stages(device.number, module.stages());
        ompt::image_loaded(device.number, library.id, image.bytes);
        let mut share = Loaded {
            module,
            regions: Vec::new(),
            variables: Vec::new(),
            indirect_table: None,
        };
        for entry in library
            .entries
            .iter()
            .filter(|entry| entry.size > 0 && !is_indirect(entry))
        {
            if associate_variable(device, &*share.module, entry)? {
                share.variables.push(entry.address);
            }
        }
        let translated = translations(device, &*share.module, library)?;
        for entry in library.entries.iter().filter(|entry| is_function(entry)) {
            let found = translated.binary_search_by_key(&entry.address, |pair| pair.0);
            if let Ok(index) = found
                && associate_function(device, entry, DevicePtr(translated[index].1))
            {
                share.variables.push(entry.address);
            }
        }
        share.indirect_table =
            write_device_environment(device, &*share.module, &translated, device_count)?;
        for entry in library.entries.iter().filter(|entry| entry.is_region()) {
            let region = resolve_region(device, &*share.module, entry)?;
            self.regions.insert(entry.address, &region);
            share.regions.push(entry.address);
        }
        Ok(Some(share))
    }
}

impl Withdrawn {
    /// Unloads the library: its module's destructors run, its variables leave the mapping table.
    pub fn unload(self, device: &LoadTarget<'_>) -> Result<()> {
        for address in &self.loaded.variables {
            // It is an error of the program if a construct still uses the variable. The association then stays.
            let _gone = device.table.disassociate(*address);
            variables::dissociated(device.number, *address);
        }
        drop(self.loaded.module);
        ompt::image_dropped(device.number, self.library);
        let Some(table) = self.loaded.indirect_table else {
            return Ok(());
        };
        device.device.free(table).map_err(|source| Error::Device {
            what: "freeing the table of indirect functions".into(),
            source,
        })
    }
}

/// Whether the entry is a function that the host may point at.
fn is_function(entry: &Entry) -> bool {
    entry.flags.contains(EntryFlags::INDIRECT)
}

fn is_indirect(entry: &Entry) -> bool {
    entry
        .flags
        .intersects(EntryFlags::INDIRECT | EntryFlags::INDIRECT_VTABLE)
}

/// The library's image that the device prefers; the first of several equal ones.
pub fn accepted_image(device: &dyn Device, library: &Library) -> Option<Image<'static>> {
    let containers = library.images.iter();
    let images = containers.flat_map(|bytes| Image::parse(bytes).unwrap_or_default());
    preferred_image(device, images)
}

/// Why the device refused each of the library's images.
pub fn refusals(device: &dyn Device, library: &Library) -> Vec<String> {
    let mut reasons = Vec::new();
    for (index, bytes) in library.images.iter().enumerate() {
        match Image::parse(bytes) {
            Err(error) => reasons.push(format!("image {index}: {error}")),
            Ok(images) => {
                let refused = images.iter().filter_map(|image| device.refusal(image));
                reasons.extend(refused.map(|why| format!("image {index} is {why}")));
            }
        }
    }
    reasons
}

/// Why the device has no region with this id.
pub fn missing_region(device: &dyn Device, registry: &Registry, id: u64) -> Error {
    let libraries = registry.libraries();
    let library = libraries
        .iter()
        .find(|library| library.entries.iter().any(|entry| entry.address == id));
    match library {
        None => Error::UnknownRegion { region: id },
        Some(library) => Error::NoImage {
            device: device.info().name.clone(),
            why: refusals(device, library).join("; "),
        },
    }
}

/// Whether the entry is a reference pointer to a variable. clang makes one for `declare target link` and, where memory
/// is shared, for every other `declare target` variable. Only its name identifies the latter.
fn is_reference(entry: &Entry) -> bool {
    entry.flags.contains(EntryFlags::LINK) || entry.name.ends_with("_decl_tgt_ref_ptr")
}

/// Adds a `declare target` variable to the mapping table for good. Returns false if the image does not define it
/// because nothing on the device uses it.
fn associate_variable(device: &LoadTarget<'_>, module: &dyn Module, entry: &Entry) -> Result<bool> {
    let Some(global) = module.global(&entry.name) else {
        return Ok(false);
    };
    if device.unified_shared_memory && is_reference(entry) {
        // The reference pointer on the device points at the variable that both sides share.
        // SAFETY: the host's reference pointer, `size` bytes.
        let written = unsafe {
            device.device.write(
                global.address,
                entry.address as *const u8,
                entry.size as usize,
            )
        };
        written.map_err(|source| Error::Device {
            what: format!("initialising {}", entry.name),
            source,
        })?;
    }
    let host = entry.address..entry.address + entry.size;
    let mapping = Mapping::new(
        host,
        entry.address,
        global.address,
        Storage::Foreign,
        &entry.name,
    );
    // Two libraries with the same weak variable share its host address. The first one wins.
    let is_first = device.table.associate(mapping).is_ok();
    if is_first && !is_reference(entry) {
        variables::associated(device.number, device.device, entry, global.address);
    }
    Ok(is_first)
}

/// Adds a function to the mapping table, so that a pointer to it that a construct passes becomes the device's (OpenMP
/// 5.2, §5.8.6: as with a pointer to mapped storage). Returns false if it is there already.
fn associate_function(device: &LoadTarget<'_>, entry: &Entry, target: DevicePtr) -> bool {
    let place = entry.address..entry.address + 1;
    let (storage, name) = (Storage::Foreign, &entry.name);
    let mapping = Mapping::new(place, entry.address, target, storage, name);
    device.table.associate(mapping).is_ok()
}

fn resolve_region(device: &LoadTarget<'_>, module: &dyn Module, entry: &Entry) -> Result<Region> {
    let name = entry.name.clone();
    let kernel = module.kernel(&name).ok_or_else(|| Error::MissingSymbol {
        what: "kernel",
        name: entry.name.clone(),
    })?;
    let environment = kernel_environment(device, module, &name)?;
    Ok(Region {
        name,
        kernel,
        environment,
        device_runtime: DeviceRuntime::of(module),
        warned_of_cut: Arc::default(),
    })
}

fn kernel_environment(
    device: &LoadTarget<'_>,
    module: &dyn Module,
    kernel: &str,
) -> Result<KernelEnvironment> {
    if let Some(bytes) = read_global(device, module, &format!("{kernel}_kernel_environment"))? {
        return KernelEnvironment::parse(&bytes).ok_or_else(|| Error::Launch {
            kernel: kernel.into(),
            why: "its kernel environment is malformed".into(),
        });
    }
    let mode = read_global(device, module, &format!("{kernel}_exec_mode"))?;
    // A kernel without either uses no device runtime.
    let byte = mode.and_then(|bytes| bytes.first().copied()).unwrap_or(0);
    KernelEnvironment::of_mode(byte).ok_or_else(|| Error::Launch {
        kernel: kernel.into(),
        why: format!("its execution mode is {byte}"),
    })
}

fn read_global(
    device: &LoadTarget<'_>,
    module: &dyn Module,
    name: &str,
) -> Result<Option<Vec<u8>>> {
    let Some(global) = module.global(name) else {
        return Ok(None);
    };
    let mut bytes = vec![0u8; (global.size as usize).min(KernelEnvironment::SIZE)];
    // SAFETY: `bytes` is writable for its length.
    unsafe {
        device
            .device
            .read(bytes.as_mut_ptr(), global.address, bytes.len())
    }
    .map_err(|source| Error::Device {
        what: format!("reading {name}"),
        source,
    })?;
    Ok(Some(bytes))
}

/// Writes the environment of the image's device runtime: the device number and the table that translates host function
/// pointers (docs/abi.md, "Device globals"). Returns the table's address.
fn write_device_environment(
    device: &LoadTarget<'_>,
    module: &dyn Module,
    pairs: &[(u64, u64)],
    device_count: usize,
) -> Result<Option<DevicePtr>> {
    let Some(global) = module
        .global("__omp_rtl_device_environment")
        .filter(|global| global.size >= 48)
    else {
        return Ok(None);
    };
    let fail = |source| Error::Device {
        what: "describing the device to its runtime".into(),
        source,
    };
    let table = if pairs.is_empty() {
        DevicePtr::NULL
    } else {
        let bytes: Vec<u8> = pairs
            .iter()
            .flat_map(|(host, target)| [host.to_le_bytes(), target.to_le_bytes()])
            .flatten()
            .collect();
        let table = device
            .device
            .alloc(bytes.len() as u64, MemoryKind::Device)
            .map_err(fail)?;
        // SAFETY: `bytes` is readable for its length.
        unsafe { device.device.write(table, bytes.as_ptr(), bytes.len()) }.map_err(fail)?;
        table
    };
    let mut environment = [0u8; 48];
    // Fields that the host does not know keep the image's values.
    // SAFETY: `environment` is writable for its length.
    unsafe {
        device
            .device
            .read(environment.as_mut_ptr(), global.address, environment.len())
    }
    .map_err(fail)?;
    environment[4..8].copy_from_slice(&(device_count as u32).to_le_bytes());
    environment[8..12].copy_from_slice(&(device.number as u32).to_le_bytes());
    let clock_frequency = device.device.info().clock_frequency;
    if clock_frequency != 0 {
        environment[16..24].copy_from_slice(&clock_frequency.to_le_bytes());
    }
    environment[24..32].copy_from_slice(&table.0.to_le_bytes());
    environment[32..40].copy_from_slice(&(pairs.len() as u64).to_le_bytes());
    environment[40..48]
        .copy_from_slice(&u64::from(device.device.info().multiprocessors).to_le_bytes());
    // SAFETY: `environment` is readable for its length.
    unsafe {
        device
            .device
            .write(global.address, environment.as_ptr(), environment.len())
    }
    .map_err(fail)?;
    Ok((table != DevicePtr::NULL).then_some(table))
}

/// Host and device address of everything that the device runtime translates, sorted by host address: functions, and
/// the words of tables of virtual functions, at some of which objects point. The image has a variable with the entry's
/// name that holds the device address.
fn translations(
    device: &LoadTarget<'_>,
    module: &dyn Module,
    library: &Library,
) -> Result<Vec<(u64, u64)>> {
    let mut pairs = Vec::new();
    for entry in library.entries.iter().filter(|entry| is_indirect(entry)) {
        if let Some(bytes) = read_global(device, module, &entry.name)?
            && let Some(word) = bytes.first_chunk::<8>()
        {
            let target = u64::from_le_bytes(*word);
            let bytes = match entry.flags.contains(EntryFlags::INDIRECT_VTABLE) {
                true => entry.size,
                false => 1,
            };
            let offsets = (0..bytes).step_by(size_of::<u64>());
            pairs.extend(offsets.map(|offset| (entry.address + offset, target + offset)));
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}

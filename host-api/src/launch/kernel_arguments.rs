//! A kernel's parameters: device addresses of mapped items, values, and private storage.

use plugin_api::{DevicePtr, MemoryKind};
use smallvec::{SmallVec, smallvec};

use crate::construct::device_work::{DeviceWork, OnCompletion};
use crate::device::omp_device::OmpDevice;
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::mapping::table::Section;
use crate::ompt::{self, Operation, Side};
use crate::report::error::{Error, Result};
use crate::trace::Kind;

/// Alignment of private variables on the device: at least what vector types and `malloc` need.
const PRIVATE_ALIGNMENT: usize = 64;

/// A kernel's parameters.
pub struct KernelArguments<'a> {
    device: &'a OmpDevice,
    values: SmallVec<[u64; 8]>,
    /// Index of each item's parameter.
    positions: SmallVec<[Option<usize>; 8]>,
}

/// The private variables of a launch, laid out in one block.
#[derive(Default)]
struct PrivateBlock {
    bytes: Vec<u8>,
    /// Index of the parameter, offset in the block, and distance from the variable's begin to its base.
    parameters: Vec<(usize, usize, u64)>,
}

impl<'a> KernelArguments<'a> {
    /// Collects the parameters of `items`, which are mapped already. Private storage is freed with the work.
    ///
    /// # Safety
    /// Host ranges of firstprivate items are readable; so are pointers of `ATTACH` items.
    pub unsafe fn collect(
        work: &mut DeviceWork<'a>,
        items: &[MapItem],
    ) -> Result<KernelArguments<'a>> {
        let mut arguments = KernelArguments {
            device: work.device,
            values: SmallVec::new(),
            positions: smallvec![None; items.len()],
        };
        let mut block = PrivateBlock::default();
        for (index, item) in items.iter().enumerate() {
            if item.kind.contains(MapType::TARGET_PARAM) {
                arguments.positions[index] = Some(arguments.values.len());
                // SAFETY: forwarded from the caller.
                let value = unsafe { arguments.parameter(item, &mut block) };
                arguments.values.push(value);
            }
        }
        arguments.place(work, block)?;
        for item in items.iter().filter(|item| item.kind.is_lambda_capture()) {
            arguments.capture(work, items, item)?;
        }
        Ok(arguments)
    }

    /// The value of a parameter that is one of the program's values, before anything is mapped.
    pub fn literal(items: &[MapItem], parameter: usize) -> Option<u64> {
        let parameters = items
            .iter()
            .filter(|item| item.kind.contains(MapType::TARGET_PARAM));
        let item = parameters.into_iter().nth(parameter)?;
        item.kind.contains(MapType::LITERAL).then_some(item.base)
    }

    /// The parameters in order.
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// # Safety
    /// As [`KernelArguments::collect`].
    unsafe fn parameter(&self, item: &MapItem, block: &mut PrivateBlock) -> u64 {
        if item.kind.contains(MapType::LITERAL) {
            return item.base;
        }
        if item.kind.contains(MapType::PRIVATE) {
            // SAFETY: forwarded from the caller.
            unsafe { self.private_variable(item, block) };
            return 0;
        }
        let base = if item.kind.contains(MapType::PTR_AND_OBJ) {
            // SAFETY: such an item's base is the address of a pointer (caller).
            unsafe { MapItem::read_pointer(item.base) }
        } else {
            item.base
        };
        self.device_address(item.begin, item.size)
            .unwrap_or(item.begin)
            .wrapping_add(base.wrapping_sub(item.begin))
    }

    /// Device address of host memory, if it is mapped. Other addresses stay as they are: a device pointer used without
    /// `is_device_ptr` is a device address already (OpenMP 5.2, 5.8.3).
    fn device_address(&self, host: u64, size: u64) -> Option<u64> {
        let section = Section {
            begin: host,
            size,
            may_overlap: true,
        };
        self.device
            .table
            .device_address(section)
            .map(|address| address.0)
    }

    /// # Safety
    /// As [`KernelArguments::collect`].
    unsafe fn private_variable(&self, item: &MapItem, block: &mut PrivateBlock) {
        let attached = item.kind.contains(MapType::ATTACH);
        let begin = if attached { item.base } else { item.begin };
        let offset = block.bytes.len().next_multiple_of(PRIVATE_ALIGNMENT)
            + (begin as usize % PRIVATE_ALIGNMENT);
        block.bytes.resize(offset + item.size as usize, 0);
        let place = &mut block.bytes[offset..];
        if item.size > 0 && (attached || item.kind.contains(MapType::TO)) {
            // SAFETY: the variable is readable for its size (caller).
            unsafe {
                std::ptr::copy_nonoverlapping(begin as *const u8, place.as_mut_ptr(), place.len())
            };
        }
        if attached && place.len() >= 8 {
            // Corresponding-pointer initialisation: the private pointer points at the device copy.
            let pointee = item.begin;
            let host_base = u64::from_ne_bytes(*place.first_chunk::<8>().unwrap_or(&[0; 8]));
            if let Some(target) = self.device_address(pointee, 0) {
                let base = target.wrapping_sub(pointee.wrapping_sub(host_base));
                place[..8].copy_from_slice(&base.to_ne_bytes());
            }
        }
        block
            .parameters
            .push((self.values.len(), offset, item.base.wrapping_sub(begin)));
    }

    /// Copies the private block to the device and fills in its parameters.
    fn place(&mut self, work: &mut DeviceWork<'a>, block: PrivateBlock) -> Result<()> {
        if block.parameters.is_empty() {
            return Ok(());
        }
        let size = block.bytes.len();
        let fail = |source| Error::Item {
            what: "allocating device memory for",
            item: format!("the private variables of the region ({size} bytes)"),
            source,
        };
        let host = Side::host(block.bytes.as_ptr() as u64);
        let event = ompt::allocation(self.device.number, host, size as u64);
        let address = self
            .device
            .device
            .alloc(size as u64, MemoryKind::Device)
            .map_err(fail)?;
        event.at(address.0);
        work.on_completion(OnCompletion::Free {
            address,
            what: "freeing the private variables of a region",
        });
        let name = || "private variables".into();
        let sides = || (host, Side::device(self.device.number, address.0));
        let _event = ompt::operation(Operation::ToDevice, size as u64, sides);
        work.traced(Kind::ToDevice, size as u64, name, |stream| {
            stream.write_copied(address, &block.bytes)
        })
        .map_err(fail)?;
        for (parameter, offset, to_base) in block.parameters {
            self.values[parameter] = (address.0 + offset as u64).wrapping_add(to_base);
        }
        Ok(())
    }

    /// Writes the device address of a variable that a lambda captures by reference into the lambda's device copy.
    fn capture(&self, work: &DeviceWork<'_>, items: &[MapItem], item: &MapItem) -> Result<()> {
        let Some(parent) = item.kind.parent() else {
            return Ok(());
        };
        let lambda = items
            .get(parent)
            .zip(self.positions.get(parent).copied().flatten());
        let Some((lambda, position)) = lambda else {
            return Ok(());
        };
        let Some(target) = self.device_address(item.begin, item.size) else {
            return Ok(());
        };
        let field =
            DevicePtr(self.values[position].wrapping_add(item.base.wrapping_sub(lambda.begin)));
        let sides = || {
            let device = Side::device(self.device.number, field.0);
            (Side::host(item.base), device)
        };
        let _event = ompt::operation(Operation::ToDevice, size_of_val(&target) as u64, sides);
        work.stream()
            .write_copied(field, &target.to_ne_bytes())
            .map_err(|source| Error::Item {
                what: "passing the captured variable",
                item: item.to_string(),
                source,
            })
    }
}

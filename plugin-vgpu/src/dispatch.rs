//! The launch record that AMDGCN code reads: the dispatch packet and the arguments. It lies in device memory
//! until the launch ends.

use plugin_api::{DevicePtr, Launch, Result};
use vgpu_abi::{DispatchRecord, STACK_SIZE};

use crate::memory::Memory;

/// A launch's record.
pub struct Dispatch<'a> {
    memory: &'a Memory,
    address: DevicePtr,
}

impl<'a> Dispatch<'a> {
    /// Writes the record of a launch with `shared` bytes of shared memory.
    pub fn new(memory: &'a Memory, launch: &Launch<'_>, shared: u32) -> Result<Dispatch<'a>> {
        let arguments = std::mem::size_of_val(launch.args);
        let size = size_of::<DispatchRecord>() + arguments;
        let address = memory.alloc(size as u64)?;
        let behind = address.0 + size_of::<DispatchRecord>() as u64;
        // SAFETY: `size` bytes were allocated there, suitably aligned. Nothing else uses them.
        unsafe {
            (address.0 as *mut DispatchRecord).write(record(launch, shared, behind));
            (behind as *mut u64).copy_from_nonoverlapping(launch.args.as_ptr(), launch.args.len());
        }
        memory.note_written(address, size);
        Ok(Dispatch { memory, address })
    }

    /// Its device address.
    pub fn address(&self) -> u64 {
        self.address.0
    }
}

impl Drop for Dispatch<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.memory.free(self.address) {
            log::error!("freeing the record of a launch: {error}");
        }
    }
}

fn record(launch: &Launch<'_>, shared: u32, arguments: u64) -> DispatchRecord {
    let extent = |dimension: usize| launch.grid[dimension].max(launch.block[dimension]);
    let dimensions = (0..3)
        .rposition(|dimension| extent(dimension) > 1)
        .unwrap_or(0)
        + 1;
    // A block has at most 1,024 threads. The launch was checked before.
    let group_size = launch.block.map(|threads| threads as u16);
    let grid_size: [u32; 3] =
        std::array::from_fn(|at| launch.grid[at].saturating_mul(launch.block[at]));
    DispatchRecord {
        packet_header: [0, dimensions as u16],
        workgroup_size: group_size,
        grid_size,
        private_segment_size: STACK_SIZE as u32,
        group_segment_size: shared,
        kernarg_address: arguments,
        block_count: launch.grid,
        group_size,
        grid_dimensions: dimensions as u16,
        dynamic_shared_size: launch.dynamic_shared,
        ..DispatchRecord::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_count_to_the_last_that_is_used() {
        let launch = |grid, block| Launch {
            grid,
            block,
            dynamic_shared: 8,
            cooperative: false,
            args: &[],
        };
        let of = |grid, block| record(&launch(grid, block), 24, 0x1000);
        assert_eq!(of([1, 1, 1], [1, 1, 1]).grid_dimensions, 1);
        assert_eq!(of([9, 1, 1], [1, 64, 1]).grid_dimensions, 2);
        let record = of([2, 1, 3], [32, 4, 1]);
        assert_eq!(record.grid_dimensions, 3);
        assert_eq!(record.grid_size, [64, 4, 3]);
        assert_eq!(
            (record.block_count, record.group_size),
            ([2, 1, 3], [32, 4, 1])
        );
        assert_eq!(
            (record.group_segment_size, record.dynamic_shared_size),
            (24, 8)
        );
    }

    /// Offsets from "Code Object V5 Metadata" in LLVM's AMDGPU usage guide.
    #[test]
    fn implicit_arguments_lie_where_compilers_look_for_them() {
        use std::mem::offset_of;
        use vgpu_abi::DISPATCH_PACKET_SIZE as BASE;
        assert_eq!(offset_of!(DispatchRecord, kernarg_address), 40);
        assert_eq!(offset_of!(DispatchRecord, block_count), BASE);
        assert_eq!(offset_of!(DispatchRecord, group_size), BASE + 12);
        assert_eq!(offset_of!(DispatchRecord, remainder), BASE + 18);
        assert_eq!(offset_of!(DispatchRecord, global_offset), BASE + 40);
        assert_eq!(offset_of!(DispatchRecord, grid_dimensions), BASE + 64);
        assert_eq!(offset_of!(DispatchRecord, services), BASE + 72);
        assert_eq!(offset_of!(DispatchRecord, dynamic_shared_size), BASE + 120);
    }
}

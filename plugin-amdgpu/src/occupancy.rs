//! How many blocks a compute unit holds.

use crate::arch::Arch;
use crate::metadata::KernelMetadata;

/// A compute unit.
#[derive(Clone, Copy, Debug)]
pub struct ComputeUnit {
    /// Waves that it holds.
    pub waves: u32,
    /// Its SIMD units, to which waves are bound.
    pub simds: u32,
    /// Its shared memory, bytes.
    pub shared: u32,
}

/// The vector registers of a SIMD unit's lane: how many there are, and how many are allocated at a time (LLVM's "User
/// Guide for AMDGPU Backend", granulated work-item VGPR count; registers of waves of 32 lanes from gfx10 on).
fn vector_registers(arch: &Arch) -> (u32, u32) {
    match arch.processor.as_str() {
        "gfx90a" | "gfx942" | "gfx950" => (512, 8),
        "gfx1100" | "gfx1101" | "gfx1151" | "gfx1200" | "gfx1201" => (1536, 24),
        "gfx1250" | "gfx1251" => (1024, 16),
        name if name.starts_with("gfx9") => (256, 4),
        name if name.starts_with("gfx101") => (1024, 8),
        _ => (1024, 16),
    }
}

/// The blocks of so many threads and so much shared memory that a compute unit holds.
pub fn resident_blocks(
    unit: ComputeUnit,
    arch: &Arch,
    kernel: &KernelMetadata,
    threads: u32,
    shared: u32,
) -> u32 {
    let (registers, granule) = vector_registers(arch);
    let lanes = kernel.wave_size.max(1);
    // A wave of 64 lanes takes two rows of registers on units of 32 lanes.
    let rows = match arch.processor.starts_with("gfx9") {
        true => 1,
        false => lanes.div_ceil(32),
    };
    let taken = kernel.vector_registers.max(1).next_multiple_of(granule) * rows;
    let by_registers = (registers / taken) * unit.simds;
    let waves = threads.div_ceil(lanes).max(1);
    let by_waves = unit.waves.min(by_registers) / waves;
    unit.shared
        .checked_div(shared)
        .unwrap_or(u32::MAX)
        .min(by_waves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_waves_and_shared_memory_limit() {
        let unit = ComputeUnit {
            waves: 32,
            simds: 4,
            shared: 64 << 10,
        };
        let blocks = |arch, wave_size, vector_registers, threads, shared| {
            let kernel = KernelMetadata {
                wave_size,
                vector_registers,
                ..KernelMetadata::default()
            };
            let arch = Arch::parse(arch).unwrap();
            resident_blocks(unit, &arch, &kernel, threads, shared)
        };
        assert_eq!(blocks("gfx90a", 64, 32, 256, 0), 8);
        assert_eq!(blocks("gfx90a", 64, 128, 256, 0), 4);
        assert_eq!(blocks("gfx906", 64, 128, 256, 0), 2);
        assert_eq!(blocks("gfx1100", 32, 96, 1024, 0), 1);
        assert_eq!(blocks("gfx1030", 64, 256, 64, 0), 8);
        assert_eq!(blocks("gfx90a", 64, 32, 256, 20 << 10), 3);
        assert_eq!(blocks("gfx90a", 64, 512, 1024, 0), 0);
    }
}

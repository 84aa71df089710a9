//! What a device is, in HIP's terms: `hipDeviceProp_t` of ROCm 6, and the attributes.

use std::ffi::{c_char, c_int};

use cudart::cuda_device::CudaDevice;
use cudart::front::front;
use cudart::properties::DeviceProperties;

/// `hipDeviceProp_tR0600`: CUDA's structure, and what HIP adds.
#[repr(C)]
pub struct HipDeviceProperties {
    /// CUDA's.
    pub common: DeviceProperties,
    /// Zeros.
    pub reserved: [c_int; 32],
    /// The architecture's name, with a NUL at its end.
    pub architecture: [c_char; 256],
    /// Shared memory of a multiprocessor.
    pub shared_per_multiprocessor: usize,
    /// Rate of the clock that device code reads, in kHz.
    pub clock_instruction_rate: c_int,
    /// What every architecture of these days has (`hipDeviceArch_t`).
    pub features: u32,
    /// Registers that flush caches: there are none.
    pub flush: [usize; 2],
    /// Cooperative launches on several devices.
    pub cooperative: [c_int; 4],
    /// Whether the host reaches all memory.
    pub large_bar: c_int,
    /// Revision of the GPU.
    pub revision: c_int,
}

/// The size of ROCm 6's structure.
const _: () = assert!(size_of::<HipDeviceProperties>() == 1472);

/// Bits 0 to 10, 12 and 15 of `hipDeviceArch_t`: atomic operations, `double`, votes, shuffles, fences, and grids with
/// three dimensions.
const FEATURES: u32 = 0b1001_0111_1111_1111;
/// The architecture that virtual GPUs are for programs: that of the configuration file.
const VIRTUAL: &str = "gfx90a";

impl HipDeviceProperties {
    /// What a device is.
    pub fn of(device: &CudaDevice) -> HipDeviceProperties {
        let info = device.raw.info();
        let name = match info.arch.is_empty() {
            true => VIRTUAL,
            false => info.arch.as_str(),
        };
        let mut common = DeviceProperties::of(device);
        (common.major, common.minor) = capability(name);
        if info.arch.is_empty() {
            common.warp_size = front().warp_size as c_int;
        }
        let mut architecture = [0; 256];
        for (place, byte) in architecture.iter_mut().zip(name.bytes().take(255)) {
            *place = byte as c_char;
        }
        HipDeviceProperties {
            reserved: [0; 32],
            architecture,
            shared_per_multiprocessor: common.shared_per_multiprocessor,
            clock_instruction_rate: common.clock_rate,
            features: FEATURES,
            flush: [0; 2],
            cooperative: [0; 4],
            large_bar: 0,
            revision: 0,
            common,
        }
    }

    /// The attribute of a number of `hipDeviceAttribute_t`; `None` if there is no such number.
    pub fn attribute(&self, number: c_int) -> Option<c_int> {
        /// The first numbers of what AMD adds.
        const CLOCK: c_int = 10000;
        const SHARED: c_int = 10002;
        const PROCESSORS: c_int = 10015;
        const WALL_CLOCK: c_int = 10017;
        let shared = c_int::try_from(self.shared_per_multiprocessor);
        match number {
            CLOCK | WALL_CLOCK => Some(self.clock_instruction_rate),
            SHARED => Some(shared.unwrap_or(c_int::MAX)),
            PROCESSORS => Some(self.common.multiprocessors),
            10001..=10016 => Some(0),
            _ => {
                let index = usize::try_from(number).ok()?;
                self.common.attribute(*COMMON.get(index)?)
            }
        }
    }
}

/// Major and minor number of `gfx90a`, which has the last two digits for minor and stepping.
fn capability(name: &str) -> (c_int, c_int) {
    let digits = name.strip_prefix("gfx").unwrap_or_default();
    let digits = digits.split(':').next().unwrap_or_default();
    let Some((major, rest)) = digits
        .len()
        .checked_sub(2)
        .and_then(|at| digits.split_at_checked(at))
    else {
        return (0, 0);
    };
    let minor = rest.chars().next().and_then(|digit| digit.to_digit(16));
    (
        major.parse().unwrap_or_default(),
        minor.unwrap_or_default() as c_int,
    )
}

/// For HIP's attributes from 0 on, the numbers of CUDA's (`cudaDeviceAttr`). An attribute that CUDA does not have is
/// as one of those that are 0.
const COMMON: [c_int; 92] = {
    /// An attribute that no device has.
    const NONE: c_int = 92;
    [
        32, 109, 40, 19, 91, 13, 20, 90, 31, 89, 95, 96, 15, 101, 79, 86, 18, 84, 17, 38, 80, NONE,
        NONE, 75, 83, 106, 2, 3, 4, 5, 6, 7, 55, 61, 56, 63, 58, 66, 67, 21, 42, 69, 77, 22, 23,
        45, 27, 70, 73, 24, 25, 26, 47, 52, 53, 2, 1, 39, 11, 37, 36, 76, 85, 16, NONE, 88, 100,
        33, 34, 50, 108, 12, 82, 111, 8, 97, 81, 87, 78, 30, 35, 14, 51, 9, NONE, 41, NONE, 10,
        115, NONE, 99, 119,
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_have_numbers() {
        assert_eq!(capability("gfx90a"), (9, 0));
        assert_eq!(capability("gfx1030"), (10, 3));
        assert_eq!(capability("gfx942:sramecc+:xnack-"), (9, 4));
        assert_eq!(capability(""), (0, 0));
    }
}

//! `cudaLaunchKernelExC`: launches with attributes.

use std::ffi::c_void;

use crate::abi::{AttributeValue, Dim3};
use crate::entry::cooperative::cudaLaunchCooperativeKernel;
use crate::entry::launches::cudaLaunchKernel;
use crate::error::{Code, Result, answer, report};

/// `cudaLaunchAttribute`.
#[repr(C)]
pub struct LaunchAttribute {
    /// `cudaLaunchAttributeID`.
    pub id: i32,
    /// Nothing.
    pub padding: [u8; 4],
    /// The value.
    pub value: AttributeValue,
}

/// `cudaLaunchConfig_t`.
#[repr(C)]
pub struct LaunchConfiguration {
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub shared: usize,
    /// The stream.
    pub stream: *mut c_void,
    /// Attributes.
    pub attributes: *const LaunchAttribute,
    /// How many those are.
    pub count: u32,
}

/// `cudaLaunchAttributeCooperative` and `…ClusterDimension`. Others are advice.
const COOPERATIVE: i32 = 2;
const CLUSTER: i32 = 4;

impl LaunchAttribute {
    /// Words of the value.
    fn words(&self) -> [u32; 3] {
        let (words, _) = self.value.as_chunks::<4>();
        [0, 1, 2].map(|index: usize| u32::from_ne_bytes(words[index]))
    }
}

/// Whether the blocks of a launch with these attributes wait for each other.
fn is_cooperative(attributes: &[LaunchAttribute]) -> Result<bool> {
    let mut cooperative = false;
    for attribute in attributes {
        match (attribute.id, attribute.words()) {
            (COOPERATIVE, [wanted, ..]) => cooperative = wanted != 0,
            (CLUSTER, [0 | 1, 0 | 1, 0 | 1]) => {}
            (CLUSTER, _) => {
                report("not supported", &"a launch of clusters of blocks");
                return Err(Code::NOT_SUPPORTED);
            }
            _ => {}
        }
    }
    Ok(cooperative)
}

/// Launches a kernel with attributes.
///
/// # Safety
/// The configuration is null or valid, and there is an argument for each parameter of the kernel.
pub unsafe extern "C" fn cudaLaunchKernelExC(
    configuration: *const LaunchConfiguration,
    stub: *const c_void,
    arguments: *const *const u8,
) -> i32 {
    // SAFETY: caller.
    let Some(launch) = (unsafe { configuration.as_ref() }) else {
        return answer(Err(Code::INVALID_VALUE));
    };
    let attributes = match launch.attributes.is_null() || launch.count == 0 {
        true => &[],
        // SAFETY: caller.
        false => unsafe { std::slice::from_raw_parts(launch.attributes, launch.count as usize) },
    };
    let LaunchConfiguration {
        grid,
        block,
        shared,
        stream,
        ..
    } = *launch;
    match is_cooperative(attributes) {
        // SAFETY: caller.
        Ok(true) => unsafe {
            cudaLaunchCooperativeKernel(stub, grid, block, arguments, shared, stream)
        },
        // SAFETY: caller.
        Ok(false) => unsafe { cudaLaunchKernel(stub, grid, block, arguments, shared, stream) },
        Err(code) => answer(Err(code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(id: i32, first: u32) -> LaunchAttribute {
        let mut value = [0; size_of::<AttributeValue>()];
        value[..4].copy_from_slice(&first.to_ne_bytes());
        LaunchAttribute {
            id,
            padding: [0; 4],
            value,
        }
    }

    #[test]
    fn attributes_choose_the_launch() {
        assert_eq!(is_cooperative(&[]), Ok(false));
        assert_eq!(is_cooperative(&[attribute(CLUSTER, 1)]), Ok(false));
        let both = [attribute(8, 3), attribute(COOPERATIVE, 1)];
        assert_eq!(is_cooperative(&both), Ok(true));
        assert_eq!(
            is_cooperative(&[attribute(CLUSTER, 2)]),
            Err(Code::NOT_SUPPORTED)
        );
        assert_eq!(size_of::<LaunchAttribute>(), 72);
        assert_eq!(size_of::<LaunchConfiguration>(), 56);
    }
}

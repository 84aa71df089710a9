//! Checks of addresses that programs pass. The virtual GPU's memory is a part of the process's address space, so the
//! libraries read and write it as they would any other. What is no device memory must be noticed before.

use crate::cudart::{PointerAttributes, cudart};

/// Whether an address is in memory that kernels reach.
fn is_reached(address: usize) -> bool {
    let Some(cudart) = cudart() else {
        return false;
    };
    let mut attributes = PointerAttributes {
        kind: 0,
        device: 0,
        device_pointer: std::ptr::null_mut(),
        host_pointer: std::ptr::null_mut(),
    };
    // SAFETY: the place for the answer is valid; any address may be asked about.
    let code = unsafe { (cudart.pointer_attributes)(&mut attributes, address as *const _) };
    code == 0 && attributes.kind != 0
}

/// Whether memory that kernels reach begins and ends with these bytes. Nothing at all is anywhere.
pub fn is_device_memory(address: usize, bytes: usize) -> bool {
    let Some(last) = bytes.checked_sub(1) else {
        return true;
    };
    let Some(end) = address.checked_add(last) else {
        return false;
    };
    is_reached(address) && (bytes == 1 || is_reached(end))
}

//! What kernels see of an image: `struct image` of `opencl/device/images.h`.

use std::sync::Arc;

use plugin_api::{Device, DevicePtr, MemoryKind};

use super::Image;
use crate::codes::{Code, Result};

/// `struct image`.
#[repr(C)]
struct Description {
    texels: u64,
    row: u64,
    plane: u64,
    extent: [i32; 3],
    order: i32,
    channel: i32,
    channels: i32,
    channel_bytes: i32,
}

impl Image {
    /// Puts a description of it where kernels find it.
    pub fn describe(&mut self, device: &Arc<dyn Device>, texels: DevicePtr) -> Result<()> {
        let [row, plane] = self.strides();
        let description = Description {
            texels: texels.0,
            row: row as u64,
            plane: plane as u64,
            // Limits of images are far below that of the type.
            extent: self.extent.map(|size| size as i32),
            order: self.format.order as i32,
            channel: self.format.channel as i32,
            channels: self.format.channels() as i32,
            channel_bytes: self.format.channel_bytes() as i32,
        };
        let size = size_of::<Description>();
        let failed = |error: plugin_api::Error| Code::of(&error);
        let address = device.alloc(size as u64, MemoryKind::Shared);
        let address = address.map_err(failed)?;
        let bytes = (&raw const description).cast::<u8>();
        // SAFETY: the description has so many bytes.
        let written = unsafe { device.write(address, bytes, size) };
        match written {
            Ok(()) => self.description = address,
            Err(error) => {
                // What cannot be written may be impossible to free, too; the first error is told.
                let _freed = device.free(address);
                return Err(failed(error));
            }
        }
        Ok(())
    }
}

//! What kernels of an image print: records in memory of the host, read when no kernel of the image runs.

use std::mem::offset_of;
use std::sync::Arc;

use device_printf::{Arguments, format_into, write_to_stdout};
use devicertl_services::output::Buffer;
use devicertl_services::record_reader::{Value, records};
use parking_lot::Mutex;
use plugin_api::{DevicePtr, MemoryKind, Result};

use crate::gpu::Gpu;
use crate::synchronous;

/// The variable of an image that describes the buffer.
pub const VARIABLE: &str = "__omptarget_printf_buffer";

/// The buffer of an image.
pub struct Output {
    gpu: Arc<Gpu>,
    /// The variable, and the records.
    variable: DevicePtr,
    records: DevicePtr,
    /// Kernels of the image that are in flight. While the buffer is read there is none.
    running: Mutex<usize>,
}

impl Output {
    /// Provides a buffer for the image with this variable.
    pub fn new(gpu: &Arc<Gpu>, variable: DevicePtr) -> Result<Output> {
        let size = gpu.settings.printf;
        let records = gpu.memory.alloc(gpu, size, MemoryKind::Host)?;
        let output = Output {
            gpu: gpu.clone(),
            variable,
            records,
            running: Mutex::new(0),
        };
        // SAFETY: nothing else uses the memory yet.
        unsafe { output.records_mut() }.fill(0);
        output.write(offset_of!(Buffer, base), [records.0, size])?;
        Ok(output)
    }

    /// A kernel is about to be enqueued.
    pub fn begin(&self) {
        *self.running.lock() += 1;
    }

    /// A kernel has ended. After the last one the records are printed.
    pub fn end(&self) {
        let mut running = self.running.lock();
        *running -= 1;
        if *running == 0
            && let Err(error) = self.print()
        {
            log::debug!("the output of kernels: {error}");
        }
    }

    fn write(&self, offset: usize, words: [u64; 2]) -> Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let place = self.variable.offset(offset as i64);
        synchronous::write(&self.gpu, place, &bytes)
    }

    /// The records' memory.
    ///
    /// # Safety
    /// Nothing else uses it meanwhile.
    #[expect(clippy::mut_from_ref, reason = "the caller's promise")]
    unsafe fn records_mut(&self) -> &mut [u8] {
        let start = std::ptr::with_exposed_provenance_mut(self.records.0 as usize);
        // SAFETY: memory of the host, allocated with this size; caller.
        unsafe { std::slice::from_raw_parts_mut(start, self.gpu.settings.printf as usize) }
    }

    /// Prints the records, and empties the buffer. The device is asked only if there are any.
    fn print(&self) -> Result<()> {
        // SAFETY: no kernel is in flight, and the lock on their number is held.
        let memory = unsafe { self.records_mut() };
        let records = records(memory);
        if records.bytes == 0 {
            return Ok(());
        }
        memory[..records.bytes].fill(0);
        for print in &records.prints {
            write_to_stdout(&text(print.format.as_deref(), &print.values));
        }
        let mut lost = [0u8; 8];
        let place = self.variable.offset(offset_of!(Buffer, lost) as i64);
        synchronous::read(&self.gpu, &mut lost, place)?;
        match u64::from_le_bytes(lost) {
            0 => {}
            lost => log::warn!(
                "{lost} outputs of kernels had no room (OMPTARGET_AMDGPU_PRINTF_BUFFER is {} bytes)",
                self.gpu.settings.printf
            ),
        }
        self.write(offset_of!(Buffer, used), [0, 0])
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.gpu.in_use().is_some()
            && let Err(error) = self.gpu.memory.free(&self.gpu, self.records)
        {
            log::debug!("{error}");
        }
    }
}

/// The text of a `printf`.
fn text(format: Option<&[u8]>, values: &[Value]) -> Vec<u8> {
    let Some(format) = format else {
        return Vec::new();
    };
    let mut packed = Vec::new();
    for value in values {
        match value {
            Value::Int(value) => packed.extend(value.to_ne_bytes()),
            Value::Wide(value) => packed.extend(value.to_ne_bytes()),
            Value::Text(text) => {
                let address = text
                    .as_ref()
                    .map_or(0, |text| text.as_ptr().expose_provenance());
                packed.extend(address.to_ne_bytes());
            }
        }
    }
    // A `long double` is read with 16 bytes, of which the device left 8.
    packed.extend([0; 16]);
    let mut text = Vec::new();
    // SAFETY: the format ends with a null character. The arguments are those that it takes, aligned to 4; the strings
    // live as long as `values`.
    unsafe {
        let mut arguments = Arguments::new(packed.as_ptr(), 4);
        format_into(&mut text, format.as_ptr().cast(), &mut arguments);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let values = [
            Value::Int(-3),
            Value::Text(Some(b"abc\0".to_vec())),
            Value::Wide(2.5f64.to_bits()),
            Value::Text(None),
        ];
        let format = Some(&b"%d [%5s] %.2f %s %%\n\0"[..]);
        assert_eq!(text(format, &values), b"-3 [  abc] 2.50 (null) %\n");
        assert_eq!(text(None, &[]), b"");
        assert_eq!(text(Some(b"%Lf\0"), &[Value::Wide(0)]), b"0.000000");
    }
}

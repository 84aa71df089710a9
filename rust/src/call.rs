//! A kernel with its arguments.

use std::marker::PhantomData;

use plugin_api::Launch;

use crate::argument::Words;
use crate::{Error, Kernel, Result, Shape, Stream};

/// A kernel with its arguments, ready to be launched. It borrows the buffers among them.
#[must_use = "a call does nothing until it is launched"]
pub struct Call<'a> {
    kernel: &'a Kernel,
    words: Words,
    borrows: PhantomData<&'a mut ()>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(kernel: &'a Kernel, words: Words) -> Call<'a> {
        Call {
            kernel,
            words,
            borrows: PhantomData,
        }
    }

    /// Runs the kernel, and returns when it has ended. A trap, a wild access or a deadlock is an error.
    ///
    /// # Safety
    /// The kernel does with these arguments and this shape what a Rust program may do:
    ///
    /// - It reads and writes only memory that it was given, inside of its bounds, and writes no buffer that it was
    ///   given by `&`, except by atomic operations.
    /// - Its threads do not race for memory: barriers or atomic operations order their accesses.
    /// - The arguments have the types that the kernel declares. Only their sizes were checked.
    /// - What it leaves in a buffer is a value of the buffer's type. Every pattern of bytes is.
    pub unsafe fn launch(self, shape: Shape) -> Result<()> {
        self.check_devices(&self.kernel.device)?;
        for memory in &self.words.memory {
            memory.settle()?;
        }
        let launched = self.kernel.raw.launch(&self.launch_of(shape));
        launched.map_err(Error::device("launching a kernel"))
    }

    /// Enqueues the kernel on a stream of its device. It runs when everything is complete that the stream got before,
    /// and what other streams got before for these buffers. The stream keeps the buffers' memory until then. An error
    /// is that of the stream: one of the operations on it, or [`Stream::synchronize`], returns it.
    ///
    /// # Safety
    /// As for [`Call::launch`], until the stream has passed the kernel.
    pub unsafe fn launch_on(self, stream: &Stream, shape: Shape) -> Result<()> {
        self.check_devices(stream.device())?;
        stream.queue().enqueue(&self.words.memory, |stream| {
            let launched = stream.launch(&self.kernel.raw, &self.launch_of(shape));
            launched.map_err(Error::device("launching a kernel"))
        })
    }

    fn launch_of(&self, shape: Shape) -> Launch<'_> {
        Launch {
            grid: shape.grid,
            block: shape.block,
            dynamic_shared: shape.dynamic_shared,
            cooperative: false,
            args: &self.words.words,
        }
    }

    /// The kernel and all buffers must be of one device.
    fn check_devices(&self, device: &crate::Device) -> Result<()> {
        let with = || format!("kernel {}", self.kernel.info().name);
        if !device.is(&self.kernel.device) {
            return Err(Error::OtherDevice {
                what: "the stream",
                with: with(),
            });
        }
        let mut memory = self.words.memory.iter();
        match memory.all(|memory| memory.device.is(device)) {
            true => Ok(()),
            false => Err(Error::OtherDevice {
                what: "a buffer",
                with: with(),
            }),
        }
    }
}

//! What can go wrong.

use std::fmt;

use device_image::ImageError;
use plugin_api::KernelFault;

/// Result of an operation.
pub type Result<T> = std::result::Result<T, Error>;

/// An operation that failed. `Debug` shows the same message as `Display`, so that a `main` which returns it tells the
/// user what happened.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No device here can be used, or none that runs the image.
    #[error("no device can be used{}", lines(.reasons))]
    NoDevice {
        /// Why not, for each family of devices or each device.
        reasons: Vec<String>,
    },
    /// A variable of the environment has a value that cannot be understood.
    #[error("{0}")]
    Setting(String),
    /// The bytes are no device image.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The device does not take the image.
    #[error("{device} does not run this image{}", lines(.reasons))]
    Refused {
        /// The device's name.
        device: String,
        /// Why not.
        reasons: Vec<String>,
    },
    /// The image has no kernel of this name.
    #[error(
        "the device image has no kernel called {0:?}: in Rust, a kernel is `#[unsafe(no_mangle)] pub unsafe extern \
         \"ptx-kernel\" fn`, and has the name that `no_mangle` keeps"
    )]
    NoKernel(String),
    /// The arguments are not what the kernel takes.
    #[error(
        "kernel {kernel} is called with {given}, and takes {taken}: declare it as the device code does"
    )]
    Arguments {
        /// The kernel.
        kernel: String,
        /// The sizes of the arguments.
        given: String,
        /// The sizes of the parameters.
        taken: String,
    },
    /// The host's memory and the device's do not have the same size, or a range leaves a buffer.
    #[error("{what}: {host} elements from element {start} of a buffer that has {device}")]
    Bounds {
        /// What was attempted.
        what: &'static str,
        /// Elements of the host's memory.
        host: usize,
        /// The first element of the buffer.
        start: usize,
        /// Elements of the buffer.
        device: usize,
    },
    /// A buffer of more bytes than there are addresses.
    #[error(
        "a buffer of {elements} elements of {size} bytes each is larger than any device's memory"
    )]
    TooLarge {
        /// Elements asked for.
        elements: usize,
        /// Bytes of each.
        size: usize,
    },
    /// Something of one device was used with another.
    #[error("{what} is of another device than {with}: copy through the host, or allocate it there")]
    OtherDevice {
        /// What is of the other device.
        what: &'static str,
        /// What it was used with.
        with: String,
    },
    /// A copy to the host did not happen, because its stream failed before.
    #[error("the copy was dropped, because an earlier operation of its stream failed")]
    Dropped,
    /// The device reported an error.
    #[error("{what}: {source}")]
    Device {
        /// What was attempted.
        what: &'static str,
        /// The device's error.
        source: plugin_api::Error,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Error {
    /// How a kernel ended that ended abnormally: which thread, where, and why.
    pub fn fault(&self) -> Option<&KernelFault> {
        match self {
            Error::Device {
                source: plugin_api::Error::Fault(fault),
                ..
            } => Some(fault),
            _ => None,
        }
    }

    /// For `map_err`: the device's error while `what` was attempted.
    pub(crate) fn device(what: &'static str) -> impl FnOnce(plugin_api::Error) -> Error {
        move |source| Error::Device { what, source }
    }
}

fn lines(reasons: &[String]) -> String {
    let lines = reasons.iter().map(|reason| format!("\n  {reason}"));
    lines.collect()
}

//! Every error that the host runtime reports: what failed, and what the user can do. The entry points add construct,
//! source location and device in a [`Report`].

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::report::source_location::SourceLocation;

/// Result of a host runtime operation.
pub type Result<T> = std::result::Result<T, Error>;

/// What failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Devices do not survive a fork.
    #[error(
        "this process was forked from one that had used its devices; they stay with the parent"
    )]
    Forked,
    /// A device number no device has.
    #[error("device {number} does not exist: {available} device(s) are available, numbered from 0")]
    NoSuchDevice {
        /// The number asked for.
        number: i64,
        /// How many there are.
        available: usize,
    },
    /// `OMP_TARGET_OFFLOAD=MANDATORY` and no device.
    #[error("OMP_TARGET_OFFLOAD=MANDATORY, but {why}")]
    Mandatory {
        /// Why no device can be used.
        why: String,
    },
    /// The registered library has no image that the device can load.
    #[error("no device image of this program can run on device {device}: {why}")]
    NoImage {
        /// The device's name.
        device: String,
        /// Each image and why it was refused.
        why: String,
    },
    /// A region of no registered program.
    #[error("the target region at {region:#x} is in no registered device image")]
    UnknownRegion {
        /// The region id.
        region: u64,
    },
    /// The image lacks a kernel or global that the program's entries name.
    #[error("the device image has no {what} called {name}")]
    MissingSymbol {
        /// `kernel` or `variable`.
        what: &'static str,
        /// Its symbol.
        name: String,
    },
    /// The device refused to load the image.
    #[error("{0}")]
    Load(plugin_api::Error),
    /// An allocation or transfer for one map item failed.
    #[error("{what} {item} failed: {source}")]
    Item {
        /// `allocating device memory for`, `copying to the device`, `copying to the host`.
        what: &'static str,
        /// The item.
        item: String,
        /// The device's answer.
        source: plugin_api::Error,
    },
    /// An item with the `present` modifier is not on the device.
    #[error("{item} is not present on the device, but its clause has the 'present' modifier")]
    NotPresent {
        /// The item.
        item: String,
    },
    /// An item that is copied to the host by a clause is constant there.
    #[error(
        "{item} cannot be copied to the host: it is a constant of the program, which may only be read"
    )]
    Constant {
        /// The item.
        item: String,
    },
    /// A section that is not contiguous has no dimensions that fit its size.
    #[error(
        "{item} is not contiguous, and its dimensions do not fit its size: host code and this runtime do not match"
    )]
    Dimensions {
        /// The item.
        item: String,
    },
    /// A section overlaps a mapped one without lying inside it.
    #[error(
        "{item} overlaps {mapped}, which is mapped already, without lying inside it: \
         OpenMP does not allow extending a mapping (explicit extension not allowed)"
    )]
    Extends {
        /// The item.
        item: String,
        /// What is mapped.
        mapped: String,
    },
    /// The kernel cannot be launched as asked.
    #[error("kernel {kernel} cannot be launched: {why}")]
    Launch {
        /// Its symbol.
        kernel: String,
        /// Which limit, and the values.
        why: String,
    },
    /// The kernel ended abnormally, or the device refused the launch.
    #[error("{source}{}", line_about(.section))]
    Kernel {
        /// The device's answer.
        source: plugin_api::Error,
        /// How a stray address relates to the mapped sections.
        section: Option<String>,
    },
    /// Any other device operation.
    #[error("{what}: {source}")]
    Device {
        /// What was attempted.
        what: String,
        /// The device's answer.
        source: plugin_api::Error,
    },
    /// An `omp_target_*` routine got invalid arguments.
    #[error("{0}")]
    Routine(String),
}

impl Error {
    /// What the user can do.
    pub fn hint(&self) -> Option<&'static str> {
        use plugin_api::Error as Device;
        match self {
            Error::Forked => Some(
                "fork before the first construct or routine that needs a device, or call exec in the child",
            ),
            Error::NoSuchDevice { .. } => Some(
                "check the device clause, omp_set_default_device and OMP_DEFAULT_DEVICE; \
                 `omptarget info` lists the devices",
            ),
            Error::Mandatory { .. } => Some(
                "compile for a device that is there (`omptarget info` lists them, \
                 `omptarget image PROGRAM` the images), or unset OMP_TARGET_OFFLOAD to run on the host",
            ),
            Error::NoImage { .. } => Some(
                "compile with an --offload-arch the device runs; `omptarget image PROGRAM` lists the images",
            ),
            Error::UnknownRegion { .. } => Some(
                "the object file with this region was linked without device code, or its library was unloaded",
            ),
            Error::MissingSymbol { .. } => Some("recompile: host and device code do not match"),
            Error::Item {
                source: Device::OutOfMemory { .. },
                ..
            } => Some(
                "map smaller sections, or delete what is not needed with `target exit data map(delete: …)`",
            ),
            Error::NotPresent { .. } => Some(
                "map it first with `target data` or `target enter data`, with the same or a larger section",
            ),
            Error::Constant { .. } => Some("map it with `to` instead of `tofrom` or `from`"),
            Error::Dimensions { .. } => {
                Some("compile the program with clang 22, the version that this runtime serves")
            }
            Error::Extends { .. } => {
                Some("map the whole section once, or delete the old mapping first")
            }
            Error::Launch { .. } => Some(LAUNCH_HINT),
            Error::Load(Device::Load(_)) => {
                Some("OMP_TARGET_OFFLOAD=DISABLED runs the program on the host")
            }
            Error::Item { source, .. }
            | Error::Kernel { source, .. }
            | Error::Device { source, .. }
            | Error::Load(source) => device_hint(source),
            // The text itself says what the routine accepts.
            Error::Routine(_) => None,
        }
    }
}

const LAUNCH_HINT: &str =
    "lower num_teams, thread_limit or the dynamic shared memory of the region";

fn line_about(section: &Option<String>) -> String {
    section
        .as_ref()
        .map_or(String::new(), |text| format!("\n  section: {text}"))
}

fn device_hint(error: &plugin_api::Error) -> Option<&'static str> {
    use plugin_api::Error as Device;
    match error {
        Device::OutOfMemory { .. } => Some(
            "free device memory that is not needed; OMPTARGET_VGPU_MEMORY gives the virtual GPU more",
        ),
        Device::InvalidFree(_) => {
            Some("free only what omp_target_alloc returned, once, on the same device")
        }
        Device::InvalidAccess { .. } => Some(
            "check pointer, offset and length, and that the memory given to \
             omp_target_associate_ptr is not freed or shorter",
        ),
        Device::InvalidLaunch { .. } => Some(LAUNCH_HINT),
        Device::Image(_) => Some("link the program again: its device image is damaged"),
        Device::Load(_) => Some("compile and link the program again"),
        Device::Fault(fault) => fault_hint(&fault.kind),
        Device::Driver { advice, .. } => Some(advice),
        Device::Lost { .. } => Some("fix the first failure, then start the program again"),
        Device::System { .. } => {
            Some("check the limits of the process (ulimit -a) and the machine's free memory")
        }
    }
}

fn fault_hint(kind: &plugin_api::FaultKind) -> Option<&'static str> {
    use plugin_api::FaultKind;
    match kind {
        FaultKind::WildAccess { .. } | FaultKind::WildPage { .. } | FaultKind::IllegalAddress => {
            Some(
                "map the data the region uses, or check the pointer given to is_device_ptr; -g shows the line",
            )
        }
        FaultKind::Deadlock => Some("every thread of a team must reach the same barriers"),
        FaultKind::StackOverflow => {
            Some("move large local arrays out of the region, or limit recursion")
        }
        FaultKind::Arithmetic => Some("check the divisor; -g shows the line"),
        FaultKind::Trap { message } if message.is_empty() => Some(
            "the program reached __builtin_trap or code that the compiler considers unreachable; -g shows the line",
        ),
        FaultKind::Trap { .. } | FaultKind::Other(_) => None,
    }
}

/// An [`Error`] with its location.
#[derive(Debug)]
pub struct Report<'a> {
    /// What failed.
    pub error: &'a Error,
    /// The construct: `target`, `target data`, …
    pub construct: &'a str,
    /// Where it is.
    pub location: SourceLocation,
    /// Number and name of the device, when one was chosen.
    pub device: Option<(usize, String)>,
    /// Whether the program lacks debug information.
    pub wants_debug_information: bool,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "omptarget error: {}", self.error)?;
        write!(f, "\n  construct: {}", self.construct)?;
        if !self.location.is_unknown() {
            write!(f, " at {}", self.location)?;
        }
        if let Some((number, name)) = &self.device {
            write!(f, "\n  device: {number} ({name})")?;
        }
        if let Some(hint) = self.error.hint() {
            write!(f, "\n  hint: {hint}")?;
        }
        if self.wants_debug_information {
            write!(
                f,
                "\n  note: compile with -g to see the source file and the names of mapped variables"
            )?;
        }
        Ok(())
    }
}

/// Prints `message` and ends the program with exit code 1.
///
/// Does not call `exit`: its handlers would run while other threads are inside the runtime, and a handler that waits
/// for such a thread would hang. Only stdio is flushed.
pub fn die(message: &dyn fmt::Display) -> ! {
    // Several constructs can fail at once. One report is enough.
    static DYING: AtomicBool = AtomicBool::new(false);
    if DYING.swap(true, Ordering::Relaxed) {
        loop {
            std::thread::park();
        }
    }
    eprintln!("{message}");
    findings::print_summary();
    // SAFETY: flushing every stream and ending the process have no preconditions.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(1)
    }
}

/// Prints a warning; the program goes on.
pub fn warn(message: &dyn fmt::Display) {
    eprintln!("omptarget warning: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_says_what_where_and_what_to_do() {
        let error = Error::NotPresent {
            item: "'p[0:10]' (40 bytes at host address 0x10)".into(),
        };
        let text = Report {
            error: &error,
            construct: "target data",
            location: SourceLocation::parse(";a.c;main;3;1;;"),
            device: Some((0, "virtual GPU".into())),
            wants_debug_information: false,
        }
        .to_string();
        for part in [
            "'p[0:10]'",
            "target data at a.c:3:1 in main",
            "device: 0 (virtual GPU)",
            "hint: map it first",
        ] {
            assert!(text.contains(part), "{part} missing in {text}");
        }
        assert!(!text.contains("note:"));
    }
}

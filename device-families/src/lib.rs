//! The families of devices, in the order in which programs number their devices: GPUs, the virtual GPU, the host.
//!
//! Every front end and the `omptarget` command find devices here. [`families`] gives those that the user allows
//! (`OMPTARGET_DEVICES`). [`judge`] says which devices run a set of images.

mod family;
mod verdict;

pub use family::{Absence, Family, Opened, VARIABLE, all, families, names, unknown};
pub use verdict::{Verdict, judge};

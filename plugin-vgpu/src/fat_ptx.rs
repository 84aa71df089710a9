//! The PTX of a fat binary.

use std::borrow::Cow;

use device_image::{Image, fat_entries, preferred_ptx};
use plugin_api::{Error, Result};

/// Why a fat binary cannot run. `None`: it can.
pub fn refusal(image: &Image<'_>) -> Option<String> {
    let entries = match fat_entries(image.bytes) {
        Ok(entries) => entries,
        Err(error) => return Some(format!("{image}: {error}")),
    };
    match preferred_ptx(&entries) {
        Some(_) => None,
        None => Some(format!("{image} without PTX, but it runs bitcode and PTX")),
    }
}

/// The PTX that runs.
pub fn of<'a>(image: &Image<'a>) -> Result<Cow<'a, [u8]>> {
    let malformed = |why: String| Error::Load(format!("the fat binary is malformed: {why}"));
    let entries = fat_entries(image.bytes).map_err(|error| malformed(error.to_string()))?;
    let Some(entry) = preferred_ptx(&entries) else {
        return Err(Error::Load("the fat binary has no PTX".to_owned()));
    };
    entry.unpack().map_err(malformed)
}

//! The PTX of a fat binary.

use std::borrow::Cow;

use device_image::{FatEntry, FatKind, Image, fat_entries};
use plugin_api::{Error, Result};

/// The architecture that clang compiles programs for unless they name one. Programs are tested with it.
const USUAL: u32 = 80;

/// Why a fat binary cannot run. `None`: it can.
pub fn refusal(image: &Image<'_>) -> Option<String> {
    let entries = match fat_entries(image.bytes) {
        Ok(entries) => entries,
        Err(error) => return Some(format!("{image}: {error}")),
    };
    match best(&entries) {
        Some(_) => None,
        None => Some(format!("{image} without PTX, but it runs bitcode and PTX")),
    }
}

/// The PTX that runs.
pub fn of<'a>(image: &Image<'a>) -> Result<Cow<'a, [u8]>> {
    let malformed = |why: String| Error::Load(format!("the fat binary is malformed: {why}"));
    let entries = fat_entries(image.bytes).map_err(|error| malformed(error.to_string()))?;
    let Some(entry) = best(&entries) else {
        return Err(Error::Load("the fat binary has no PTX".to_owned()));
    };
    entry.unpack().map_err(malformed)
}

/// The newest that is not newer than usual, else the oldest.
fn best<'e, 'a>(entries: &'e [FatEntry<'a>]) -> Option<&'e FatEntry<'a>> {
    let ptx = || entries.iter().filter(|entry| entry.kind == FatKind::Ptx);
    let usual = ptx().filter(|entry| entry.arch <= USUAL);
    usual
        .max_by_key(|entry| entry.arch)
        .or_else(|| ptx().min_by_key(|entry| entry.arch))
}

#[cfg(test)]
mod tests {
    use device_image::FatPacking;

    use super::*;

    #[test]
    fn the_usual_architecture_is_preferred() {
        let of = |kind, arch| FatEntry {
            kind,
            arch,
            packing: FatPacking::Plain,
            content: b"",
            size: 0,
        };
        let chosen = |archs: &[u32]| {
            let entries: Vec<_> = archs.iter().map(|arch| of(FatKind::Ptx, *arch)).collect();
            best(&entries).map(|entry| entry.arch)
        };
        assert_eq!(chosen(&[50, 75, 90]), Some(75));
        assert_eq!(chosen(&[90, 100]), Some(90));
        assert!(best(&[of(FatKind::Cubin, 80)]).is_none());
    }
}

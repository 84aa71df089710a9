//! A recording on disk: a folder with `recording.json`, the image, and the memory before and after the launch.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use device_image::ImageKind;
use serde::{Deserialize, Serialize};

/// The version of the format.
const VERSION: u32 = 1;

const DESCRIPTION: &str = "recording.json";
const IMAGE: &str = "image";
const BEFORE: &str = "before";
const AFTER: &str = "after";

/// One recorded launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The kernel's symbol.
    pub kernel: String,
    /// The name of the device it was recorded on.
    pub device: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// Dynamic shared memory, bytes.
    pub dynamic_shared: u32,
    /// The words of the arguments.
    pub arguments: Vec<u64>,
    /// The format of the image.
    pub format: ImageFormat,
    /// The image.
    pub image: Vec<u8>,
    /// Address of the block that allocations lie in.
    pub base: u64,
    /// The recorded ranges of memory.
    pub areas: Vec<Area>,
    /// The areas' bytes before the launch, one after the other.
    pub before: Vec<u8>,
    /// The areas' bytes after it.
    pub after: Vec<u8>,
}

/// The format of an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageFormat {
    kind: Kind,
    /// Target triple.
    pub triple: String,
    /// Architecture.
    pub arch: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Bitcode,
    Object,
    Ptx,
    Fatbinary,
}

impl ImageFormat {
    /// The format of `image`.
    pub fn of(image: &device_image::Image<'_>) -> ImageFormat {
        let kind = match image.kind {
            ImageKind::Bitcode => Kind::Bitcode,
            ImageKind::Object => Kind::Object,
            ImageKind::Ptx => Kind::Ptx,
            ImageKind::Fatbinary => Kind::Fatbinary,
        };
        ImageFormat {
            kind,
            triple: image.triple.to_owned(),
            arch: image.arch.to_owned(),
        }
    }

    /// An image of this format.
    pub fn image<'a>(&'a self, bytes: &'a [u8]) -> device_image::Image<'a> {
        let kind = match self.kind {
            Kind::Bitcode => ImageKind::Bitcode,
            Kind::Object => ImageKind::Object,
            Kind::Ptx => ImageKind::Ptx,
            Kind::Fatbinary => ImageKind::Fatbinary,
        };
        device_image::Image {
            kind,
            triple: &self.triple,
            arch: &self.arch,
            bytes,
        }
    }
}

/// A range of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Its location.
    pub place: Place,
    /// Bytes.
    pub size: u64,
}

/// Where an area lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Place {
    /// An offset into the block.
    Block(u64),
    /// A variable of the image.
    Variable {
        /// Its symbol.
        name: String,
        /// Its address when recorded.
        address: u64,
    },
}

/// `recording.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    version: u32,
    kernel: String,
    device: String,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    arguments: Vec<u64>,
    image: ImageFormat,
    base: u64,
    areas: Vec<Area>,
}

/// Why a folder cannot be read or written as a recording.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A system call failed.
    #[error("{path}: {source}")]
    System {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not valid.
    #[error("{path}: {why}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
}

impl Recording {
    /// Writes the recording to `folder`, which is created if necessary. An existing recording is not overwritten.
    pub fn write(&self, folder: &Path) -> Result<(), FileError> {
        let system = |path: &Path| {
            let path = path.to_owned();
            |source| FileError::System { path, source }
        };
        fs::create_dir_all(folder).map_err(system(folder))?;
        let description = folder.join(DESCRIPTION);
        if description.exists() {
            return Err(FileError::Malformed {
                path: folder.to_owned(),
                why: "there is a recording already; it is not overwritten".into(),
            });
        }
        for (name, bytes) in [
            (IMAGE, &self.image),
            (BEFORE, &self.before),
            (AFTER, &self.after),
        ] {
            let path = folder.join(name);
            fs::write(&path, bytes).map_err(system(&path))?;
        }
        let text = serde_json::to_string_pretty(&self.description())
            .map_err(|error| io::Error::other(error.to_string()))
            .map_err(system(&description))?;
        fs::write(&description, text).map_err(system(&description))
    }

    fn description(&self) -> Description {
        Description {
            version: VERSION,
            kernel: self.kernel.clone(),
            device: self.device.clone(),
            grid: self.grid,
            block: self.block,
            dynamic_shared: self.dynamic_shared,
            arguments: self.arguments.clone(),
            image: self.format.clone(),
            base: self.base,
            areas: self.areas.clone(),
        }
    }

    /// Reads the recording in `folder`.
    pub fn read(folder: &Path) -> Result<Recording, FileError> {
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).map_err(|source| FileError::System { path, source })
        };
        let malformed = |name: &str, why: String| FileError::Malformed {
            path: folder.join(name),
            why,
        };
        let description: Description = serde_json::from_slice(&read(DESCRIPTION)?)
            .map_err(|error| malformed(DESCRIPTION, format!("not a recording: {error}")))?;
        if description.version != VERSION {
            let found = description.version;
            let why = format!("a recording of version {found}; this is version {VERSION}");
            return Err(malformed(DESCRIPTION, why));
        }
        let size = description
            .areas
            .iter()
            .try_fold(0u64, |sum, area| {
                let end = match area.place {
                    Place::Block(offset) => description.base.checked_add(offset)?,
                    Place::Variable { address, .. } => address,
                };
                end.checked_add(area.size)?;
                sum.checked_add(area.size)
            })
            .ok_or_else(|| malformed(DESCRIPTION, "areas beyond the end of memory".into()))?;
        let memory = |name: &str| {
            let bytes = read(name)?;
            if bytes.len() as u64 == size {
                return Ok(bytes);
            }
            let why = format!(
                "{} bytes; the areas of {DESCRIPTION} have {size}",
                bytes.len()
            );
            Err(malformed(name, why))
        };
        Ok(Recording {
            image: read(IMAGE)?,
            before: memory(BEFORE)?,
            after: memory(AFTER)?,
            kernel: description.kernel,
            device: description.device,
            grid: description.grid,
            block: description.block,
            dynamic_shared: description.dynamic_shared,
            arguments: description.arguments,
            format: description.image,
            base: description.base,
            areas: description.areas,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Recording {
        let image = device_image::Image {
            kind: ImageKind::Bitcode,
            triple: "nvptx64-nvidia-cuda",
            arch: "sm_80",
            bytes: b"BC",
        };
        let variable = Place::Variable {
            name: "v".into(),
            address: 4096,
        };
        Recording {
            kernel: "k".into(),
            device: "d".into(),
            grid: [2, 1, 1],
            block: [32, 1, 1],
            dynamic_shared: 0,
            arguments: vec![u64::MAX, 0],
            format: ImageFormat::of(&image),
            image: image.bytes.to_vec(),
            base: 1 << 40,
            areas: vec![
                Area {
                    place: Place::Block(256),
                    size: 3,
                },
                Area {
                    place: variable,
                    size: 1,
                },
            ],
            before: vec![1, 2, 3, 4],
            after: vec![5, 6, 7, 8],
        }
    }

    #[test]
    fn reading_inverts_writing_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        sample().write(&path).unwrap();
        assert_eq!(Recording::read(&path).unwrap(), sample());
        let error = sample().write(&path).unwrap_err().to_string();
        assert!(error.contains("there is a recording already"), "{error}");
    }

    #[test]
    fn damage_is_named() {
        let damaged = |name: &str, content: &[u8]| {
            let folder = tempfile::tempdir().unwrap();
            sample().write(folder.path()).unwrap();
            fs::write(folder.path().join(name), content).unwrap();
            Recording::read(folder.path()).unwrap_err().to_string()
        };
        assert!(damaged("before", b"1").contains("before: 1 bytes; the areas"));
        assert!(damaged("recording.json", b"{").contains("recording.json: not a recording"));
        let other = serde_json::to_string(&Description {
            version: 9,
            ..sample().description()
        })
        .unwrap();
        assert!(damaged("recording.json", other.as_bytes()).contains("of version 9"));
        let mut far = sample();
        far.areas[0].size = u64::MAX;
        let far = serde_json::to_string(&far.description()).unwrap();
        assert!(damaged("recording.json", far.as_bytes()).contains("beyond the end of memory"));
        let missing = Recording::read(Path::new("/nonexistent"))
            .unwrap_err()
            .to_string();
        assert!(
            missing.contains("/nonexistent/recording.json: No such file"),
            "{missing}"
        );
    }
}

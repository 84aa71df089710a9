//! `cuLink*`: several texts of PTX become one, as an image that `cuModuleLoadData` takes.

use std::sync::{Arc, OnceLock};

use cudart::cuda_device::LoadFailure;
use cudart::error::Code;
use cudart::handles::Handles;
use device_image::{Image, fat_binary};
use parking_lot::Mutex;

use crate::image;
use crate::jit::Options;

/// What comes into a link (`CUjitInputType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PTX.
    Ptx,
    /// A cubin, a fat binary or an object. Their PTX counts.
    Image,
    /// An archive of objects.
    Library,
}

impl Kind {
    /// The kind of this number.
    pub fn of(number: i32) -> Option<Kind> {
        match number {
            0 | 2 | 3 => Some(Kind::Image),
            1 => Some(Kind::Ptx),
            4 => Some(Kind::Library),
            _ => None,
        }
    }
}

/// A link in progress.
pub struct Link {
    texts: Mutex<Vec<(String, String)>>,
    options: Options,
    /// The result, which the program reads until the link is destroyed.
    image: OnceLock<Vec<u8>>,
}

/// The links of the process.
pub fn links() -> &'static Handles<Arc<Link>> {
    static TABLE: OnceLock<Handles<Arc<Link>>> = OnceLock::new();
    TABLE.get_or_init(Handles::default)
}

type Result<T> = std::result::Result<T, LoadFailure>;

fn failure(code: Code, why: String) -> LoadFailure {
    LoadFailure { code, why }
}

/// An archive without members, as `libcudadevrt.a` is in omptarget's own toolkit.
const EMPTY_ARCHIVE: &[u8] = b"!<arch>\n";
/// CUDA's device runtime library, which is machine code, and what there is in its place.
const DEVICE_RUNTIME: &str = "cudadevrt";
const OURS: &str = include_str!("device_runtime.ptx");

impl Link {
    /// A link of nothing.
    pub fn new(options: Options) -> Link {
        Link {
            texts: Mutex::default(),
            options,
            image: OnceLock::new(),
        }
    }

    /// The options, whose logs get what happens.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Adds something under a name.
    pub fn add(&self, kind: Kind, bytes: &[u8], name: &str) -> Result<()> {
        if self.image.get().is_some() {
            return Err(Code::INVALID_HANDLE.into());
        }
        let texts = match kind {
            Kind::Ptx => vec![text(bytes, name)?],
            Kind::Image => image::ptx(bytes),
            Kind::Library if name.contains(DEVICE_RUNTIME) => vec![OURS.to_owned()],
            Kind::Library if bytes == EMPTY_ARCHIVE => return Ok(()),
            Kind::Library => Vec::new(),
        };
        if texts.is_empty() {
            let why = format!("{name} has no PTX, and the device runs nothing else");
            return Err(failure(Code::NO_IMAGE, why));
        }
        let mut all = self.texts.lock();
        all.extend(texts.into_iter().map(|text| (name.to_owned(), text)));
        Ok(())
    }

    /// Makes the image.
    pub fn complete(&self) -> Result<&[u8]> {
        if let Some(image) = self.image.get() {
            return Ok(image);
        }
        let inputs = self.texts.lock();
        let texts: Vec<&str> = inputs.iter().map(|(_, text)| text.as_str()).collect();
        let linked = ptx::link(&texts).map_err(|(number, error)| {
            failure(Code::INVALID_PTX, format!("{}: {error}", inputs[number].0))
        })?;
        if texts.is_empty() {
            return Err(failure(Code::INVALID_IMAGE, "nothing to link".to_owned()));
        }
        ptx::translate(&linked).map_err(|error| failure(Code::INVALID_PTX, error.to_string()))?;
        let image = Image::parse(linked.as_bytes()).ok();
        let image = image.and_then(|images| images.first().map(|image| fat_binary(&image.wrap())));
        let image = image.ok_or(Code::INVALID_PTX)?;
        Ok(self.image.get_or_init(|| image))
    }
}

/// A text of PTX, without the NUL at its end.
fn text(bytes: &[u8], name: &str) -> Result<String> {
    let end = bytes.iter().position(|byte| *byte == 0);
    let text = std::str::from_utf8(&bytes[..end.unwrap_or(bytes.len())]);
    match text {
        Ok(text) if ptx::is_ptx(text) => Ok(text.to_owned()),
        _ => Err(failure(Code::INVALID_PTX, format!("{name} is not PTX"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

    #[test]
    fn texts_become_an_image_with_ptx() {
        let link = Link::new(Options::none());
        let one = format!("{HEAD}.extern .func f;\n.visible .entry k() {{ call f; ret; }}\0");
        let other = format!("{HEAD}.visible .func f {{ ret; }}");
        link.add(Kind::Ptx, one.as_bytes(), "one").unwrap();
        link.add(Kind::Image, other.as_bytes(), "other").unwrap();
        link.add(Kind::Library, EMPTY_ARCHIVE, "archive").unwrap();
        link.add(Kind::Library, b"code", "libcudadevrt.a").unwrap();
        let bytes = link.complete().unwrap().to_owned();
        assert!(image::ptx(&bytes)[0].contains("call f"));
        let later = link.add(Kind::Ptx, one.as_bytes(), "late").unwrap_err();
        assert_eq!(later.code, Code::INVALID_HANDLE);
    }

    #[test]
    fn what_cannot_be_linked_is_named() {
        let link = Link::new(Options::none());
        let nothing = link.complete().unwrap_err();
        assert_eq!(nothing.code, Code::INVALID_IMAGE);
        let garbage = link.add(Kind::Ptx, b"\xff\xfe", "a").unwrap_err();
        assert_eq!(
            (garbage.code, &*garbage.why),
            (Code::INVALID_PTX, "a is not PTX")
        );
        let code = link.add(Kind::Image, b"\x7fELF", "b").unwrap_err();
        assert_eq!(code.code, Code::NO_IMAGE);
        let wrong = format!("{HEAD}.visible .entry k() {{ mov.u32 %r1, 1; }}");
        link.add(Kind::Ptx, wrong.as_bytes(), "c").unwrap();
        let wrong = link.complete().unwrap_err();
        assert_eq!(wrong.code, Code::INVALID_PTX);
        assert!(wrong.why.contains("line 4, column 23"), "{}", wrong.why);
    }
}

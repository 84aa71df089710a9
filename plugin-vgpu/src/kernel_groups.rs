//! Kernels of a divided image, compiled and loaded in groups, each when one of its kernels is first launched
//! ([`vgpu_abi::artifact::KernelEntry::group`]).

use std::collections::HashMap;
use std::sync::Arc;

use codegen::KernelCompiler;
use codegen::requests::Wanted;
use parking_lot::Mutex;
use plugin_api::{Error, Result, Stage};
use vgpu_abi::artifact::{Artifact, KernelEntry};

use crate::compile;
use crate::module::Code;

/// The groups of an image by their numbers.
pub struct KernelGroups {
    image: Arc<Image>,
    groups: HashMap<u32, Arc<KernelGroup>>,
    /// The objects with forms in which kernels start.
    starts: HashMap<u32, Arc<Part>>,
}

/// What groups need of their image.
struct Image {
    compiler: KernelCompiler,
    /// The object with the variables.
    base: Arc<Code>,
}

impl KernelGroups {
    /// The groups that `compiler` compiles. Their code uses what is in `base`.
    pub fn new(compiler: KernelCompiler, base: Arc<Code>) -> KernelGroups {
        KernelGroups {
            image: Arc::new(Image { compiler, base }),
            groups: HashMap::new(),
            starts: HashMap::new(),
        }
    }

    /// The group with this number, whose kernels start in a form that is in the object `start`, if they do.
    pub fn get(&mut self, number: u32, start: Option<u32>) -> Arc<KernelGroup> {
        let part = |wanted| {
            Arc::new(Part {
                wanted,
                loaded: Mutex::new(None),
            })
        };
        let mut of = |object| {
            let entry = self.starts.entry(object);
            entry.or_insert_with(|| part(Wanted::Start(object))).clone()
        };
        let start = start.map(&mut of);
        let group = self.groups.entry(number).or_insert_with(|| {
            Arc::new(KernelGroup {
                image: self.image.clone(),
                all: part(Wanted::Group(number)),
                start,
            })
        });
        group.clone()
    }
}

/// A group.
pub struct KernelGroup {
    image: Arc<Image>,
    /// All forms of its kernels.
    all: Arc<Part>,
    /// The form in which they start, if they do, with those of other groups.
    start: Option<Arc<Part>>,
}

/// An object.
struct Part {
    wanted: Wanted,
    loaded: Mutex<Option<Loaded>>,
}

/// Code that is there.
struct Loaded {
    code: Arc<Code>,
    entries: Vec<KernelEntry>,
    was_cached: bool,
}

/// A kernel of such code.
pub struct Found {
    /// The code.
    pub code: Arc<Code>,
    /// What its manifest says of the kernel.
    pub entry: KernelEntry,
    /// Whether another process had compiled it.
    pub was_cached: bool,
}

impl KernelGroup {
    /// The group's kernel `name`. Compiles and loads the group, if that has not happened yet, and adds that to
    /// `stages`. After a failure the next call tries again.
    pub fn kernel(&self, name: &str, stages: &mut Vec<Stage>) -> Result<Found> {
        self.all.get(&self.image, name, stages)
    }

    /// The same in the form in which the kernel starts, if it does.
    pub fn start(&self, name: &str, stages: &mut Vec<Stage>) -> Result<Option<Found>> {
        let start = self.start.as_ref();
        let found = start.map(|it| it.get(&self.image, name, stages));
        found.transpose()
    }

    /// The kernel, if its group has been compiled before. Loads it then.
    pub fn cached(&self, name: &str, stages: &mut Vec<Stage>) -> Result<Option<Found>> {
        let mut loaded = self.all.loaded.lock();
        if loaded.is_none() {
            let Some(artifact) = self.image.compiler.cached(self.all.wanted) else {
                return Ok(None);
            };
            *loaded = Some(self.image.load(artifact, true, stages)?);
        }
        loaded.as_ref().map(|it| it.find(name)).transpose()
    }
}

impl Part {
    /// The kernel `name` in it, compiled if it has to be.
    fn get(&self, image: &Image, name: &str, stages: &mut Vec<Stage>) -> Result<Found> {
        let mut loaded = self.loaded.lock();
        let loaded = match &mut *loaded {
            Some(loaded) => loaded,
            place => place.insert(self.load(image, name, stages)?),
        };
        loaded.find(name)
    }

    fn load(&self, image: &Image, name: &str, stages: &mut Vec<Stage>) -> Result<Loaded> {
        if let Some(artifact) = image.compiler.cached(self.wanted) {
            return image.load(artifact, true, stages);
        }
        let what = format!("compiling {name} for the virtual GPU");
        let compile = || image.compiler.get(self.wanted, &what);
        let artifact = Stage::of("compile", stages, || compile().map_err(compile::error))?;
        image.load(artifact, false, stages)
    }
}

impl Loaded {
    fn find(&self, name: &str) -> Result<Found> {
        let entry = self.entries.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| {
            Error::Load(format!(
                "compiled code lacks the kernel {name} of its group"
            ))
        })?;
        Ok(Found {
            code: self.code.clone(),
            entry: entry.clone(),
            was_cached: self.was_cached,
        })
    }
}

impl Image {
    fn load(
        &self,
        artifact: Artifact,
        was_cached: bool,
        stages: &mut Vec<Stage>,
    ) -> Result<Loaded> {
        let base = Some(self.base.clone());
        let load = || Code::load(self.base.gpu.clone(), artifact, base);
        let (code, manifest) = Stage::of("load", stages, load)?;
        Ok(Loaded {
            code,
            entries: manifest.kernels,
            was_cached,
        })
    }
}

//! Kernels of a large image, compiled and loaded in groups, each when one of its kernels is first launched
//! ([`vgpu_abi::artifact::KernelEntry::group`]).

use std::collections::HashMap;
use std::sync::Arc;

use codegen::KernelCompiler;
use parking_lot::Mutex;
use plugin_api::{Error, Result, Stage};
use vgpu_abi::artifact::KernelEntry;

use crate::compile;
use crate::module::Code;

/// The groups of an image by their numbers.
pub struct KernelGroups {
    image: Arc<Image>,
    groups: HashMap<u32, Arc<KernelGroup>>,
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
        }
    }

    /// The group with this number.
    pub fn get(&mut self, number: u32) -> Arc<KernelGroup> {
        let group = self.groups.entry(number).or_insert_with(|| {
            Arc::new(KernelGroup {
                image: self.image.clone(),
                number,
                loaded: Mutex::new(None),
            })
        });
        group.clone()
    }
}

/// A group.
pub struct KernelGroup {
    image: Arc<Image>,
    number: u32,
    loaded: Mutex<Option<Loaded>>,
}

/// A group whose code is there.
struct Loaded {
    code: Arc<Code>,
    entries: Vec<KernelEntry>,
}

impl KernelGroup {
    /// The code of the group's kernel `name`, and what its manifest says of it. Compiles and loads the group, if that
    /// has not happened yet, and adds that to `stages`. After a failure the next call tries again.
    pub fn kernel(&self, name: &str, stages: &mut Vec<Stage>) -> Result<(Arc<Code>, KernelEntry)> {
        let mut loaded = self.loaded.lock();
        let loaded = match &mut *loaded {
            Some(loaded) => loaded,
            place => place.insert(self.load(name, stages)?),
        };
        let entry = loaded.entries.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| {
            Error::Load(format!(
                "compiled code lacks the kernel {name} of its group"
            ))
        })?;
        Ok((loaded.code.clone(), entry.clone()))
    }

    fn load(&self, name: &str, stages: &mut Vec<Stage>) -> Result<Loaded> {
        let Image { compiler, base } = &*self.image;
        let what = format!("compiling {name} for the virtual GPU");
        let compile = || compiler.group(self.number, &what).map_err(compile::error);
        let artifact = Stage::of("compile", stages, compile)?;
        let load = || Code::load(base.gpu.clone(), artifact, Some(base.clone()));
        let (code, manifest) = Stage::of("load", stages, load)?;
        Ok(Loaded {
            code,
            entries: manifest.kernels,
        })
    }
}

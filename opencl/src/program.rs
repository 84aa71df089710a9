//! Programs: source, binaries, builds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use codegen::Compiler;
use device_image::Image;
use parking_lot::Mutex;
use plugin_api::{LoadOptions, Module};

use crate::codes::{Code as Error, Result};
use crate::compile::binary::Code;
use crate::compile::clang::{self, Header};
use crate::compile::options::{self, Options};
use crate::compile::spirv;
use crate::context::Context;
use crate::device::Device;
use crate::handle::Ref;
use crate::kind;

/// `CL_BUILD_NONE`.
pub const BUILD_NONE: i32 = -1;
/// `CL_BUILD_ERROR`.
pub const BUILD_ERROR: i32 = -2;
/// `CL_BUILD_SUCCESS`.
pub const BUILD_SUCCESS: i32 = 0;

/// A program.
pub struct Program {
    /// Its context.
    pub context: Ref<Context>,
    /// Its devices.
    pub devices: Vec<Ref<Device>>,
    /// Its source; empty for none.
    pub source: String,
    /// It in SPIR-V, if it was given so.
    pub il: Option<spirv::Source>,
    /// How many kernels are attached.
    pub kernels: AtomicUsize,
    /// What was made of it, the same for all devices.
    built: Mutex<Built>,
}

kind!(Program, INVALID_PROGRAM);

/// What was made of a program.
#[derive(Clone)]
pub struct Built {
    /// `CL_BUILD_…`.
    pub status: i32,
    /// The options of the last build.
    pub options: String,
    /// What the compilers said.
    pub log: String,
    /// The code.
    pub code: Option<Arc<Code>>,
    /// The program on each device, if it is one.
    pub modules: Vec<Arc<dyn Module>>,
}

impl Program {
    /// A program that is not built, with code if it was given some.
    pub fn new(
        context: Ref<Context>,
        devices: Vec<Ref<Device>>,
        source: String,
        code: Option<Code>,
    ) -> Program {
        Program {
            context,
            devices,
            source,
            il: None,
            kernels: AtomicUsize::new(0),
            built: Mutex::new(Built {
                status: BUILD_NONE,
                options: String::new(),
                log: String::new(),
                code: code.map(Arc::new),
                modules: Vec::new(),
            }),
        }
    }

    /// A program in SPIR-V that is not built.
    pub fn of_il(context: Ref<Context>, il: spirv::Source) -> Program {
        let devices = context.devices.clone();
        Program {
            il: Some(il),
            ..Program::new(context, devices, String::new(), None)
        }
    }

    /// What was made of it.
    pub fn built(&self) -> Built {
        self.built.lock().clone()
    }

    /// Kernels keep a program from being built anew.
    fn is_free(&self) -> Result<()> {
        match self.kernels.load(Ordering::Relaxed) {
            0 => Ok(()),
            _ => Err(Error::INVALID_OPERATION),
        }
    }

    /// `clBuildProgram`.
    pub fn build(&self, text: &str) -> Result<()> {
        self.is_free()?;
        let options = options::for_compiling(text).ok_or(Error::INVALID_BUILD_OPTIONS)?;
        let given = self.built().code;
        let result = match given.as_deref() {
            Some(Code::Executable(program)) if self.is_given() => {
                Ok((Code::Executable(program.clone()), String::new()))
            }
            Some(code) if self.is_given() => {
                let modules: Vec<&[u8]> = code.module().into_iter().collect();
                link(&modules, &options).map(|code| (code, String::new()))
            }
            _ => self.front(&[], &options).and_then(|(module, log)| {
                let linked = link(&[&module], &options);
                linked
                    .map(|code| (code, log.clone()))
                    .map_err(|error| format!("{log}{error}"))
            }),
        };
        self.finish(text, result, Error::BUILD_PROGRAM_FAILURE)
    }

    /// Whether its code was given, or linked, and there is nothing to compile.
    fn is_given(&self) -> bool {
        self.source.is_empty() && self.il.is_none()
    }

    /// What it was given as becomes a module.
    fn front(&self, headers: &[Header], options: &Options) -> clang::Compiled {
        match &self.il {
            Some(il) => il.module().map(|module| (module, String::new())),
            None => clang::compile(&self.source, headers, options),
        }
    }

    /// `clCompileProgram`.
    pub fn compile(&self, text: &str, headers: &[Header]) -> Result<()> {
        self.is_free()?;
        if self.is_given() {
            return Err(Error::INVALID_OPERATION);
        }
        let options = options::for_compiling(text).ok_or(Error::INVALID_COMPILER_OPTIONS)?;
        let result = self.front(headers, &options);
        let result = result.map(|(module, log)| (Code::Object(module), log));
        self.finish(text, result, Error::COMPILE_PROGRAM_FAILURE)
    }

    /// `clLinkProgram`, for the program that is to have the result.
    pub fn link(&self, text: &str, inputs: &[Ref<Program>]) -> Result<()> {
        let options = options::for_linking(text).ok_or(Error::INVALID_LINKER_OPTIONS)?;
        let codes: Vec<_> = inputs
            .iter()
            .filter_map(|input| input.built().code)
            .collect();
        let modules: Vec<&[u8]> = codes.iter().filter_map(|code| code.module()).collect();
        if modules.len() != inputs.len() {
            return Err(Error::INVALID_OPERATION);
        }
        let result = link(&modules, &options).map(|code| (code, String::new()));
        self.finish(text, result, Error::LINK_PROGRAM_FAILURE)
    }

    fn finish(
        &self,
        options: &str,
        result: std::result::Result<(Code, String), String>,
        failure: Error,
    ) -> Result<()> {
        let loaded = result.and_then(|(code, log)| {
            let modules = match &code {
                Code::Executable(program) => self.load(&program.image)?,
                _ => Vec::new(),
            };
            Ok((code, log, modules))
        });
        let mut built = self.built.lock();
        built.options = options.to_owned();
        match loaded {
            Ok((code, log, modules)) => {
                built.status = BUILD_SUCCESS;
                built.log = log;
                built.code = Some(Arc::new(code));
                built.modules = modules;
                Ok(())
            }
            Err(log) => {
                built.status = BUILD_ERROR;
                built.log = log;
                built.modules.clear();
                if !self.is_given() {
                    built.code = None;
                }
                Err(failure)
            }
        }
    }

    /// Loads an image on every device.
    fn load(&self, image: &[u8]) -> std::result::Result<Vec<Arc<dyn Module>>, String> {
        let images = Image::parse(image).map_err(|error| error.to_string())?;
        let image = images.first().ok_or("the program has no image")?;
        let load = |device: &Ref<Device>| {
            if let Some(why) = device.raw.refusal(image) {
                return Err(format!("the program is {why}"));
            }
            let loaded = device.raw.load(image, &LoadOptions::default());
            loaded.map_err(|error| error.to_string())
        };
        self.devices.iter().map(load).collect()
    }
}

/// Links modules as options say.
fn link(modules: &[&[u8]], options: &Options) -> std::result::Result<Code, String> {
    let compiler = Compiler::locate().map_err(|error| error.to_string())?;
    let linked = match options.library {
        true => compiler.opencl_library(modules).map(Code::Library),
        false => compiler
            .opencl(modules, options.level)
            .map(Code::Executable),
    };
    linked.map_err(|error| format!("error: {error}\n"))
}

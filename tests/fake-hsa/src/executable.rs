//! Executables: code objects that were loaded for agents.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use device_image::Image;
use fake_driver::handle::{self, Handle};
use parking_lot::Mutex;
use plugin_api::{Device as _, DevicePtr, Error, LoadOptions, MemoryKind, Module};

use crate::agent::Agent;
use crate::call::{refuse, settings, tell};
use crate::code_object::{CodeObject, Variable};
use crate::image;
use crate::memory::memory;
use crate::metadata::KernelMetadata;
use crate::status::{Failure, Outcome};

/// A code object in memory.
pub struct Reader(pub Vec<u8>);

/// An executable.
#[derive(Default)]
pub struct Executable {
    /// What is in it.
    pub state: Mutex<State>,
}

/// What an executable consists of.
#[derive(Default)]
pub struct State {
    /// Whether it is complete.
    pub frozen: bool,
    /// The handles of its symbols, by agent and name.
    pub symbols: BTreeMap<(usize, String), Handle>,
    loaded: Vec<Loaded>,
}

/// A code object for one agent.
struct Loaded {
    agent: Arc<Agent>,
    _module: Arc<dyn Module>,
    variables: Vec<u64>,
    /// Memory of variables that no kernel uses.
    unused: Vec<DevicePtr>,
}

/// A symbol of an executable.
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its agent.
    pub agent: usize,
    /// Its executable.
    pub executable: Arc<Executable>,
    /// What it is.
    pub kind: SymbolKind,
}

/// What a symbol is.
pub enum SymbolKind {
    /// A kernel, with the handle that packets name it by.
    Kernel(Arc<Kernel>, Handle),
    /// A variable.
    Variable {
        /// Its address.
        address: u64,
        /// Bytes.
        size: u64,
        /// Whether kernels cannot write it.
        is_constant: bool,
    },
}

/// A kernel.
pub struct Kernel {
    /// Its symbol.
    pub name: String,
    /// Its agent.
    pub agent: usize,
    /// What the code object says of it.
    pub metadata: KernelMetadata,
    /// Its counterpart on the virtual GPU.
    pub code: Arc<dyn plugin_api::Kernel>,
    /// How many run.
    pub running: AtomicU32,
}

fn invalid(what: &str) -> Failure {
    refuse(
        Failure::ERROR_INVALID_CODE_OBJECT,
        &format!("code object: {what}"),
    )
}

impl Executable {
    /// Loads a code object for an agent.
    pub fn load(self: &Arc<Self>, agent: &Arc<Agent>, bytes: &[u8]) -> Outcome {
        let code = CodeObject::parse(bytes).map_err(|why| invalid(&why))?;
        let isa = agent.gpu()?.isa;
        if let Some(why) = isa.refusal(code.flags) {
            return Err(refuse(
                Failure::ERROR_INCOMPATIBLE_ARGUMENTS,
                &format!("code object: {why}"),
            ));
        }
        let bitcode = image::of(&code, bytes).map_err(|why| invalid(&why))?;
        let images = Image::parse(&bitcode).map_err(|why| invalid(&why.to_string()))?;
        let options = LoadOptions {
            unified_shared_memory: settings()?.follows_host_pointers(isa),
        };
        let module = agent
            .machine()?
            .load(&images[0], &options)
            .map_err(|error| match error {
                // A fault in a constructor.
                Error::Fault(_) => refuse(Failure::ERROR_EXCEPTION, &error.to_string()),
                _ => invalid(&error.to_string()),
            })?;
        let mut state = self.state.lock();
        if state.frozen {
            return Err(Failure::ERROR_FROZEN_EXECUTABLE);
        }
        let mut loaded = Loaded {
            agent: agent.clone(),
            _module: module.clone(),
            variables: Vec::new(),
            unused: Vec::new(),
        };
        for variable in &code.variables {
            let kind = loaded.place(&*module, variable)?;
            self.add_symbol(&mut state, agent.number, &variable.name, kind)?;
        }
        for (name, metadata) in code.kernels {
            let kernel = kernel(&name, agent, metadata, &*module)?;
            let object = handle::add(kernel.clone());
            self.add_symbol(
                &mut state,
                agent.number,
                &name,
                SymbolKind::Kernel(kernel, object),
            )?;
        }
        state.loaded.push(loaded);
        Ok(())
    }

    fn add_symbol(
        self: &Arc<Self>,
        state: &mut State,
        agent: usize,
        name: &str,
        kind: SymbolKind,
    ) -> Outcome {
        let symbol = handle::add(Arc::new(Symbol {
            name: name.to_owned(),
            agent,
            executable: self.clone(),
            kind,
        }));
        match state.symbols.insert((agent, name.to_owned()), symbol) {
            None => Ok(()),
            Some(_) => Err(Failure::ERROR_VARIABLE_ALREADY_DEFINED),
        }
    }

    /// Invalidates everything in it. No kernel may run.
    pub fn destroy(&self) -> Outcome {
        let mut state = self.state.lock();
        for symbol in state.symbols.values() {
            let symbol = handle::get::<Symbol>(*symbol)?;
            if let SymbolKind::Kernel(kernel, _) = &symbol.kind
                && kernel.running.load(Ordering::Acquire) > 0
            {
                let what = format!("an executable is destroyed while {} runs", kernel.name);
                return Err(refuse(Failure::ERROR_INVALID_EXECUTABLE, &what));
            }
        }
        for (_, raw) in std::mem::take(&mut state.symbols) {
            let symbol = handle::remove::<Symbol>(raw)?;
            if let SymbolKind::Kernel(_, object) = symbol.kind {
                handle::remove::<Kernel>(object)?;
            }
        }
        for loaded in std::mem::take(&mut state.loaded) {
            loaded.unload()?;
        }
        Ok(())
    }
}

fn kernel(
    name: &str,
    agent: &Arc<Agent>,
    metadata: KernelMetadata,
    module: &dyn Module,
) -> Outcome<Arc<Kernel>> {
    let wave = agent.gpu()?.isa.wave();
    // GPUs with waves of 32 also run waves of 64.
    if metadata.wave < wave {
        return Err(invalid(&format!(
            "{name} has waves of {} lanes, the GPU of {wave}",
            metadata.wave
        )));
    }
    let code = module.kernel(name.trim_end_matches(".kd"));
    let code = code.ok_or_else(|| invalid(&format!("its bitcode has no kernel {name}")))?;
    Ok(Arc::new(Kernel {
        name: name.to_owned(),
        agent: agent.number,
        metadata,
        code,
        running: AtomicU32::new(0),
    }))
}

impl Loaded {
    /// The address of a variable: its counterpart's on the virtual GPU.
    fn place(&mut self, module: &dyn Module, variable: &Variable) -> Outcome<SymbolKind> {
        let address = match module.global(&variable.name) {
            Some(global) => global.address.0,
            None => self.place_unused(variable)?,
        };
        memory().register(address, variable.size, self.agent.number);
        self.variables.push(address);
        Ok(SymbolKind::Variable {
            address,
            size: variable.size,
            is_constant: variable.is_constant,
        })
    }

    fn place_unused(&mut self, variable: &Variable) -> Outcome<u64> {
        let machine = self.agent.machine()?;
        let failed = |error: Error| refuse(Failure::ERROR_OUT_OF_RESOURCES, &error.to_string());
        let place = machine
            .alloc(variable.size, MemoryKind::Device)
            .map_err(failed)?;
        self.unused.push(place);
        machine
            .fill(place, 0, variable.size as usize)
            .map_err(failed)?;
        let contents = &variable.contents;
        // SAFETY: as many bytes as it has.
        unsafe { machine.write(place, contents.as_ptr(), contents.len()) }.map_err(failed)?;
        Ok(place.0)
    }

    fn unload(self) -> Outcome {
        for variable in self.variables {
            memory().unregister(variable);
        }
        let machine = self.agent.machine()?;
        for place in self.unused {
            if let Err(error) = machine.free(place) {
                tell(&error.to_string());
            }
        }
        Ok(())
    }
}

//! Executables, their symbols, and code objects.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use fake_driver::handle::{self, Handle};
use fake_driver::pointer::{bytes, element, store, store_if_wanted, text};

use crate::agent;
use crate::attribute::{self, Value, byte, long, words};
use crate::call::{refuse, tell};
use crate::executable::{Executable, Reader, Symbol, SymbolKind};
use crate::status::{Failure, Outcome};

/// Called for each symbol. Anything but success ends the traversal.
type Visit = Option<unsafe extern "C" fn(Handle, Handle, Handle, *mut c_void) -> u32>;

fn executable(raw: Handle) -> Outcome<Arc<Executable>> {
    handle::get(raw).map_err(|_| Failure::ERROR_INVALID_EXECUTABLE)
}

/// The value of a symbol's attribute.
fn value(symbol: &Symbol, attribute: u32) -> Outcome<Value> {
    let own = match (attribute, &symbol.kind) {
        // TYPE, NAME_LENGTH, NAME
        (0, kind) => words(&[matches!(kind, SymbolKind::Kernel(..)).into()]),
        (1, _) => words(&[symbol.name.len() as u32]),
        (2, _) => symbol.name.clone().into_bytes(),
        // LINKAGE (program), IS_DEFINITION, AGENT
        (5, _) => words(&[1]),
        (17, _) => byte(true),
        (20, _) => long(agent::handle_of(symbol.agent)? as u64),
        // VARIABLE_ADDRESS, VARIABLE_SIZE, VARIABLE_IS_CONST
        (21, SymbolKind::Variable { address, .. }) => long(frozen(symbol, *address)?),
        (9, SymbolKind::Variable { size, .. }) => words(&[*size as u32]),
        (10, SymbolKind::Variable { is_constant, .. }) => byte(*is_constant),
        // KERNEL_OBJECT, …_KERNARG_SEGMENT_SIZE, …_ALIGNMENT, …_GROUP_SEGMENT_SIZE, …_PRIVATE_SEGMENT_SIZE,
        // …_DYNAMIC_CALLSTACK
        (22, SymbolKind::Kernel(_, object)) => long(frozen(symbol, *object as u64)?),
        (11, SymbolKind::Kernel(kernel, _)) => words(&[kernel.metadata.kernarg_size]),
        // ROCm 5.2 always says so.
        (12, SymbolKind::Kernel(kernel, _)) => words(&[kernel.metadata.kernarg_align.max(16)]),
        (13, SymbolKind::Kernel(kernel, _)) => words(&[kernel.metadata.group_size]),
        (14, SymbolKind::Kernel(kernel, _)) => words(&[kernel.metadata.private_size]),
        (15, SymbolKind::Kernel(kernel, _)) => byte(kernel.metadata.dynamic_stack),
        _ => {
            let what = format!("{} has no attribute {attribute}", symbol.name);
            return Err(refuse(Failure::ERROR_INVALID_ARGUMENT, &what));
        }
    };
    Ok(own)
}

/// Addresses are known when the executable is frozen.
fn frozen(symbol: &Symbol, address: u64) -> Outcome<u64> {
    match symbol.executable.state.lock().frozen {
        true => Ok(address),
        false => Err(refuse(
            Failure::ERROR_INVALID_EXECUTABLE_SYMBOL,
            "the executable is not frozen",
        )),
    }
}

fake_driver::functions! {
    /// Reads a code object.
    fn hsa_code_object_reader_create_from_memory(code: *const c_void, size: usize, created: *mut Handle) in running {
        if size == 0 {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        store(created, handle::add(Arc::new(Reader(bytes(code.cast(), size)?.to_vec()))))
    }

    /// Ends that. Executables keep what they loaded.
    fn hsa_code_object_reader_destroy(ended: Handle) in running {
        handle::remove::<Reader>(ended).map_err(|_| Failure::ERROR_INVALID_CODE_OBJECT_READER)?;
        Ok(())
    }

    /// An empty executable, of the profile (0 or 1) and rounding mode (0 to 2).
    fn hsa_executable_create_alt(profile: u32, rounding: u32, _options: *const c_char, created: *mut Handle) in running {
        if profile > 1 || rounding > 2 {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        store(created, handle::add(Arc::new(Executable::default())))
    }

    /// Loads a code object for an agent.
    fn hsa_executable_load_agent_code_object(
        into: Handle, of: Handle, reader: Handle, _options: *const c_char, loaded: *mut Handle,
    ) in running {
        let (executable, agent) = (executable(into)?, agent::get(of)?);
        let reader = handle::get::<Reader>(reader).map_err(|_| Failure::ERROR_INVALID_CODE_OBJECT_READER)?;
        executable.load(&agent, &reader.0)?;
        // Loaded code objects are not emulated any further.
        store_if_wanted(loaded, 0);
        Ok(())
    }

    /// Completes an executable.
    fn hsa_executable_freeze(complete: Handle, _options: *const c_char) in running {
        let executable = executable(complete)?;
        let frozen = std::mem::replace(&mut executable.state.lock().frozen, true);
        match frozen {
            false => Ok(()),
            true => Err(Failure::ERROR_FROZEN_EXECUTABLE),
        }
    }

    /// Whether it can be used: 0 for yes.
    fn hsa_executable_validate(asked: Handle, result: *mut u32) in running {
        executable(asked)?;
        store(result, 0)
    }

    /// Unloads its code. None of its kernels may run.
    fn hsa_executable_destroy(ended: Handle) in running {
        let executable = executable(ended).inspect_err(|_| {
            tell("an executable is destroyed that does not exist (destroyed twice?)");
        })?;
        executable.destroy()?;
        handle::remove::<Executable>(ended)?;
        Ok(())
    }

    /// The symbol of a name: `name.kd` for a kernel.
    fn hsa_executable_get_symbol_by_name(
        of: Handle, name: *const c_char, agent: *const Handle, symbol: *mut Handle,
    ) in running {
        let executable = executable(of)?;
        let agent = agent::get(element(agent, 0)?)?.number;
        let key = (agent, text(name)?.to_owned());
        let found = executable.state.lock().symbols.get(&key).copied();
        store(symbol, found.ok_or(Failure::ERROR_INVALID_SYMBOL_NAME)?)
    }

    /// The symbols of an agent.
    fn hsa_executable_iterate_agent_symbols(of: Handle, agent: Handle, visit: Visit, data: *mut c_void) in running {
        let (executable, number) = (executable(of)?, agent::get(agent)?.number);
        let callback = visit.ok_or(Failure::ERROR_INVALID_ARGUMENT)?;
        let symbols = executable.state.lock().symbols.clone();
        for (_, symbol) in symbols.into_iter().filter(|((own, _), _)| *own == number) {
            // SAFETY: the caller's contract.
            let status = unsafe { callback(of, agent, symbol, data) };
            if status != 0 {
                return Err(Failure(status));
            }
        }
        Ok(())
    }

    /// A property of a symbol.
    fn hsa_executable_symbol_get_info(of: Handle, attribute: u32, result: *mut c_void) in running {
        let symbol = handle::get::<Symbol>(of).map_err(|_| Failure::ERROR_INVALID_EXECUTABLE_SYMBOL)?;
        attribute::store(result, &value(&symbol, attribute)?)
    }
}

//! Modules, their kernels and variables.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Arc;

use crate::context::{current, expect_current};
use crate::device::DEFAULT_SHARED;
use crate::module::{Function, Module};
use crate::result::{Failure, Outcome};
use fake_driver::handle::{self, Handle};
use fake_driver::pointer::{element, store, store_if_wanted, store_text, text};

/// `CU_JIT_INFO_LOG_BUFFER` and its size, `CU_JIT_ERROR_LOG_BUFFER` and its size
const LOGS: [(c_int, c_int); 2] = [(3, 4), (5, 6)];
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
const MAX_DYNAMIC_SHARED: c_int = 8;

/// Stores the assembler's messages in the log that the caller wants: one log for success, another for errors.
fn store_log(
    log: &str,
    wanted: (c_int, c_int),
    options: &[(c_int, *mut c_void)],
    values: *mut *mut c_void,
) -> Outcome {
    let find = |number| options.iter().position(|(option, _)| *option == number);
    let (Some(buffer), Some(size)) = (find(wanted.0), find(wanted.1)) else {
        return Ok(());
    };
    let length = options[size].1 as usize;
    store_text::<Failure>(options[buffer].1.cast(), length, log)?;
    let written = log.len().min(length - 1);
    store(values.wrapping_add(size), written as *mut c_void)
}

fn module(raw: Handle) -> Outcome<Arc<Module>> {
    let module = handle::get::<Module>(raw)?;
    expect_current(&module.context)?;
    Ok(module)
}

/// A kernel of the current context.
pub fn function(raw: Handle) -> Outcome<Arc<Function>> {
    let function = handle::get::<Function>(raw)?;
    expect_current(&function.module.context)?;
    Ok(function)
}

fake_driver::functions! {
    /// Loads PTX or machine code. Only the log options have an effect. The others do not change what a module
    /// does.
    fn cuModuleLoadDataEx(
        loaded: *mut Handle, image: *const c_void,
        count: c_uint, options: *mut c_int, values: *mut *mut c_void,
    ) in with_context {
        let pairs = (0..count as usize)
            .map(|index| Ok((element(options, index)?, element(values, index)?)))
            .collect::<Outcome<Vec<_>>>()?;
        let mut log = String::new();
        let outcome = Module::load(current()?, image.cast(), &mut log);
        store_log(&log, LOGS[usize::from(outcome.is_err())], &pairs, values)?;
        store(loaded, handle::add(outcome?))
    }

    /// Unloads a module, after all work of the context.
    fn cuModuleUnload(unloaded: Handle) in with_context {
        let module = module(unloaded)?;
        module.context.synchronize()?;
        module.unload();
        handle::remove::<Module>(unloaded)?;
        Ok(())
    }

    /// The kernel of a name.
    fn cuModuleGetFunction(found: *mut Handle, of: Handle, name: *const c_char) in with_context {
        store(found, module(of)?.function(text(name)?)?)
    }

    /// The variable of a name.
    fn cuModuleGetGlobal_v2(address: *mut u64, length: *mut usize, of: Handle, name: *const c_char) in with_context {
        let global = module(of)?.loaded.global(text(name)?).ok_or(Failure::NOT_FOUND)?;
        store_if_wanted(address, global.address.0);
        store_if_wanted(length, global.size as usize);
        Ok(())
    }

    /// A property of a kernel: threads of a block, static and dynamic shared memory. Local memory and registers
    /// are not known here.
    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, of: Handle) in with_context {
        let function = function(of)?;
        let info = function.kernel.info();
        let number = match attribute {
            0 => info.max_threads,
            1 => info.static_shared,
            MAX_DYNAMIC_SHARED => *function.dynamic_shared.lock(),
            3 | 4 => 0,
            _ => return Err(Failure::INVALID_VALUE),
        };
        store(value, number as c_int)
    }

    /// Sets the most dynamic shared memory. Together with static memory it must not exceed a block's limit.
    fn cuFuncSetAttribute(of: Handle, attribute: c_int, value: c_int) in with_context {
        let function = function(of)?;
        let wanted = u32::try_from(value).map_err(|_| Failure::INVALID_VALUE)?;
        let fixed = function.kernel.info().static_shared;
        let most = crate::attributes::value(&function.module.context.device, 97)? as u32;
        if attribute != MAX_DYNAMIC_SHARED || wanted > most.saturating_sub(fixed) {
            return Err(Failure::INVALID_VALUE);
        }
        *function.dynamic_shared.lock() = wanted.max(DEFAULT_SHARED.saturating_sub(fixed));
        Ok(())
    }

    /// How many blocks a multiprocessor holds, by threads, shared memory and the limit on blocks.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, of: Handle, block_size: c_int, dynamic_shared: usize,
    ) in with_context {
        let function = function(of)?;
        let device = &function.module.context.device;
        let attribute = |number| crate::attributes::value(device, number);
        let info = function.kernel.info();
        if block_size <= 0 {
            return Err(Failure::INVALID_VALUE);
        }
        if block_size as u32 > info.max_threads {
            return store(blocks, 0);
        }
        let shared = info.static_shared as usize + dynamic_shared;
        let by_threads = attribute(39)? / block_size;
        let by_shared = match shared {
            0 => by_threads,
            _ => (attribute(81)? as usize / shared).min(i32::MAX as usize) as i32,
        };
        store(blocks, by_threads.min(by_shared).min(attribute(106)?))
    }

    /// Offset and size of a kernel's parameter. An index past the last is an invalid value.
    fn cuFuncGetParamInfo(of: Handle, index: usize, offset: *mut usize, size: *mut usize) in with_context {
        let function = function(of)?;
        let parameter = function.kernel.info().parameters.get(index).ok_or(Failure::INVALID_VALUE)?;
        store::<_, Failure>(offset, parameter.offset as usize)?;
        store_if_wanted(size, parameter.size as usize);
        Ok(())
    }
}

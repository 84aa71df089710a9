//! Constructors and destructors of a module.
//!
//! Clang's device link leaves a kernel that calls the functions between `__init_array_start` and
//! `__init_array_end`. For each function it leaves a constant that holds the address and whose name ends in the
//! priority. This project's compiler uses the same LLVM pass, `nvptx-lower-ctor-dtor`. Only the host knows all of
//! these constants, so the host builds the array.

use plugin_api::{DevicePtr, Error, Kernel, Launch, MemoryKind, Module, Result};

use crate::memory::Memory;
use crate::module::CudaModule;
use crate::synchronous;

/// The names for constructors or for destructors.
pub struct Family {
    kernel: &'static str,
    object: &'static str,
    start: &'static str,
    end: &'static str,
}

/// Constructors. They run in order when a module is loaded.
pub const CONSTRUCTORS: Family = Family {
    kernel: "nvptx$device$init",
    object: "__init_array_object_",
    start: "__init_array_start",
    end: "__init_array_end",
};

/// Destructors. They run before the module is unloaded. The kernel begins at the end of the array.
pub const DESTRUCTORS: Family = Family {
    kernel: "nvptx$device$fini",
    object: "__fini_array_object_",
    start: "__fini_array_start",
    end: "__fini_array_end",
};

/// Runs them, if the module has any.
pub fn run(module: &CudaModule, memory: &Memory, family: &Family) -> Result<()> {
    // A module without that kernel has nothing to run. The driver is not asked in vain: compute-sanitizer takes that
    // for an error of the program. If the kernel exists but the driver cannot load it, the module must not be used.
    if !module.lists_kernel(family.kernel) {
        return Ok(());
    }
    let Some(kernel) = module.find_kernel(family.kernel)? else {
        return Ok(());
    };
    let functions = functions(module, family)?;
    let gpu = module.gpu();
    let array = memory.alloc(gpu, functions.len() as u64, MemoryKind::Device)?;
    let ran = run_array(module, &*kernel, family, array, &functions);
    ran.and(memory.free(gpu, array))
}

fn run_array(
    module: &CudaModule,
    kernel: &dyn Kernel,
    family: &Family,
    array: DevicePtr,
    functions: &[u8],
) -> Result<()> {
    let gpu = module.gpu();
    synchronous::write(gpu, array, functions)?;
    for (name, address) in [
        (family.start, array),
        (family.end, array.offset(functions.len() as i64)),
    ] {
        let variable = module
            .global(name)
            .ok_or_else(|| Error::Load(format!("the image has {} but no {name}", family.kernel)))?;
        synchronous::write(gpu, variable.address, &address.0.to_le_bytes())?;
    }
    kernel.launch(&Launch {
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 0,
        cooperative: false,
        args: &[],
    })
}

/// The addresses of the functions, by priority.
fn functions(module: &CudaModule, family: &Family) -> Result<Vec<u8>> {
    let mut objects: Vec<(u32, &str)> = module
        .constants()
        .filter_map(|name| Some((priority(name, family.object)?, name)))
        .collect();
    objects.sort();
    if objects.is_empty() {
        return Err(Error::Load(format!(
            "the image has {} but does not list the functions to call",
            family.kernel
        )));
    }
    let mut functions = Vec::new();
    for (_, name) in objects {
        let mut address = [0; 8];
        let object = module.global(name);
        let object = object.filter(|object| object.size == 8);
        let object =
            object.ok_or_else(|| Error::Load(format!("{name} is not a function's address")))?;
        synchronous::read(module.gpu(), &mut address, object.address)?;
        functions.extend(address);
    }
    Ok(functions)
}

/// The priority in the name of a function's constant.
fn priority(name: &str, prefix: &str) -> Option<u32> {
    name.strip_prefix(prefix)?.rsplit('_').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities() {
        let of = |name| priority(name, CONSTRUCTORS.object);
        assert_eq!(
            of("__init_array_object__GLOBAL__sub_I_a_cpp_88f7f003b764ff06_65535"),
            Some(65535)
        );
        assert_eq!(of("__init_array_object_f_1_101"), Some(101));
        assert_eq!(of("__fini_array_object_f_1_101"), None);
        assert_eq!(of("__init_array_object_f"), None);
    }
}

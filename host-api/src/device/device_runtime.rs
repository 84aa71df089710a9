//! Which device runtime an image was linked with. A binary that was linked for LLVM's `libomptarget.so` contains LLVM's
//! device runtime. It must run unchanged.

use plugin_api::Module;

/// The variable of both runtimes that the host writes.
const ENVIRONMENT: &str = "__omp_rtl_device_environment";
/// Variables that only our runtime has. `__omptarget_trap_record` (NVIDIA) holds the reason of a trap; every generic
/// kernel may trap (docs/abi.md, "Trap record"). `__omptarget_independent_lanes` (AMD) says whether lanes run
/// independently.
const OUR_OWN: [&str; 2] = ["__omptarget_trap_record", "__omptarget_independent_lanes"];

/// A device runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceRuntime {
    /// This project's, or none.
    Ours,
    /// LLVM's.
    Llvm,
}

impl DeviceRuntime {
    /// The runtime of a loaded image.
    pub fn of(module: &dyn Module) -> DeviceRuntime {
        DeviceRuntime::by_variables(|name| module.global(name).is_some())
    }

    fn by_variables(has: impl Fn(&str) -> bool) -> DeviceRuntime {
        if has(ENVIRONMENT) && !OUR_OWN.iter().any(|own| has(own)) {
            DeviceRuntime::Llvm
        } else {
            DeviceRuntime::Ours
        }
    }

    /// The block of a generic kernel. Our runtime has it along y (docs/abi.md, "Launch shape"). LLVM's has it along x,
    /// like every other block.
    pub fn generic_block(self, threads: u32) -> [u32; 3] {
        match self {
            DeviceRuntime::Ours => [1, threads, 1],
            DeviceRuntime::Llvm => [threads, 1, 1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_tell() {
        let of = |there: &[&str]| DeviceRuntime::by_variables(|name| there.contains(&name));
        assert_eq!(of(&[]), DeviceRuntime::Ours);
        for own in OUR_OWN {
            assert_eq!(of(&[own]), DeviceRuntime::Ours);
            assert_eq!(of(&[ENVIRONMENT, own]), DeviceRuntime::Ours);
        }
        assert_eq!(of(&[ENVIRONMENT]), DeviceRuntime::Llvm);
    }
}

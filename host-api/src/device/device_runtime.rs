//! Whose device runtime an image was linked with. A binary that was linked for LLVM's `libomptarget.so` brings LLVM's, and is to run
//! unchanged.

use plugin_api::Module;

/// What both runtimes have the host write.
const ENVIRONMENT: &str = "__omp_rtl_device_environment";
/// What images with ours have besides, for NVIDIA's and for AMD's GPUs: where ours leaves the reason of a trap, which every generic
/// kernel may (docs/abi.md, "Trap record"), and the question whether lanes run on their own.
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
    /// That of a loaded image.
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

    /// The block of a generic kernel: ours has it along y (docs/abi.md, "Launch shape"), LLVM's along x like every other.
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

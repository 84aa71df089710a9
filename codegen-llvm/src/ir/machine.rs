//! Target machines: LLVM's back ends, and pass pipelines configured for them.

use anyhow::{Result, anyhow, bail};
use codegen::CpuLevel;
use llvm_sys::error::LLVMErrorRef;
use llvm_sys::target_machine::{
    LLVMCodeGenFileType, LLVMCodeGenOptLevel, LLVMCodeModel, LLVMRelocMode, LLVMTargetMachineRef,
};
use llvm_sys::transforms::pass_builder::LLVMPassBuilderOptionsRef;
use parking_lot::Mutex;

use super::{Module, Value, c_string, take_message};

/// A configured back end.
pub struct Machine(LLVMTargetMachineRef);

/// What to configure.
pub struct MachineOptions<'a> {
    /// Target triple.
    pub triple: &'a str,
    /// CPU, empty for the triple's default.
    pub cpu: &'a str,
    /// Features, `+a,-b`.
    pub features: &'a str,
    /// Optimisation level, 0 to 3.
    pub level: u8,
}

impl Machine {
    /// A back end for a GPU of NVIDIA's.
    #[cfg(test)]
    pub fn nvidia() -> Machine {
        initialise_gpus();
        Machine::new(&MachineOptions {
            triple: "nvptx64-nvidia-cuda",
            cpu: "sm_80",
            features: "+ptx73",
            level: 2,
        })
        .unwrap()
    }

    /// Configures a back end.
    pub fn new(options: &MachineOptions<'_>) -> Result<Machine> {
        let triple = c_string(options.triple);
        let (mut target, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        let failed = llvm!(target_machine::LLVMGetTargetFromTriple(
            triple.as_ptr(),
            &mut target,
            &mut message
        )) != 0;
        let message = take_message(message);
        if failed {
            bail!(
                "this LLVM has no back end for {}: {message}",
                options.triple
            );
        }
        let level = match options.level {
            0 => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            1 => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
            2 => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
            _ => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
        };
        let raw = llvm!(target_machine::LLVMCreateTargetMachine(
            target,
            triple.as_ptr(),
            c_string(options.cpu).as_ptr(),
            c_string(options.features).as_ptr(),
            level,
            LLVMRelocMode::LLVMRelocPIC,
            LLVMCodeModel::LLVMCodeModelSmall,
        ));
        if raw.is_null() {
            bail!(
                "LLVM cannot configure its back end for {} {}",
                options.triple,
                options.cpu
            );
        }
        Ok(Machine(raw))
    }

    /// Whether it was configured with a feature, such as `avx512f`.
    pub fn has(&self, feature: &str) -> bool {
        let all = llvm!(target_machine::LLVMGetTargetMachineFeatureString(self.0));
        let wanted = format!("+{feature}");
        take_message(all).split(',').any(|each| each == wanted)
    }

    /// The CPU that it was configured for.
    pub fn cpu(&self) -> String {
        take_message(llvm!(target_machine::LLVMGetTargetMachineCPU(self.0)))
    }

    /// The data layout of the target, as text.
    pub fn layout(&self) -> String {
        let layout = llvm!(target_machine::LLVMCreateTargetDataLayout(self.0));
        take_message(llvm!(target::LLVMCopyStringRepOfTargetData(layout)))
    }

    /// Runs passes named as `opt -passes` names them.
    pub fn run_passes(&self, module: &Module, passes: &str) -> Result<()> {
        self.run_pipeline(module, passes, true)
    }

    /// The same; `unroll` says whether LLVM's pipelines among the passes unroll loops.
    pub fn run_pipeline(&self, module: &Module, passes: &str, unroll: bool) -> Result<()> {
        let error = with_options(|options| {
            llvm!(
                transforms::pass_builder::LLVMPassBuilderOptionsSetLoopUnrolling(
                    options,
                    i32::from(unroll)
                )
            );
            llvm!(transforms::pass_builder::LLVMRunPasses(
                module.raw,
                c_string(passes).as_ptr(),
                self.0,
                options
            ))
        });
        outcome(module, passes, error)
    }

    /// The same for passes that work on functions, on one function of the module.
    pub fn run_function_passes(
        &self,
        module: &Module,
        function: Value,
        passes: &str,
    ) -> Result<()> {
        let error = with_options(|options| {
            llvm!(transforms::pass_builder::LLVMRunPassesOnFunction(
                function.0,
                c_string(passes).as_ptr(),
                self.0,
                options
            ))
        });
        outcome(module, passes, error)
    }

    /// Emits an object file.
    pub fn emit_object(&self, module: &Module) -> Result<Vec<u8>> {
        self.emit(module, LLVMCodeGenFileType::LLVMObjectFile)
    }

    /// Emits assembly.
    pub fn emit_assembly(&self, module: &Module) -> Result<Vec<u8>> {
        self.emit(module, LLVMCodeGenFileType::LLVMAssemblyFile)
    }

    fn emit(&self, module: &Module, kind: LLVMCodeGenFileType) -> Result<Vec<u8>> {
        let (mut buffer, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        let failed = llvm!(target_machine::LLVMTargetMachineEmitToMemoryBuffer(
            self.0,
            module.raw,
            kind,
            &mut message,
            &mut buffer
        )) != 0;
        let message = take_message(message);
        if failed {
            bail!("emitting code: {message}");
        }
        let (start, size) = (
            llvm!(core::LLVMGetBufferStart(buffer)),
            llvm!(core::LLVMGetBufferSize(buffer)),
        );
        // SAFETY: the buffer has `size` bytes at `start` and is disposed only after the copy.
        let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), size) }.to_vec();
        llvm!(core::LLVMDisposeMemoryBuffer(buffer));
        errors_of(module, "emitting code")?;
        Ok(bytes)
    }
}

/// Runs passes with LLVM's default options for them.
fn with_options(run: impl FnOnce(LLVMPassBuilderOptionsRef) -> LLVMErrorRef) -> LLVMErrorRef {
    let options = llvm!(transforms::pass_builder::LLVMCreatePassBuilderOptions());
    let error = run(options);
    llvm!(transforms::pass_builder::LLVMDisposePassBuilderOptions(
        options
    ));
    error
}

/// What LLVM said about passes.
fn outcome(module: &Module, passes: &str, error: LLVMErrorRef) -> Result<()> {
    if error.is_null() {
        return errors_of(module, "optimising");
    }
    let text = llvm!(error::LLVMGetErrorMessage(error));
    // SAFETY: LLVM's error messages are NUL-terminated and stay valid until disposed.
    let message = unsafe { std::ffi::CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned();
    llvm!(error::LLVMDisposeErrorMessage(text));
    bail!("optimising with {passes}: {message}")
}

/// Turns errors that LLVM reported meanwhile into one.
fn errors_of(module: &Module, what: &str) -> Result<()> {
    let errors = module.context.take_errors();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(anyhow!("{what}: {}", errors.join("; ")))
    }
}

/// The CPU that code is compiled for, usually the one that this process runs on.
pub struct Host {
    /// Its name as LLVM knows it.
    pub cpu: String,
    /// Its features.
    pub features: String,
}

impl Host {
    /// Any CPU of a level.
    pub fn of(level: CpuLevel) -> Host {
        let (cpu, features) = level.llvm_cpu();
        Host {
            cpu: cpu.to_owned(),
            features: features.to_owned(),
        }
    }

    /// Asks the CPU.
    pub fn detect() -> Host {
        Host {
            cpu: take_message(llvm!(target_machine::LLVMGetHostCPUName())),
            features: take_message(llvm!(target_machine::LLVMGetHostCPUFeatures())),
        }
    }
}

/// Held while LLVM adds back ends to its list, as threads of tests do at the same time. LLVM passes over those that it
/// has, but takes one for known that another thread is about to add.
static REGISTRY: Mutex<()> = Mutex::new(());

/// Initialises the back end for x86, with what inline assembly needs.
pub fn initialise_x86() {
    let _lock = REGISTRY.lock();
    llvm!(target::LLVMInitializeX86TargetInfo());
    llvm!(target::LLVMInitializeX86Target());
    llvm!(target::LLVMInitializeX86TargetMC());
    llvm!(target::LLVMInitializeX86AsmPrinter());
    llvm!(target::LLVMInitializeX86AsmParser());
}

/// Initialises the back end for 64-bit ARM, with what inline assembly needs.
pub fn initialise_aarch64() {
    let _lock = REGISTRY.lock();
    llvm!(target::LLVMInitializeAArch64TargetInfo());
    llvm!(target::LLVMInitializeAArch64Target());
    llvm!(target::LLVMInitializeAArch64TargetMC());
    llvm!(target::LLVMInitializeAArch64AsmPrinter());
    llvm!(target::LLVMInitializeAArch64AsmParser());
}

/// Initialises the back ends for GPUs: NVPTX, and AMDGPU with what inline assembly needs.
pub fn initialise_gpus() {
    let _lock = REGISTRY.lock();
    llvm!(target::LLVMInitializeNVPTXTargetInfo());
    llvm!(target::LLVMInitializeNVPTXTarget());
    llvm!(target::LLVMInitializeNVPTXTargetMC());
    llvm!(target::LLVMInitializeNVPTXAsmPrinter());
    llvm!(target::LLVMInitializeAMDGPUTargetInfo());
    llvm!(target::LLVMInitializeAMDGPUTarget());
    llvm!(target::LLVMInitializeAMDGPUTargetMC());
    llvm!(target::LLVMInitializeAMDGPUAsmPrinter());
    llvm!(target::LLVMInitializeAMDGPUAsmParser());
}

/// Sets options of LLVM that only its command line offers.
pub fn set_llvm_options(options: &[&str]) {
    let owned: Vec<_> = std::iter::once("omptarget-codegen")
        .chain(options.iter().copied())
        .map(c_string)
        .collect();
    let raw: Vec<_> = owned.iter().map(|option| option.as_ptr()).collect();
    llvm!(support::LLVMParseCommandLineOptions(
        raw.len() as i32,
        raw.as_ptr(),
        c"".as_ptr()
    ));
}

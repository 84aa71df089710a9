//! The device passes in clang's own device link, whose back end then makes machine code.

use anyhow::{Context as _, Result, bail};
use llvm_sys::prelude::LLVMModuleRef;

use crate::analysis::{kernels, target};
use crate::device::pipeline::{self, Image, Output};
use crate::device::{host_pointers, local_space, undefined};
use crate::ir::{Machine, MachineOptions, Module, Value};
use crate::pass_manager::Instrumentation;

/// How to run the passes: the options in `omptarget<…>`.
#[derive(Clone, Debug)]
pub struct LinkOptions {
    level: u8,
    instrumentation: Instrumentation,
}

impl std::str::FromStr for LinkOptions {
    type Err = String;

    /// `O2`, and after it `;verify-each` and any number of `;print-after=PASS`.
    fn from_str(text: &str) -> Result<LinkOptions, String> {
        let mut parts = text.split(';');
        let level = match parts.next() {
            Some("O1") => 1,
            Some("O2") => 2,
            Some("O3") => 3,
            _ => return Err(format!("`{text}` does not begin with O1, O2 or O3")),
        };
        let mut instrumentation = Instrumentation::default();
        for part in parts {
            match part.strip_prefix("print-after=") {
                Some(pass) if is_pass(pass) => instrumentation.print_after.push(pass.to_owned()),
                None if part == "verify-each" => instrumentation.verify_each = true,
                _ => {
                    return Err(format!(
                        "`{part}` is neither verify-each nor print-after=PASS"
                    ));
                }
            }
        }
        Ok(LinkOptions {
            level,
            instrumentation,
        })
    }
}

fn is_pass(name: &str) -> bool {
    let outputs = [Output::NvidiaLink, Output::AmdLink];
    outputs
        .into_iter()
        .flat_map(pipeline::pass_names)
        .any(|pass| pass == name)
}

/// What comes first in a device link, before LLVM's link-time passes.
///
/// # Safety
///
/// As [`run`].
pub unsafe fn begin(module: LLVMModuleRef) {
    // SAFETY: as the caller promises.
    let module = unsafe { Module::of_linker(module) };
    host_pointers::drop_idle(&module);
    // Objects that clang compiled without our passes are among the program's.
    if target::is_nvidias(&module) {
        local_space::run(&module);
    }
}

/// What comes last in a device link, after LLVM's link-time passes.
///
/// Errors name calls of functions that nobody defines, and the places of the calls.
///
/// # Safety
///
/// As [`run`].
pub unsafe fn end(module: LLVMModuleRef) -> Result<()> {
    // SAFETY: as the caller promises.
    let module = unsafe { Module::of_linker(module) };
    if target::is_nvidias(&module) {
        local_space::run(&module);
    }
    for warning in host_pointers::lost_tables(&module) {
        eprintln!("warning: {warning}");
    }
    undefined::refuse_reached(&module)
}

/// Improves and optimises the linked module of a whole program (see [`pipeline`]). A module without kernels stays as
/// it is.
///
/// An error names what the GPU cannot do and the place in the program's source.
///
/// # Safety
///
/// `module` is a valid module that nothing else uses during the call.
pub unsafe fn run(module: LLVMModuleRef, options: &LinkOptions) -> Result<()> {
    // SAFETY: as the caller promises.
    let module = unsafe { Module::of_linker(module) };
    let kernels = kernels::find(&module);
    let Some(kernel) = kernels.first() else {
        return Ok(());
    };
    let attribute = |name| kernel.function.text_attribute(name).unwrap_or_default();
    let triple = module.triple();
    let output = match target::is_nvidias(&module) {
        true => Output::NvidiaLink,
        false => Output::AmdLink,
    };
    if module.globals().iter().any(is_laid_out) {
        bail!(
            "the pass omptarget has to come before lto<…> in --lto-newpm-passes, \
             which ends with laying out AMD GPUs' shared memory"
        );
    }
    let machine = Machine::new(&MachineOptions {
        triple: &triple,
        cpu: &attribute("target-cpu"),
        features: &attribute("target-features"),
        level: options.level,
    })
    .context("omptarget's passes in the device link")?;
    let mut image = Image {
        module,
        machine,
        output,
        level: options.level,
        openmp_opt: true,
    };
    pipeline::run(&mut image, &options.instrumentation)
}

/// Whether a variable is AMD's shared memory as LLVM's link-time passes lay it out.
fn is_laid_out(variable: &Value) -> bool {
    let name = variable.name();
    name.starts_with("llvm.amdgcn.") && name.ends_with(".lds")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, initialise_gpus};

    /// A module after the passes.
    fn linked(text: &str) -> Result<String> {
        initialise_gpus();
        let module = Module::parse(Context::new(), text, "test").unwrap();
        // SAFETY: it is valid and only used here.
        unsafe { run(module.raw(), &"O2".parse().unwrap()) }?;
        module.verify("after the link").unwrap();
        Ok(module.print())
    }

    const HEAD: &str =
        "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
declare ptr @realloc(ptr, i64)
";

    #[test]
    fn a_kernel_gets_what_ptx_gets() {
        let linked = linked(&format!(
            "{HEAD}@shared = internal addrspace(3) global i32 poison, align 16
@k_kernel_environment = weak_odr protected constant {{ {{ i8, i8, i8 }} }} {{ {{ i8, i8, i8 }} {{ i8 0, i8 0, i8 1 }} }}
define ptx_kernel void @k(ptr %p, ptr %out) #0 {{
  store volatile i32 1, ptr addrspace(3) @shared, align 16
  %r = call ptr @realloc(ptr %p, i64 8)
  store ptr %r, ptr %out
  ret void
}}
attributes #0 = {{ \"target-cpu\"=\"sm_80\" \"nvvm.maxntid\"=\"128\" }}
"
        ))
        .unwrap();
        for fact in [
            "@shared = internal addrspace(3) global i32 poison, align 4",
            "store volatile i32 1, ptr addrspace(3) @shared, align 4",
            "declare noalias noundef ptr @malloc(i64",
            "\"nvvm.maxntid\"=\"160\"",
        ] {
            assert!(linked.contains(fact), "{fact} in {linked}");
        }
        assert!(!linked.contains("@realloc"), "{linked}");
    }

    const AMD: &str = "target triple = \"amdgcn-amd-amdhsa\"
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.amdgcn.workitem.id.x()
";

    /// Runtime state that is only written goes, and guards get their barriers, with the fences that order memory there.
    #[test]
    fn amds_kernels_are_folded_and_guarded() {
        let linked = linked(&format!(
            "{AMD}@state = internal addrspace(3) global i32 poison, align 16
@k_kernel_environment = weak_odr protected constant {{ {{ i8, i8, i8 }} }} {{ {{ i8, i8, i8 }} {{ i8 0, i8 0, i8 3 }} }}
@k_exec_mode = weak protected constant i8 3
define amdgpu_kernel void @k(ptr %p) #0 {{
  store i32 1, ptr addrspace(3) @state
  %x = load volatile i32, ptr %p
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %id, 0
  br i1 %first, label %guarded, label %all
guarded:
  %more = add i32 %x, 1
  store i32 %more, ptr %p
  br label %all
all:
  fence syncscope(\"workgroup\") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope(\"workgroup\") acquire
  %y = load volatile i32, ptr %p
  ret void
}}
attributes #0 = {{ \"target-cpu\"=\"gfx90a\" }}
"
        ))
        .unwrap();
        assert!(!linked.contains("@state"), "{linked}");
        let barrier = "fence syncscope(\"workgroup\") release";
        assert_eq!(linked.matches(barrier).count(), 2, "{linked}");
        assert_eq!(
            linked.matches("call void @llvm.amdgcn.s.barrier()").count(),
            2,
            "{linked}"
        );
    }

    #[test]
    fn what_comes_too_late_is_refused() {
        let text = format!(
            "{AMD}@llvm.amdgcn.kernel.k.lds = internal addrspace(3) global i32 poison
define amdgpu_kernel void @k() {{\n  store i32 1, ptr addrspace(3) @llvm.amdgcn.kernel.k.lds\n  ret void\n}}\n"
        );
        let refused = linked(&text).unwrap_err().to_string();
        assert!(refused.contains("before lto<"), "{refused}");
    }

    #[test]
    fn without_a_kernel_nothing_changes() {
        let text = format!(
            "{HEAD}define ptr @f(ptr %p) {{\n  %r = call ptr @realloc(ptr %p, i64 8)\n  ret ptr %r\n}}\n"
        );
        let linked = linked(&text).unwrap();
        assert!(linked.contains("call ptr @realloc("), "{linked}");
    }

    #[test]
    fn what_a_gpu_has_not_is_refused() {
        let text = format!(
            "{HEAD}define ptx_kernel void @k(double %d, ptr %out) {{
  %x = fpext double %d to fp128\n  store fp128 %x, ptr %out\n  ret void\n}}\n"
        );
        let refused = linked(&text).unwrap_err().to_string();
        assert!(refused.contains("long double"), "{refused}");
    }

    #[test]
    fn options_are_a_level_and_instrumentation() {
        let options = |text: &str| text.parse::<LinkOptions>();
        assert_eq!(options("O3").unwrap().level, 3);
        let watched = options("O2;verify-each;print-after=fold")
            .unwrap()
            .instrumentation;
        assert!(watched.verify_each && watched.prints_after("fold"));
        for wrong in [
            "",
            "O0",
            "O4",
            "O2;",
            "O2;print-after=runtime",
            "O2;print-before=fold",
        ] {
            assert!(options(wrong).is_err(), "{wrong}");
        }
    }
}

//! Gives kernels that ask for a second dimension forms for blocks of short rows.
//!
//! A warp is 32 threads with consecutive linear numbers. The virtual GPU runs a warp as vectors if the warp lies in one
//! row of the block; of a block of 16 by 16 a warp has two. In a form for rows of 16, the block is a line of 256,
//! `tid.x` is a thread's number in it modulo 16, and `tid.y` what is left. The vectoriser knows such numbers as tiles
//! (`docs/decisions/0051-lanes-as-rows-of-tiles.md`). Planes of a block are rows of lines: of a block of 8 by 8 by 4
//! becomes one of 64 by 4, and `tid.z` is the number of the line. The plugin chooses the form at each launch
//! ([`vgpu_abi::artifact::ShortRows`]).
//!
//! A kernel that never waits runs rows of 16 without: its subgroups are no wider.
//!
//! Needs: kernels' calling convention, NVIDIA's intrinsics, the image's runtime linked. Leaves: the forms, as kernels
//! with the attribute [`FORM`].

use anyhow::Result;
use llvm_sys::LLVMLinkage::{self, LLVMExternalLinkage, LLVMInternalLinkage};
use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMLShr};
use vgpu_abi::artifact::ShortRows;
use vgpu_abi::summary::ExecutionMode;

use super::unit::{Forms, Unit};
use crate::analysis::block_shape::{Dimension, read_by};
use crate::analysis::exec_mode;
use crate::analysis::kernels::{self, NVIDIA_BLOCK, NVIDIA_BOUND};
use crate::analysis::target::{MAX_THREADS, SHARED, is_nvidias};
use crate::ir::{Builder, Machine, Module, Type, Value};

/// Lengths of rows that get forms.
const LENGTHS: [u32; 2] = [8, 16];

/// The length of rows for which kernels that never wait get a form, too.
const SHORTEST: u32 = 8;

/// Most instructions of a kernel that gets such forms. Larger ones cost too much time to compile again.
const MOST: usize = 2000;

/// A kernel that gets forms.
struct Candidate {
    name: String,
    /// Whether its threads wait for others.
    waits: bool,
}

/// The attribute of a form: the length of its rows and the kernel's name, with a space between.
const FORM: &str = "vgpu.short-rows";

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let wanted = unit.options.forms == Forms::All && unit.options.level > 0;
    match wanted && is_nvidias(&unit.module) {
        true => add(&unit.module, &unit.image_machine()?),
        false => Ok(()),
    }
}

/// What a kernel is a form of, if it is one.
pub fn form_of(kernel: Value) -> Option<ShortRows> {
    let text = kernel.text_attribute(FORM)?;
    let (columns, of) = text.split_once(' ')?;
    Some(ShortRows {
        of: of.to_owned(),
        columns: columns.parse().ok()?,
    })
}

/// Adds the forms.
fn add(module: &Module, machine: &Machine) -> Result<()> {
    let candidates = candidates(module);
    if candidates.is_empty() {
        return Ok(());
    }
    let shared = share(module);
    for columns in LENGTHS {
        let wanted = candidates
            .iter()
            .filter(|it| it.waits || columns == SHORTEST);
        let names: Vec<&str> = wanted.map(|it| it.name.as_str()).collect();
        if names.is_empty() {
            continue;
        }
        let copy = module.duplicate();
        hide(&copy);
        for kernel in kernels::find(&copy) {
            if names.contains(&kernel.name.as_str()) {
                reshape(&copy, kernel.function, columns);
            }
        }
        refer(&copy);
        machine.run_passes(&copy, "globaldce,early-cse,instcombine<no-verify-fixpoint>")?;
        module.link(copy)?;
    }
    for (variable, linkage) in shared {
        variable.set_linkage(linkage);
    }
    Ok(())
}

/// The kernels that get forms.
fn candidates(module: &Module) -> Vec<Candidate> {
    let wanted = kernels::find(module).into_iter().filter(|kernel| {
        let function = kernel.function;
        let instructions = function.instructions();
        let asks = |&instruction: &Value| read_by(instruction) == Some(Dimension::ThreadY);
        instructions.len() <= MOST
            && !function.has_function_attribute("optnone")
            && exec_mode::of(module, &kernel.name) == ExecutionMode::Bare
            && instructions.iter().any(asks)
            && !calls_for_shape(function)
    });
    wanted
        .map(|kernel| Candidate {
            waits: kernel.function.instructions().into_iter().any(waits),
            name: kernel.name,
        })
        .collect()
}

/// Whether a function that the kernel calls asks for the block's shape: it would get the line's. What calls through
/// pointers might, too.
fn calls_for_shape(kernel: Value) -> bool {
    let mut seen = vec![kernel];
    let mut next = 0;
    while let Some(&function) = seen.get(next) {
        for call in function
            .instructions()
            .into_iter()
            .filter(|it| it.is_call())
        {
            if next > 0 && read_by(call).is_some() {
                return true;
            }
            match call.called_function() {
                Some(called) if called.is_declaration() || seen.contains(&called) => {}
                Some(called) => seen.push(called),
                None if call.called().is_inline_assembly() => {}
                None => return true,
            }
        }
        next += 1;
    }
    false
}

/// Whether it is a barrier, or an operation of the warp.
fn waits(instruction: Value) -> bool {
    let waiting = [
        "llvm.nvvm.barrier",
        "llvm.nvvm.bar",
        "llvm.nvvm.shfl",
        "llvm.nvvm.vote",
    ];
    let called = instruction.called_function().map(Value::name);
    called.is_some_and(|name| waiting.iter().any(|prefix| name.starts_with(prefix)))
}

/// Has a kernel take its block for a line, or for several that are its planes.
fn reshape(module: &Module, kernel: Value, columns: u32) {
    let shift = u64::from(columns.trailing_zeros());
    for instruction in kernel.instructions() {
        let Some(dimension) = read_by(instruction) else {
            continue;
        };
        let Some(next) = instruction.next() else {
            continue;
        };
        let builder = Builder::before(module.context, next);
        builder.locate_as(instruction);
        let ty = instruction.ty();
        let read = |register| {
            let name = format!("llvm.nvvm.read.ptx.sreg.{register}");
            builder.call_function(module.declare(&name, Type::function(ty, &[])), &[])
        };
        let number = |value| Value::int(ty, value);
        let answer = match dimension {
            Dimension::ThreadX => {
                builder.binary(LLVMAnd, read("tid.x"), number(u64::from(columns) - 1))
            }
            Dimension::ThreadY => builder.binary(LLVMLShr, read("tid.x"), number(shift)),
            Dimension::ThreadsX => number(u64::from(columns)),
            Dimension::ThreadsY => builder.binary(LLVMLShr, read("ntid.x"), number(shift)),
            Dimension::ThreadZ => read("tid.y"),
            Dimension::ThreadsZ => read("ntid.y"),
        };
        // SAFETY: the snapshot's handle of this instruction is not used again.
        unsafe { instruction.replace_with(answer) };
    }
    kernel.remove_text_attribute(NVIDIA_BLOCK);
    // Whole warps, which tiles need.
    kernel.set_text_attribute(module.context, NVIDIA_BOUND, &MAX_THREADS.to_string());
    let name = kernel.name();
    kernel.set_text_attribute(module.context, FORM, &format!("{columns} {name}"));
    kernel.set_name(&format!("{name}.rows{columns}"));
    kernel.set_linkage(LLVMExternalLinkage);
}

/// Variables that outlive a block exist once: local ones become visible, so that a copy can refer to them. Gives what
/// they were.
fn share(module: &Module) -> Vec<(Value, LLVMLinkage)> {
    let is_one = |variable: &Value| outlives_blocks(*variable) && variable.is_local();
    let shared: Vec<_> = module.globals().into_iter().filter(is_one).collect();
    let share = |(number, variable): (usize, Value)| {
        if variable.name().is_empty() {
            variable.set_name(&format!("vgpu.variable.{number}"));
        }
        let linkage = variable.linkage();
        variable.set_linkage(LLVMExternalLinkage);
        (variable, linkage)
    };
    shared.into_iter().enumerate().map(share).collect()
}

/// Makes the functions of a copy its own.
fn hide(copy: &Module) {
    for function in copy.definitions() {
        function.drop_comdat();
        function.set_linkage(LLVMInternalLinkage);
    }
}

/// Has a copy refer to the variables that exist once.
fn refer(copy: &Module) {
    for variable in copy.globals() {
        if variable.name().starts_with("llvm.") {
            // SAFETY: nothing refers to LLVM's own lists. The original has them.
            unsafe { variable.delete_global() };
        } else if outlives_blocks(variable) {
            variable.drop_comdat();
            variable.set_linkage(LLVMExternalLinkage);
            variable.drop_initializer();
        } else if !variable.is_declaration() {
            variable.drop_comdat();
            variable.set_linkage(LLVMInternalLinkage);
        }
    }
}

/// Whether a variable keeps its value from block to block, or has an address that the host knows.
fn outlives_blocks(variable: Value) -> bool {
    let is_literal = variable.is_constant_variable() && variable.is_local();
    !variable.is_declaration()
        && !is_literal
        && variable.ty().address_space() != SHARED
        && !variable.name().starts_with("llvm.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, MachineOptions, initialise_gpus};

    const TEXT: &str = r#"target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [64 x i32] poison, align 4
@counter = internal addrspace(1) global i32 0, align 4
$shared = comdat any
@table = linkonce_odr addrspace(4) constant i32 7, comdat($shared), align 4
@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @counter to ptr)], section "llvm.metadata"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define linkonce_odr i32 @helper(i32 %x) noinline {
  %table = load i32, ptr addrspace(4) @table
  %sum = add i32 %table, %x
  ret i32 %sum
}
define linkonce_odr i32 @row() noinline {
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ret i32 %y
}
define ptx_kernel void @asks_elsewhere(ptr addrspace(1) %out) {
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = call i32 @row()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %row, ptr addrspace(1) %out
  ret void
}
define ptx_kernel void @waits(ptr addrspace(1) %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %sum = add i32 %x, %y
  store i32 %sum, ptr addrspace(3) @tile
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %old = atomicrmw add ptr addrspace(1) @counter, i32 1 monotonic
  %new = call i32 @helper(i32 %old)
  store i32 %new, ptr addrspace(1) %out
  ret void
}
define ptx_kernel void @runs(ptr addrspace(1) %out) {
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  store i32 %y, ptr addrspace(1) %out
  ret void
}
"#;

    #[test]
    fn kernels_get_forms_and_variables_stay_one() {
        initialise_gpus();
        let context = Context::new();
        let machine = Machine::new(&MachineOptions {
            triple: "nvptx64-nvidia-cuda",
            cpu: "sm_80",
            features: "+ptx78",
            level: 2,
        })
        .unwrap();
        let module = Module::parse(context, TEXT, "test").unwrap();
        module.set_layout(&machine.layout());
        add(&module, &machine).unwrap();
        module.verify("after the pass").unwrap();
        let mut names: Vec<_> = kernels::find(&module)
            .into_iter()
            .map(|kernel| kernel.name)
            .collect();
        names.sort();
        assert_eq!(
            names,
            [
                "asks_elsewhere",
                "runs",
                "runs.rows8",
                "waits",
                "waits.rows16",
                "waits.rows8"
            ]
        );
        let form = module.function("waits.rows16").and_then(form_of).unwrap();
        assert_eq!((form.of.as_str(), form.columns), ("waits", 16));
        assert_eq!(module.function("waits").and_then(form_of), None);
        let text = module.print();
        assert!(
            text.contains("@counter = internal addrspace(1) global"),
            "{text}"
        );
        assert_eq!(text.matches("addrspace(1) global").count(), 1, "{text}");
        assert!(text.contains("and i32"), "{text}");
        assert!(text.contains("lshr i32"), "{text}");
        assert!(text.contains("\"nvvm.maxntid\"=\"1024\""), "{text}");
    }
}

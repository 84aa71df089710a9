//! Gives kernels that wait and ask for a second dimension forms for work-groups of short rows.
//!
//! A warp is 32 work-items with consecutive linear numbers. The virtual GPU runs a warp as vectors if the warp lies in
//! one row of the work-group; of a work-group of 16 by 16 a warp has two. In a form for rows of 16, the work-group is a
//! line of 256, `get_local_id(0)` is a work-item's number in it modulo 16, and `get_local_id(1)` what is left. The
//! vectoriser knows such numbers as tiles (`docs/decisions/0051-lanes-as-rows-of-tiles.md`). The host chooses the form
//! at each launch ([`codegen::opencl::short_rows`]).
//!
//! Needs: kernels into which everything that asks for the dimensions is inlined, optimised.

use anyhow::Result;
use codegen::opencl::{SHORT_ROWS, short_rows};
use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};
use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMLShr};

use crate::analysis::block_shape::{Dimension, read_by};
use crate::analysis::kernels::{self, NVIDIA_BOUND};
use crate::analysis::target::{MAX_THREADS, SHARED};
use crate::ir::{Builder, Machine, Module, Value};

/// Most instructions of a kernel that gets such forms. Larger ones cost too much time to compile again.
const MOST: usize = 2000;

/// Adds the forms.
pub fn run(module: &Module, machine: &Machine) -> Result<()> {
    let names = candidates(module);
    if names.is_empty() {
        return Ok(());
    }
    let shared = share(module);
    for columns in SHORT_ROWS {
        let copy = module.duplicate();
        for kernel in kernels::find(&copy) {
            match names.contains(&kernel.name) {
                true => reshape(&copy, kernel.function, columns),
                false => kernel.function.set_linkage(LLVMInternalLinkage),
            }
        }
        refer(&copy);
        machine.run_passes(&copy, "globaldce,early-cse,instcombine")?;
        module.link(copy)?;
    }
    for variable in shared {
        variable.set_linkage(LLVMInternalLinkage);
    }
    Ok(())
}

/// The kernels that get forms.
fn candidates(module: &Module) -> Vec<String> {
    let kernels = kernels::find(module);
    let is_kernel = |function: &Value| kernels.iter().any(|kernel| kernel.function == *function);
    let mut others = module.definitions().into_iter();
    if others.any(|function| !is_kernel(&function) && reads_shape(function)) {
        return Vec::new();
    }
    let wanted = kernels.into_iter().filter(|kernel| {
        let instructions = kernel.function.instructions();
        let asks = |&instruction: &Value| read_by(instruction) == Some(Dimension::ThreadY);
        instructions.len() <= MOST
            && instructions.iter().any(asks)
            && instructions.iter().any(|&instruction| waits(instruction))
    });
    wanted.map(|kernel| kernel.name).collect()
}

fn reads_shape(function: Value) -> bool {
    let instructions = function.instructions();
    instructions.into_iter().any(|it| read_by(it).is_some())
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

/// Has a kernel take the work-group for a line.
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
        let line = |of| {
            let name = format!("llvm.nvvm.read.ptx.sreg.{of}.x");
            builder.call_function(
                module.declare(&name, crate::ir::Type::function(ty, &[])),
                &[],
            )
        };
        let number = |value| Value::int(ty, value);
        let answer = match dimension {
            Dimension::ThreadX => {
                builder.binary(LLVMAnd, line("tid"), number(u64::from(columns) - 1))
            }
            Dimension::ThreadY => builder.binary(LLVMLShr, line("tid"), number(shift)),
            Dimension::ThreadsX => number(u64::from(columns)),
            Dimension::ThreadsY => builder.binary(LLVMLShr, line("ntid"), number(shift)),
            Dimension::ThreadZ => number(0),
            Dimension::ThreadsZ => number(1),
        };
        // SAFETY: the snapshot's handle of this instruction is not used again.
        unsafe { instruction.replace_with(answer) };
    }
    // Whole warps, which tiles need.
    kernel.set_text_attribute(module.context, NVIDIA_BOUND, &MAX_THREADS.to_string());
    kernel.set_name(&short_rows(&kernel.name(), columns));
}

/// Variables at program scope exist once: local ones become visible, so that the copy can refer to them.
fn share(module: &Module) -> Vec<Value> {
    let is_one = |variable: &Value| is_program_scope(*variable) && variable.is_local();
    let shared: Vec<Value> = module.globals().into_iter().filter(is_one).collect();
    for (number, variable) in shared.iter().enumerate() {
        variable.set_name(&format!("opencl.variable.{number}"));
        variable.set_linkage(LLVMExternalLinkage);
    }
    shared
}

fn refer(copy: &Module) {
    for variable in copy.globals() {
        if is_program_scope(variable) {
            variable.set_linkage(LLVMExternalLinkage);
            variable.drop_initializer();
        } else if !variable.is_declaration() {
            variable.set_linkage(LLVMInternalLinkage);
        }
    }
}

fn is_program_scope(variable: Value) -> bool {
    !variable.is_declaration()
        && !variable.is_constant_variable()
        && variable.ty().address_space() != SHARED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, MachineOptions, initialise_gpus};

    const TEXT: &str = "target triple = \"nvptx64-nvidia-cuda\"
@tile = internal addrspace(3) global [64 x i32] poison, align 4
@counter = internal addrspace(1) global i32 0, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @waits(ptr addrspace(1) %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %sum = add i32 %x, %y
  store i32 %sum, ptr addrspace(3) @tile
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %old = atomicrmw add ptr addrspace(1) @counter, i32 1 monotonic
  store i32 %old, ptr addrspace(1) %out
  ret void
}
define ptx_kernel void @runs(ptr addrspace(1) %out) {
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  store i32 %y, ptr addrspace(1) %out
  ret void
}
";

    #[test]
    fn kernels_that_wait_get_forms_and_variables_stay_one() {
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
        run(&module, &machine).unwrap();
        module.verify("after the pass").unwrap();
        let mut names: Vec<_> = kernels::find(&module)
            .into_iter()
            .map(|kernel| kernel.name)
            .collect();
        names.sort();
        assert_eq!(names, ["runs", "waits", "waits.rows16", "waits.rows8"]);
        let text = module.print();
        assert_eq!(text.matches("addrspace(1) global").count(), 1, "{text}");
        assert!(text.contains("and i32"), "{text}");
        assert!(text.contains("lshr i32"), "{text}");
        assert!(text.contains("\"nvvm.maxntid\"=\"1024\""), "{text}");
    }
}

//! Gives each function one place that traps, behind all others (AMD GPUs of gfx11).
//!
//! LLVM 22 makes a sequence of several blocks of a trap for gfx1100 to gfx1103, where `s_trap` alone may do nothing.
//! The sequence ends at the function's end, and there LLVM's pass `finalize-isel` goes on: it leaves out all blocks
//! between. A call in one of them stays a pseudo instruction, and LLVM ends the process ("Unsupported instruction").
//! Behind a trap that is the function's last block nothing is left out.

use llvm_sys::LLVMOpcode;

use crate::analysis::intrinsics::is_call_of;
use crate::ir::{Block, Builder, Machine, Module, Value};

/// The processors, and the generic one that stands for them, begin with this.
const PROCESSORS: &str = "gfx11";
/// The intrinsic.
const TRAP: &str = "llvm.trap";

/// Moves the traps of functions to their ends, if the processor needs that.
pub fn run(module: &Module, machine: &Machine) {
    if !machine.cpu().starts_with(PROCESSORS) {
        return;
    }
    for function in module.definitions() {
        let traps: Vec<_> = function.blocks().into_iter().filter_map(trap).collect();
        if let Some((&last, others)) = traps.split_last() {
            gather(module, function, last, others);
        }
    }
}

/// A trap, and the `unreachable` behind it.
type Trap = (Value, Value);

/// The trap that a block ends with.
fn trap(block: Block) -> Option<Trap> {
    let end = block.terminator()?;
    let call = end.previous()?;
    let is_trap = end.opcode()? == LLVMOpcode::LLVMUnreachable && is_call_of(call, &[TRAP]);
    is_trap.then_some((call, end))
}

/// Moves one trap to a block at the function's end, and has the others go there.
fn gather(module: &Module, function: Value, (call, end): Trap, others: &[Trap]) {
    let block = Builder::append_block(module.context, function, "trap");
    let go_there = |call| Builder::before(module.context, call).jump(block);
    go_there(call);
    let builder = Builder::at_end(module.context, block);
    builder.take(call);
    builder.take(end);
    for &(call, end) in others {
        go_there(call);
        // SAFETY: neither has a value that could be used.
        unsafe {
            call.erase();
            end.erase();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, MachineOptions, initialise_gpus};

    /// A kernel that traps twice before it calls.
    const KERNEL: &str = "target triple = \"amdgcn-amd-amdhsa\"
declare void @llvm.trap()
define void @f(i32 %x) noinline optnone {
  ret void
}
define amdgpu_kernel void @kernel(i32 %x, i32 %y) {
  %c = icmp slt i32 %x, 0
  br i1 %c, label %bad, label %good
bad:
  call void @f(i32 1)
  call void @llvm.trap()
  unreachable
good:
  %d = icmp slt i32 %y, 0
  br i1 %d, label %worse, label %better
worse:
  call void @f(i32 2)
  call void @llvm.trap()
  unreachable
better:
  call void @f(i32 %x)
  ret void
}
";

    fn machine(cpu: &str) -> Machine {
        initialise_gpus();
        let options = MachineOptions {
            triple: "amdgcn-amd-amdhsa",
            cpu,
            features: "",
            level: 2,
        };
        Machine::new(&options).unwrap()
    }

    fn traps(module: &Module) -> Vec<Value> {
        let blocks = module.function("kernel").unwrap().blocks();
        blocks.into_iter().filter_map(trap).map(|it| it.0).collect()
    }

    #[test]
    fn calls_behind_traps_become_machine_code() {
        for processor in ["gfx1030", "gfx1100", "gfx1103", "gfx11-generic", "gfx1200"] {
            let module = Module::parse(Context::new(), KERNEL, "the test").unwrap();
            let machine = machine(processor);
            run(&module, &machine);
            module.verify("after the pass").unwrap();
            // Where LLVM's pass leaves out a call, this ends the process.
            machine.emit_object(&module).unwrap();
            let expected = if processor.starts_with(PROCESSORS) {
                1
            } else {
                2
            };
            assert_eq!(traps(&module).len(), expected, "{processor}");
        }
    }

    #[test]
    fn the_trap_is_the_last_block() {
        let module = Module::parse(Context::new(), KERNEL, "the test").unwrap();
        run(&module, &machine("gfx1100"));
        let last = module.function("kernel").unwrap().blocks().pop().unwrap();
        assert_eq!(traps(&module)[0].block().name(), last.name());
    }
}

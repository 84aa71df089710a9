//! Makes aligned barriers of those that the lanes of every warp reach together.
//!
//! The device runtime's barriers are not aligned, as the lanes of a warp may come to it from different places. ptxas
//! puts a slow path of some twelve instructions beside such a barrier, and moves little across it. The aligned
//! instruction has none. It needs that all threads of a warp execute it together, which holds where the conditions on
//! the way are the same for all of them (PTX ISA, "barrier"). That can be seen in kernels whose code is inlined.

use crate::analysis::control_flow::ControlFlow;
use crate::analysis::intrinsics::{ALIGNED_BARRIER, BARRIER, calls_of};
use crate::analysis::kernels;
use crate::analysis::uniform_control::UniformControl;
use crate::ir::{Builder, Module, Value};

/// Replaces them.
pub fn run(module: &Module) {
    for kernel in kernels::find(module) {
        let barriers: Vec<Value> = calls_of(kernel.function, |name| name == BARRIER).collect();
        if barriers.is_empty() {
            continue;
        }
        let flow = ControlFlow::new(kernel.function);
        for barrier in barriers {
            if UniformControl::new(&flow).reaches(barrier.block()) {
                align(module, barrier);
            }
        }
    }
}

fn align(module: &Module, barrier: Value) {
    let aligned = module.declare(ALIGNED_BARRIER, barrier.called_type());
    let here = Builder::before(module.context, barrier);
    here.call_function(aligned, &barrier.arguments());
    // SAFETY: it has no result, and the caller's list names it once.
    unsafe { barrier.erase() };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a barrier under this condition becomes an aligned one.
    fn is_aligned_if(condition: &str) -> bool {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(i32 %n) {{
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp ult i32 {condition}
  br i1 %some, label %place, label %end
place:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %end
end:
  ret void
}}"
        );
        Module::after(&text, run).contains(&format!("call void @{ALIGNED_BARRIER}(i32 0)"))
    }

    #[test]
    fn lanes_come_together_where_the_condition_is_the_same_for_all() {
        assert!(is_aligned_if("%n, 5"));
        assert!(!is_aligned_if("%thread, %n"));
    }
}

//! Packs small shared variables.
//!
//! openmp-opt makes shared variables of locals that threads share. It aligns each to 16 bytes, whatever its size, so a
//! kernel that shares many integers pays for each four times. No access to a variable is larger than the variable, so a
//! variable of up to 8 bytes needs no more alignment than its size.

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;

use crate::analysis::target::SHARED;
use crate::ir::{Module, Value};

/// Aligns the small variables to their size.
pub fn run(module: &Module) {
    let layout = module.layout();
    for variable in module.globals() {
        let size = layout.alloc_size(variable.value_type());
        if variable.is_local()
            && variable.ty().address_space() == SHARED
            && (1..=8).contains(&size)
            && variable.alignment() > size.next_power_of_two()
        {
            let bytes = size.next_power_of_two() as u32;
            variable.set_alignment(bytes);
            lower_alignment(variable, bytes, &mut HashSet::new());
        }
    }
}

/// Lowers the alignment that users of a pointer assume: accesses, and functions that it is passed to.
fn lower_alignment(pointer: Value, bytes: u32, seen: &mut HashSet<Value>) {
    if !seen.insert(pointer) {
        return;
    }
    for user in pointer.users() {
        match user.operation() {
            Some(
                LLVMOpcode::LLVMLoad
                | LLVMOpcode::LLVMStore
                | LLVMOpcode::LLVMAtomicRMW
                | LLVMOpcode::LLVMAtomicCmpXchg,
            ) => user.set_alignment(bytes.min(user.alignment() as u32)),
            Some(LLVMOpcode::LLVMCall) => lower_in_call(user, pointer, bytes, seen),
            Some(
                LLVMOpcode::LLVMGetElementPtr
                | LLVMOpcode::LLVMAddrSpaceCast
                | LLVMOpcode::LLVMPHI
                | LLVMOpcode::LLVMSelect,
            ) => lower_alignment(user, bytes, seen),
            _ => {}
        }
    }
}

/// Does the same for a call and its callee.
fn lower_in_call(call: Value, pointer: Value, bytes: u32, seen: &mut HashSet<Value>) {
    let callee = call
        .called_function()
        .filter(|callee| !callee.is_declaration());
    let parameters = callee.map(Value::parameters).unwrap_or_default();
    for (index, argument) in call.arguments().into_iter().enumerate() {
        if argument != pointer {
            continue;
        }
        let at = index as u32 + 1;
        call.remove_call_attribute_at(at, "align");
        if let (Some(callee), Some(&parameter)) = (callee, parameters.get(index)) {
            callee.remove_attribute_at(at, "align");
            lower_alignment(parameter, bytes, seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    #[test]
    fn nothing_counts_on_the_old_alignment() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"
@small = internal addrspace(3) global i32 poison, align 16
@large = internal addrspace(3) global [4 x i32] poison, align 16
@visible = addrspace(3) global i32 poison, align 16
declare void @other(ptr)
define internal i32 @callee(ptr align 16 %p) {
  %v = load i32, ptr %p, align 16
  ret i32 %v
}
define void @kernel(i1 %c) {
  store i32 1, ptr addrspace(3) @small, align 16
  %old = atomicrmw add ptr addrspacecast (ptr addrspace(3) @small to ptr), i32 1 monotonic, align 16
  %b = load i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @small, i64 2), align 2
  %v = call i32 @callee(ptr align 16 addrspacecast (ptr addrspace(3) @small to ptr))
  call void @other(ptr align 16 addrspacecast (ptr addrspace(3) @small to ptr))
  store i32 1, ptr addrspace(3) @large, align 16
  store i32 1, ptr addrspace(3) @visible, align 16
  ret void
}
";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        run(&module);
        module.verify("after packing").unwrap();
        let packed = module.print();
        let of_small = |line: &&str| line.contains("@small") || line.contains("%p");
        for line in packed.lines().filter(of_small) {
            assert!(!line.contains("align 16"), "{line}");
        }
        assert!(packed.contains("@small = internal addrspace(3) global i32 poison, align 4"));
        assert!(packed.contains("@small, i64 2), align 2"), "{packed}");
        assert_eq!(packed.matches("align 16").count(), 4, "{packed}");
    }
}

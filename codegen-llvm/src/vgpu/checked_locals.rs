//! The local variables whose reads are checked: when each of them begins, nothing is written there.
//!
//! Needs: the image's own instructions. Leaves: announcements (pass `access-checks`).
//!
//! A local that stays in memory after the image's optimisation is an array, a structure, or has been captured. What
//! the checker does not see written there would be reported. So a local is not checked if its address is stored or
//! goes to code that is not the image's. At the function's end its memory counts as written: the stack is used for
//! other things next.

use std::collections::HashSet;

use llvm_sys::{LLVMOpcode, LLVMTypeKind};
use vgpu_abi::AccessKind;

use crate::ir::{Builder, Context, Layout, Type, Value};

/// Intrinsics that may take a local's address: what they read and write is announced, or is nothing.
const KNOWN: [&str; 5] = [
    "llvm.lifetime.",
    "llvm.memcpy.",
    "llvm.memmove.",
    "llvm.memset.",
    "llvm.invariant.",
];

/// Where a local begins.
const BEGINNING: &str = "llvm.lifetime.start.";

/// How deep pointers are followed.
const DEPTH: u32 = 32;

/// The locals of these functions whose reads are checked.
pub fn of(functions: &[Value], layout: Layout) -> HashSet<Value> {
    // What other blocks allocate, a loop may allocate more than once.
    let entries = functions
        .iter()
        .filter_map(|function| function.blocks().first().copied());
    let instructions = entries.flat_map(|entry| entry.instructions());
    instructions
        .filter(|it| layout.local_size(*it).is_some() && is_known(*it, DEPTH))
        .filter(|it| !has_padding(it.allocated_type(), layout))
        .collect()
}

/// Whether values of a type have bytes that are no member's. Copies of them read those, too.
fn has_padding(ty: Type, layout: Layout) -> bool {
    if ty.kind() == LLVMTypeKind::LLVMArrayTypeKind {
        return has_padding(ty.element(0), layout);
    }
    if !ty.is_structure() {
        return false;
    }
    let fields = ty.fields();
    let bytes: u64 = fields.iter().map(|&field| layout.alloc_size(field)).sum();
    bytes != layout.alloc_size(ty) || fields.into_iter().any(|field| has_padding(field, layout))
}

/// Whether all that is written through a pointer is announced.
fn is_known(pointer: Value, depth: u32) -> bool {
    depth > 0
        && pointer.users().into_iter().all(|user| {
            use LLVMOpcode::*;
            match user.opcode() {
                Some(LLVMLoad | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMICmp) => true,
                Some(LLVMStore) => user.operand(0) != pointer,
                Some(LLVMGetElementPtr | LLVMAddrSpaceCast | LLVMBitCast | LLVMSelect) => {
                    is_known(user, depth - 1)
                }
                Some(LLVMCall) => is_known_call(user),
                _ => false,
            }
        })
}

fn is_known_call(call: Value) -> bool {
    let Some(called) = call.called_function() else {
        return false;
    };
    let name = called.name();
    !called.is_declaration() || KNOWN.iter().any(|known| name.starts_with(known))
}

/// Announces where locals begin and end, with the engine's function `access`.
pub fn announce(context: Context, layout: Layout, locals: &HashSet<Value>, access: Value) {
    for &local in locals {
        let Some(size) = layout.local_size(local) else {
            continue;
        };
        let announce = |before: Value, kind: AccessKind| {
            let builder = Builder::before(context, before);
            let (wide, int) = (Type::int(context, 64), Type::int(context, 32));
            let address = builder.to_space(local, Type::pointer(context));
            let kind = kind.and(AccessKind::PRIVATE).and(AccessKind::FOREIGN);
            let (none, site) = (Value::zero(wide), Value::zero(int));
            let kind = Value::int(int, kind.0.into());
            let arguments = [address, Value::int(wide, size), none, site, kind];
            builder.call_function(access, &arguments);
        };
        for beginning in beginnings(local) {
            announce(beginning, AccessKind::FRESH);
        }
        let instructions = local.block().function().instructions();
        let ends = instructions
            .into_iter()
            .filter(|it| it.opcode() == Some(LLVMOpcode::LLVMRet));
        ends.for_each(|end| announce(end, AccessKind::WRITE));
    }
}

/// The instructions before which a local begins: the ends of its markers, or what follows the function's first locals.
fn beginnings(local: Value) -> Vec<Value> {
    let is_marker = |user: &Value| {
        let called = user.called_function();
        called.is_some_and(|called| called.name().starts_with(BEGINNING))
    };
    let markers: Vec<_> = local.users().into_iter().filter(is_marker).collect();
    if !markers.is_empty() {
        return markers;
    }
    let mut next = local.next();
    while next.is_some_and(|it| it.opcode() == Some(LLVMOpcode::LLVMAlloca)) {
        next = next.and_then(Value::next);
    }
    next.into_iter().collect()
}

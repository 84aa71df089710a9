//! What an instruction does with memory, and with the lanes of its warp: questions of the pass `access-checks`.

use llvm_sys::LLVMAtomicOrdering::{
    self, LLVMAtomicOrderingAcquire, LLVMAtomicOrderingAcquireRelease, LLVMAtomicOrderingRelease,
    LLVMAtomicOrderingSequentiallyConsistent,
};
use llvm_sys::{LLVMAtomicRMWBinOp, LLVMOpcode, LLVMTypeKind};
use vgpu_abi::AccessKind;

use crate::ir::{Layout, Type, Value};

/// The instruction with which lanes wait for each other. Shuffles and votes order no memory (PTX ISA, "bar.warp.sync").
pub const SYNCWARP: &str = "llvm.nvvm.bar.warp.sync";

/// Operations of a warp whose first operand is a member mask, by the beginnings of their names.
const WITH_MEMBERS: [&str; 5] = [
    SYNCWARP,
    "llvm.nvvm.shfl.sync.",
    "llvm.nvvm.vote.",
    "llvm.nvvm.match.",
    "llvm.nvvm.redux.sync.",
];

/// PTX's fences, which acquire and release.
const MEMBARS: &str = "llvm.nvvm.membar.";

/// The alignment of an address that a load, a store, an atomic operation or the copy of a structure uses, as far as an
/// instruction of the hardware needs it. Code for a smaller one is there where the program has said so.
pub fn alignment(instruction: Value, address: Value) -> Option<u64> {
    use LLVMOpcode::{LLVMAtomicCmpXchg, LLVMAtomicRMW, LLVMLoad, LLVMStore};
    let stated = match instruction.opcode() {
        Some(LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg) => instruction.alignment(),
        _ => alignment_of_copy(instruction, address)?,
    };
    Some(stated.min(16))
}

/// What `llvm.memcpy` says of one of its addresses. Back ends copy structures by loads and stores as wide as that.
fn alignment_of_copy(call: Value, address: Value) -> Option<u64> {
    let called = call.is_call().then(|| call.called_function())??;
    let bytes = called
        .name()
        .starts_with("llvm.memcpy.")
        .then(|| call.operand(2).as_int())??;
    let index = (0..2).find(|&index| call.operand(index) == address)?;
    let widest = bytes.checked_ilog2().map_or(1, |power| 1 << power);
    Some(call.argument_alignment(index)?.min(widest))
}

/// Whether an instruction calls one of these functions.
pub fn calls_one_of(instruction: Value, names: &[&str]) -> bool {
    let called = || instruction.called_function();
    instruction.is_call() && called().is_some_and(|called| names.contains(&called.name().as_str()))
}

/// Whether an instruction is an operation of a warp with a member mask.
pub fn has_members(instruction: Value) -> bool {
    let called = || instruction.called_function();
    let has = |name: &str| WITH_MEMBERS.iter().any(|known| name.starts_with(known));
    instruction.is_call() && called().is_some_and(|called| has(&called.name()))
}

/// What an instruction stores, if it is a scalar of up to 64 bits, or a vector of numbers of 128 bits, and no atomic
/// operation.
pub fn stored_value(layout: Layout, instruction: Value) -> Option<Value> {
    if instruction.opcode() != Some(LLVMOpcode::LLVMStore) {
        return None;
    }
    let value = instruction.operand(0);
    let ty = value.ty();
    let is_vector = ty.kind() == LLVMTypeKind::LLVMVectorTypeKind && !ty.element(0).is_pointer();
    let fits = ty.is_pointer()
        || ty.is_int() && ty.int_width() <= 64
        || is_small_float(ty)
        || is_vector && layout.store_size(ty) == 16 && layout.alloc_size(ty) == 16;
    fits.then_some(value)
}

fn is_small_float(ty: Type) -> bool {
    matches!(
        ty.kind(),
        LLVMTypeKind::LLVMHalfTypeKind
            | LLVMTypeKind::LLVMBFloatTypeKind
            | LLVMTypeKind::LLVMFloatTypeKind
            | LLVMTypeKind::LLVMDoubleTypeKind
    )
}

/// Whether an atomic operation only writes: an exchange whose result nobody wants.
pub fn is_store(operation: Value) -> bool {
    operation.atomic_operation() == LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXchg
        && operation.users().is_empty()
}

/// The kind of an atomic access; nothing for another one.
pub fn atomic(instruction: Value) -> AccessKind {
    match instruction.is_atomic() {
        true => AccessKind::ATOMIC.and(ordering(instruction.ordering())),
        false => AccessKind(0),
    }
}

/// What a fence does, if the instruction is one.
pub fn fence(instruction: Value) -> Option<AccessKind> {
    match instruction.opcode()? {
        LLVMOpcode::LLVMFence => Some(ordering(instruction.ordering())),
        LLVMOpcode::LLVMCall => {
            let called = instruction.called_function()?;
            called
                .name()
                .starts_with(MEMBARS)
                .then(|| AccessKind::ACQUIRE.and(AccessKind::RELEASE))
        }
        _ => None,
    }
}

fn ordering(ordering: LLVMAtomicOrdering) -> AccessKind {
    match ordering {
        LLVMAtomicOrderingAcquire => AccessKind::ACQUIRE,
        LLVMAtomicOrderingRelease => AccessKind::RELEASE,
        LLVMAtomicOrderingAcquireRelease | LLVMAtomicOrderingSequentiallyConsistent => {
            AccessKind::ACQUIRE.and(AccessKind::RELEASE)
        }
        _ => AccessKind(0),
    }
}

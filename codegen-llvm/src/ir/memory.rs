//! Memory instructions: volatile and atomic accesses, orderings, scopes.

use llvm_sys::{LLVMAtomicOrdering, LLVMOpcode};

use super::{Context, Layout, Type, Value};

/// The metadata of a load that reads what nobody changes.
const INVARIANT: &str = "invariant.load";

impl Value {
    /// A constant pointer as a pointer of a type, in another address space.
    pub fn constant_in_space(self, ty: Type) -> Value {
        Value(llvm!(core::LLVMConstAddrSpaceCast(self.0, ty.0)))
    }

    /// What an address was computed from, in whatever address space.
    pub fn address_base(mut self) -> Value {
        while let Some(LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMAddrSpaceCast) =
            self.opcode()
        {
            self = self.operand(0);
        }
        self
    }

    /// The local of the thread (`alloca`) that an address lies in.
    pub fn local(self) -> Option<Value> {
        let base = self.address_base();
        (base.opcode() == Some(LLVMOpcode::LLVMAlloca)).then_some(base)
    }

    /// Which operand of a load, store, atomicrmw or cmpxchg is the address that it accesses. `None` for any other
    /// instruction.
    pub fn accessed_operand(self) -> Option<u32> {
        match self.opcode()? {
            LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg => {
                Some(0)
            }
            LLVMOpcode::LLVMStore => Some(1),
            _ => None,
        }
    }

    /// Says that nobody writes to a variable.
    pub fn set_constant_variable(self) {
        llvm!(core::LLVMSetGlobalConstant(self.0, 1));
    }

    /// Whether a global variable's initial value comes from elsewhere.
    pub fn is_externally_initialised(self) -> bool {
        llvm!(core::LLVMIsExternallyInitialized(self.0)) != 0
    }

    /// States that a global variable's initial value comes from elsewhere.
    pub fn set_externally_initialised(self) {
        llvm!(core::LLVMSetExternallyInitialized(self.0, 1));
    }

    /// Whether a load, store, atomicrmw or cmpxchg is volatile.
    pub fn is_volatile(self) -> bool {
        llvm!(core::LLVMGetVolatile(self.0)) != 0
    }

    /// Makes it volatile.
    pub fn set_volatile(self) {
        llvm!(core::LLVMSetVolatile(self.0, 1));
    }

    /// Says of a load that nobody changes what it reads while the function runs.
    pub fn set_invariant(self, context: Context) {
        self.set_metadata(context, INVARIANT, &[]);
    }

    /// Says no more that nobody changes what a load reads.
    pub fn clear_invariant(self, context: Context) {
        self.drop_metadata(context, INVARIANT);
    }

    /// Whether an instruction is atomic: an atomic load or store, atomicrmw, cmpxchg, fence.
    pub fn is_atomic(self) -> bool {
        llvm!(core::LLVMIsAtomic(self.0)) != 0
    }

    /// The order of an atomic instruction; that of success for a cmpxchg.
    pub fn ordering(self) -> LLVMAtomicOrdering {
        match self.opcode() {
            Some(LLVMOpcode::LLVMAtomicCmpXchg) => {
                llvm!(core::LLVMGetCmpXchgSuccessOrdering(self.0))
            }
            _ => llvm!(core::LLVMGetOrdering(self.0)),
        }
    }

    /// Whether an atomicrmw, or an atomic load or store, is relaxed: it orders no other access.
    pub fn is_relaxed(self) -> bool {
        llvm!(core::LLVMGetOrdering(self.0)) == LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic
    }

    /// The number of the synchronisation scope of an atomic instruction; `None` for anything else.
    pub fn scope(self) -> Option<u32> {
        self.is_atomic()
            .then(|| llvm!(core::LLVMGetAtomicSyncScopeID(self.0)))
    }

    /// Sets the synchronisation scope of an atomic instruction.
    pub fn set_scope(self, scope: u32) {
        llvm!(core::LLVMSetAtomicSyncScopeID(self.0, scope));
    }

    /// The number of a fence's synchronisation scope; `None` for anything else.
    pub fn fence_scope(self) -> Option<u32> {
        let fence = self.opcode() == Some(LLVMOpcode::LLVMFence);
        fence.then(|| self.scope())?
    }

    /// What an `atomicrmw` does.
    pub fn atomic_operation(self) -> llvm_sys::LLVMAtomicRMWBinOp {
        llvm!(core::LLVMGetAtomicRMWBinOp(self.0))
    }
}

impl Layout {
    /// The bytes from what an address is computed from (its first operand) to the address, if that is known.
    pub fn constant_offset(self, address: Value) -> Option<u64> {
        if address.operation() != Some(LLVMOpcode::LLVMGetElementPtr) {
            return Some(0);
        }
        let mut ty = address.source_element_type();
        let mut offset = 0_u64;
        for operand in 1..address.operand_count() {
            let index = address.operand(operand);
            let step = if operand == 1 {
                self.alloc_size(ty)
            } else if ty.is_structure() {
                let field = u32::try_from(index.as_int()?).ok()?;
                offset = offset.wrapping_add(self.field_offset(ty, field));
                ty = ty.element(field);
                continue;
            } else {
                ty = ty.element(0);
                self.alloc_size(ty)
            };
            offset = offset.wrapping_add((index.as_signed_int()? as u64).wrapping_mul(step));
        }
        Some(offset)
    }
}

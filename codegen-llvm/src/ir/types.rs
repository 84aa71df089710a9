//! Types and the data layout that sizes them.

use llvm_sys::prelude::LLVMTypeRef;
use llvm_sys::target::LLVMTargetDataRef;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::{Context, Value, take_message};

/// An LLVM type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type(pub(super) LLVMTypeRef);

impl Type {
    /// `void`.
    pub fn void(context: Context) -> Type {
        Type(llvm!(core::LLVMVoidTypeInContext(context.0)))
    }

    /// The integer of `bits` bits.
    pub fn int(context: Context, bits: u32) -> Type {
        Type(llvm!(core::LLVMIntTypeInContext(context.0, bits)))
    }

    /// `float`.
    pub fn float(context: Context) -> Type {
        Type(llvm!(core::LLVMFloatTypeInContext(context.0)))
    }

    /// `double`.
    pub fn double(context: Context) -> Type {
        Type(llvm!(core::LLVMDoubleTypeInContext(context.0)))
    }

    /// The pointer of the generic address space.
    pub fn pointer(context: Context) -> Type {
        Type(llvm!(core::LLVMPointerTypeInContext(context.0, 0)))
    }

    /// The function type `result(parameters…)`.
    pub fn function(result: Type, parameters: &[Type]) -> Type {
        let mut raw: Vec<_> = parameters.iter().map(|parameter| parameter.0).collect();
        Type(llvm!(core::LLVMFunctionType(
            result.0,
            raw.as_mut_ptr(),
            raw.len() as u32,
            0
        )))
    }

    /// Its kind.
    pub fn kind(self) -> LLVMTypeKind {
        llvm!(core::LLVMGetTypeKind(self.0))
    }

    /// Whether it is `void`.
    pub fn is_void(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVoidTypeKind
    }

    /// Whether it is a pointer, not a vector of them.
    pub fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }

    /// Its address space; only for pointers.
    pub fn address_space(self) -> u32 {
        llvm!(core::LLVMGetPointerAddressSpace(self.0))
    }

    /// Its width; only for integers.
    pub fn int_width(self) -> u32 {
        llvm!(core::LLVMGetIntTypeWidth(self.0))
    }

    /// The result type; only for function types.
    pub fn result(self) -> Type {
        Type(llvm!(core::LLVMGetReturnType(self.0)))
    }

    /// Whether it takes variable arguments; only for function types.
    pub fn is_variadic(self) -> bool {
        llvm!(core::LLVMIsFunctionVarArg(self.0)) != 0
    }

    /// The parameter types; only for function types.
    pub fn parameters(self) -> Vec<Type> {
        let count = llvm!(core::LLVMCountParamTypes(self.0)) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        llvm!(core::LLVMGetParamTypes(self.0, raw.as_mut_ptr()));
        raw.into_iter().map(Type).collect()
    }

    /// The type of field `index` of a structure, or of an array's or vector's elements.
    pub fn element(self, index: u32) -> Type {
        Type(match self.kind() {
            LLVMTypeKind::LLVMStructTypeKind => {
                llvm!(core::LLVMStructGetTypeAtIndex(self.0, index))
            }
            _ => llvm!(core::LLVMGetElementType(self.0)),
        })
    }

    /// As LLVM prints it.
    pub fn print(self) -> String {
        take_message(llvm!(core::LLVMPrintTypeToString(self.0)))
    }
}

/// A module's data layout.
#[derive(Clone, Copy)]
pub struct Layout(pub(super) LLVMTargetDataRef);

impl Layout {
    /// Bytes between two array elements of this type.
    pub fn alloc_size(self, ty: Type) -> u64 {
        llvm!(target::LLVMABISizeOfType(self.0, ty.0))
    }

    /// Bytes of a local variable; `None` if they are not known before it runs, or if this is something else.
    pub fn local_size(self, alloca: Value) -> Option<u64> {
        (alloca.opcode() == Some(LLVMOpcode::LLVMAlloca)).then_some(())?;
        let one = self.alloc_size(alloca.allocated_type());
        one.checked_mul(alloca.allocated_count().as_int()?)
    }

    /// Bytes that a store of this type writes.
    pub fn store_size(self, ty: Type) -> u64 {
        llvm!(target::LLVMStoreSizeOfType(self.0, ty.0))
    }

    /// Where field `index` of a structure begins.
    pub fn field_offset(self, ty: Type, index: u32) -> u64 {
        llvm!(target::LLVMOffsetOfElement(self.0, ty.0, index))
    }

    /// The type's natural alignment.
    pub fn alignment(self, ty: Type) -> u64 {
        u64::from(llvm!(target::LLVMABIAlignmentOfType(self.0, ty.0)))
    }
}

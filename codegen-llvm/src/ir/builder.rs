//! The builder, which creates instructions.

use llvm_sys::LLVMOpcode;
use llvm_sys::prelude::LLVMBuilderRef;

use super::{Block, Context, Type, Value};

/// Creates instructions at a point in a function.
pub struct Builder {
    pub(super) raw: LLVMBuilderRef,
    pub(super) context: Context,
}

impl Builder {
    /// A builder that inserts before `instruction`, with its debug location.
    pub fn before(context: Context, instruction: Value) -> Builder {
        let raw = llvm!(core::LLVMCreateBuilderInContext(context.0));
        llvm!(core::LLVMPositionBuilderBefore(raw, instruction.0));
        llvm!(core::LLVMSetCurrentDebugLocation2(
            raw,
            llvm!(debuginfo::LLVMInstructionGetDebugLoc(instruction.0))
        ));
        Builder { raw, context }
    }

    /// A builder that inserts at the end of `block`, without a debug location.
    pub fn at_end(context: Context, block: Block) -> Builder {
        let raw = llvm!(core::LLVMCreateBuilderInContext(context.0));
        llvm!(core::LLVMPositionBuilderAtEnd(raw, block.0));
        Builder { raw, context }
    }

    /// The context whose types it uses.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Appends an empty block to a function.
    pub fn append_block(context: Context, function: Value, name: &str) -> Block {
        let name = super::c_string(name);
        Block(llvm!(core::LLVMAppendBasicBlockInContext(
            context.0,
            function.0,
            name.as_ptr()
        )))
    }

    /// `call function(arguments…)`.
    pub fn call(&self, function: Value, ty: Type, arguments: &[Value]) -> Value {
        let mut raw: Vec<_> = arguments.iter().map(|argument| argument.0).collect();
        Value(llvm!(core::LLVMBuildCall2(
            self.raw,
            ty.0,
            function.0,
            raw.as_mut_ptr(),
            raw.len() as u32,
            EMPTY
        )))
    }

    /// `fence` with a synchronisation scope, by its number.
    pub fn fence(&self, ordering: llvm_sys::LLVMAtomicOrdering, scope: u32) {
        llvm!(core::LLVMBuildFenceSyncScope(
            self.raw, ordering, scope, EMPTY
        ));
    }

    /// Calls a function value with its own type.
    pub fn call_function(&self, function: Value, arguments: &[Value]) -> Value {
        self.call(function, function.value_type(), arguments)
    }

    /// `getelementptr i8, pointer, offset`.
    pub fn byte_offset(&self, pointer: Value, offset: Value) -> Value {
        let byte = Type::int(self.context, 8);
        let mut indices = [offset.0];
        Value(llvm!(core::LLVMBuildGEP2(
            self.raw,
            byte.0,
            pointer.0,
            indices.as_mut_ptr(),
            1,
            EMPTY
        )))
    }

    /// The same of a constant pointer and a constant offset.
    pub fn constant_byte_offset(context: Context, pointer: Value, offset: Value) -> Value {
        let byte = Type::int(context, 8);
        let mut indices = [offset.0];
        Value(llvm!(core::LLVMConstGEP2(
            byte.0,
            pointer.0,
            indices.as_mut_ptr(),
            1
        )))
    }

    /// `getelementptr ty, pointer, indices…`, as a constant expression had it.
    pub fn element_pointer(&self, ty: Type, pointer: Value, indices: &[Value]) -> Value {
        let mut raw: Vec<_> = indices.iter().map(|index| index.0).collect();
        Value(llvm!(core::LLVMBuildGEP2(
            self.raw,
            ty.0,
            pointer.0,
            raw.as_mut_ptr(),
            raw.len() as u32,
            EMPTY
        )))
    }

    /// A cast with the given opcode.
    pub fn cast(&self, opcode: LLVMOpcode, value: Value, ty: Type) -> Value {
        Value(llvm!(core::LLVMBuildCast(
            self.raw, opcode, value.0, ty.0, EMPTY
        )))
    }

    /// Widens an integer with zeros, or narrows it; nothing if it has the type already.
    pub fn cast_unsigned(&self, value: Value, ty: Type) -> Value {
        Value(llvm!(core::LLVMBuildIntCast2(
            self.raw, value.0, ty.0, 0, EMPTY
        )))
    }

    /// Changes a pointer's address space; nothing if it has it already.
    pub fn to_space(&self, pointer: Value, ty: Type) -> Value {
        if pointer.ty() == ty {
            return pointer;
        }
        Value(llvm!(core::LLVMBuildAddrSpaceCast(
            self.raw, pointer.0, ty.0, EMPTY
        )))
    }

    /// A binary operator with the given opcode.
    pub fn binary(&self, opcode: LLVMOpcode, left: Value, right: Value) -> Value {
        Value(llvm!(core::LLVMBuildBinOp(
            self.raw, opcode, left.0, right.0, EMPTY
        )))
    }

    /// What an instruction that only computes does, with other operands. None of its flags need hold for these.
    pub fn on_operands(&self, instruction: Value, operands: &[Value]) -> Value {
        use LLVMOpcode::*;
        let opcode = instruction.opcode().expect("an instruction has an opcode");
        match opcode {
            LLVMICmp => self.compare(instruction.int_predicate(), operands[0], operands[1]),
            LLVMFCmp => self.compare_floats_as(instruction, operands[0], operands[1]),
            LLVMSelect => self.select(operands[0], operands[1], operands[2]),
            LLVMGetElementPtr => {
                let ty = instruction.source_element_type();
                self.index(ty, operands[0], &operands[1..])
            }
            LLVMFNeg => self.negate(operands[0]),
            LLVMFreeze => self.freeze(operands[0]),
            _ if operands.len() == 2 => self.binary(opcode, operands[0], operands[1]),
            _ => self.cast(opcode, operands[0], instruction.ty()),
        }
    }

    /// `add nsw`.
    pub fn add_without_overflow(&self, left: Value, right: Value) -> Value {
        Value(llvm!(core::LLVMBuildNSWAdd(
            self.raw, left.0, right.0, EMPTY
        )))
    }

    /// `insertvalue` or `insertelement`, by the kind of `aggregate`.
    pub fn insert(&self, aggregate: Value, value: Value, index: u32) -> Value {
        use llvm_sys::LLVMTypeKind::{LLVMScalableVectorTypeKind, LLVMVectorTypeKind};
        if matches!(
            aggregate.ty().kind(),
            LLVMVectorTypeKind | LLVMScalableVectorTypeKind
        ) {
            let position = Value::int(Type::int(self.context, 32), u64::from(index));
            return Value(llvm!(core::LLVMBuildInsertElement(
                self.raw,
                aggregate.0,
                value.0,
                position.0,
                EMPTY
            )));
        }
        Value(llvm!(core::LLVMBuildInsertValue(
            self.raw,
            aggregate.0,
            value.0,
            index,
            EMPTY
        )))
    }

    /// `load ty, pointer`.
    pub fn load(&self, ty: Type, pointer: Value) -> Value {
        Value(llvm!(core::LLVMBuildLoad2(
            self.raw, ty.0, pointer.0, EMPTY
        )))
    }

    /// `store value, pointer`.
    pub fn store(&self, value: Value, pointer: Value) -> Value {
        Value(llvm!(core::LLVMBuildStore(self.raw, value.0, pointer.0)))
    }

    /// `alloca ty, align alignment`.
    pub fn stack_slot(&self, ty: Type, alignment: u32) -> Value {
        let slot = Value(llvm!(core::LLVMBuildAlloca(self.raw, ty.0, EMPTY)));
        slot.set_alignment(alignment);
        slot
    }

    /// Copies `size` bytes; the alignments are those of the pointers.
    pub fn copy(
        &self,
        to: Value,
        to_alignment: u32,
        from: Value,
        from_alignment: u32,
        size: Value,
    ) {
        llvm!(core::LLVMBuildMemCpy(
            self.raw,
            to.0,
            to_alignment,
            from.0,
            from_alignment,
            size.0
        ));
    }

    /// `ret value`
    pub fn return_value(&self, value: Value) -> Value {
        Value(llvm!(core::LLVMBuildRet(self.raw, value.0)))
    }

    /// `ret void`.
    pub fn return_void(&self) -> Value {
        Value(llvm!(core::LLVMBuildRetVoid(self.raw)))
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        llvm!(core::LLVMDisposeBuilder(self.raw));
    }
}

/// The empty name.
pub(super) const EMPTY: *const std::ffi::c_char = c"".as_ptr();

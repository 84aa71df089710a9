//! Values: constants, globals, functions, instructions.

use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMValueKind, LLVMVisibility};

use super::{Block, Type, c_string, take_message};

/// An LLVM value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value(pub(super) LLVMValueRef);

pub(super) fn wrap(raw: LLVMValueRef) -> Option<Value> {
    (!raw.is_null()).then_some(Value(raw))
}

impl Value {
    /// Its name, empty if it has none.
    pub fn name(self) -> String {
        let mut length = 0;
        let raw = llvm!(core::LLVMGetValueName2(self.0, &mut length));
        if raw.is_null() {
            return String::new();
        }
        // SAFETY: LLVM returns a pointer to `length` bytes that live as long as the value.
        let bytes = unsafe { std::slice::from_raw_parts(raw.cast::<u8>(), length) };
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Its type.
    pub fn ty(self) -> Type {
        Type(llvm!(core::LLVMTypeOf(self.0)))
    }

    /// Its kind.
    pub fn kind(self) -> LLVMValueKind {
        llvm!(core::LLVMGetValueKind(self.0))
    }

    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    /// Whether it is a constant of any sort, globals included.
    pub fn is_constant(self) -> bool {
        llvm!(core::LLVMIsConstant(self.0)) != 0
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        self.kind() == LLVMValueKind::LLVMFunctionValueKind
    }

    /// Whether it is a global variable.
    pub fn is_global_variable(self) -> bool {
        self.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
    }

    /// Its opcode if it is an instruction.
    pub fn opcode(self) -> Option<LLVMOpcode> {
        self.is_instruction()
            .then(|| llvm!(core::LLVMGetInstructionOpcode(self.0)))
    }

    /// Its opcode if it is a constant expression.
    pub fn constant_opcode(self) -> Option<LLVMOpcode> {
        let is_expression = self.kind() == LLVMValueKind::LLVMConstantExprValueKind;
        is_expression.then(|| llvm!(core::LLVMGetConstOpcode(self.0)))
    }

    /// Its opcode if it is an instruction or a constant expression.
    pub fn operation(self) -> Option<LLVMOpcode> {
        self.opcode().or_else(|| self.constant_opcode())
    }

    /// Number of operands; instructions, constant expressions and aggregates have some.
    pub fn operand_count(self) -> u32 {
        llvm!(core::LLVMGetNumOperands(self.0)).max(0) as u32
    }

    /// Operand `index`.
    pub fn operand(self, index: u32) -> Value {
        Value(llvm!(core::LLVMGetOperand(self.0, index)))
    }

    /// All operands.
    pub fn operands(self) -> Vec<Value> {
        (0..self.operand_count())
            .filter_map(|index| wrap(llvm!(core::LLVMGetOperand(self.0, index))))
            .collect()
    }

    /// Operand `index`, if it is a value (a block or metadata is none).
    pub fn operand_or_none(self, index: u32) -> Option<Value> {
        wrap(llvm!(core::LLVMGetOperand(self.0, index)))
    }

    /// The operands of a constant expression or aggregate; nothing for any other value.
    pub fn constant_operands(self) -> Vec<Value> {
        use LLVMValueKind::{
            LLVMConstantArrayValueKind, LLVMConstantExprValueKind, LLVMConstantStructValueKind,
            LLVMConstantVectorValueKind,
        };
        match self.kind() {
            LLVMConstantExprValueKind
            | LLVMConstantArrayValueKind
            | LLVMConstantStructValueKind
            | LLVMConstantVectorValueKind => self.operands(),
            _ => Vec::new(),
        }
    }

    /// Replaces operand `index`.
    pub fn set_operand(self, index: u32, value: Value) {
        llvm!(core::LLVMSetOperand(self.0, index, value.0));
    }

    /// Everything that uses it, once per use.
    pub fn users(self) -> Vec<Value> {
        let mut users = Vec::new();
        let mut next = llvm!(core::LLVMGetFirstUse(self.0));
        while !next.is_null() {
            users.push(Value(llvm!(core::LLVMGetUser(next))));
            next = llvm!(core::LLVMGetNextUse(next));
        }
        users
    }

    /// Whether nothing uses it.
    pub fn is_unused(self) -> bool {
        llvm!(core::LLVMGetFirstUse(self.0)).is_null()
    }

    /// Makes every user use `other` instead.
    pub fn replace_all_uses(self, other: Value) {
        llvm!(core::LLVMReplaceAllUsesWith(self.0, other.0));
    }

    /// Makes every user of an instruction use `other` instead, and erases the instruction.
    ///
    /// # Safety
    ///
    /// No handle to the instruction is used afterwards.
    pub unsafe fn replace_with(self, other: Value) {
        self.replace_all_uses(other);
        // SAFETY: nothing uses it any more, and as the caller promises.
        unsafe { self.erase() };
    }

    /// Erases an instruction.
    ///
    /// # Safety
    ///
    /// The instruction has no users left, and no handle to it is used afterwards.
    pub unsafe fn erase(self) {
        llvm!(core::LLVMInstructionEraseFromParent(self.0));
    }

    /// Deletes a function.
    ///
    /// # Safety
    ///
    /// The function has no users left. No handle to it, or to anything in it, is used afterwards.
    pub unsafe fn delete_function(self) {
        llvm!(core::LLVMDeleteFunction(self.0));
    }

    /// Deletes a global variable.
    ///
    /// # Safety
    ///
    /// The variable has no users left, and no handle to it is used afterwards.
    pub unsafe fn delete_global(self) {
        llvm!(core::LLVMDeleteGlobal(self.0));
    }

    /// The block an instruction is in.
    pub fn block(self) -> Block {
        Block(llvm!(core::LLVMGetInstructionParent(self.0)))
    }

    /// The instruction after this one in its block.
    pub fn next(self) -> Option<Value> {
        wrap(llvm!(core::LLVMGetNextInstruction(self.0)))
    }

    /// The instruction before this one in its block.
    pub fn previous(self) -> Option<Value> {
        wrap(llvm!(core::LLVMGetPreviousInstruction(self.0)))
    }

    /// Makes it use `new` wherever it uses `old`.
    pub fn replace_operand(self, old: Value, new: Value) {
        for index in 0..self.operand_count() {
            if self.operand_or_none(index) == Some(old) {
                self.set_operand(index, new);
            }
        }
    }

    /// As LLVM prints it.
    pub fn print(self) -> String {
        take_message(llvm!(core::LLVMPrintValueToString(self.0)))
    }

    /// The null or zero of a type.
    pub fn zero(ty: Type) -> Value {
        Value(llvm!(core::LLVMConstNull(ty.0)))
    }

    /// The poison value of a type.
    pub fn poison(ty: Type) -> Value {
        Value(llvm!(core::LLVMGetPoison(ty.0)))
    }

    /// The integer whose bits are all set.
    pub fn all_ones(ty: Type) -> Value {
        Value(llvm!(core::LLVMConstAllOnes(ty.0)))
    }

    /// An integer constant.
    pub fn int(ty: Type, value: u64) -> Value {
        Value(llvm!(core::LLVMConstInt(ty.0, value, 0)))
    }

    /// An integer constant, with its sign extended to the type.
    pub fn signed_int(ty: Type, value: i64) -> Value {
        Value(llvm!(core::LLVMConstInt(ty.0, value as u64, 1)))
    }

    /// The lower bits of an integer constant.
    pub fn truncated_constant(self, bits: u32) -> Option<Value> {
        let is_int = self.kind() == LLVMValueKind::LLVMConstantIntValueKind;
        (is_int && self.ty().int_width() > bits).then(|| {
            let context = llvm!(core::LLVMGetTypeContext(self.ty().0));
            let ty = llvm!(core::LLVMIntTypeInContext(context, bits));
            Value(llvm!(core::LLVMConstTrunc(self.0, ty)))
        })
    }

    /// Its value if it is an integer constant of at most 64 bits (zero-extended).
    pub fn as_int(self) -> Option<u64> {
        let is_int =
            self.kind() == LLVMValueKind::LLVMConstantIntValueKind && self.ty().int_width() <= 64;
        is_int.then(|| llvm!(core::LLVMConstIntGetZExtValue(self.0)))
    }

    /// Its value if it is an integer constant of at most 64 bits (sign-extended).
    pub fn as_signed_int(self) -> Option<i64> {
        let bits = self.as_int()?;
        let unused = 64 - self.ty().int_width();
        Some(((bits << unused) as i64) >> unused)
    }
}

/// Global variables and functions.
impl Value {
    /// Whether it is only declared here.
    pub fn is_declaration(self) -> bool {
        llvm!(core::LLVMIsDeclaration(self.0)) != 0
    }

    /// The type of a global's contents, or a function's function type.
    pub fn value_type(self) -> Type {
        Type(llvm!(core::LLVMGlobalGetValueType(self.0)))
    }

    /// Whether a global variable is never written.
    pub fn is_constant_variable(self) -> bool {
        llvm!(core::LLVMIsGlobalConstant(self.0)) != 0
    }

    /// Element `index` of a constant structure, array or zero of such a type.
    pub fn aggregate_element(self, index: u32) -> Option<Value> {
        wrap(llvm!(core::LLVMGetAggregateElement(self.0, index)))
    }

    /// A constant structure with another element `index`.
    pub fn with_element(self, index: u32, element: Value) -> Value {
        let ty = self.ty();
        let count = llvm!(core::LLVMCountStructElementTypes(ty.0));
        let mut elements: Vec<_> = (0..count)
            .map(|at| llvm!(core::LLVMGetAggregateElement(self.0, at)))
            .collect();
        elements[index as usize] = element.0;
        Value(llvm!(core::LLVMConstNamedStruct(
            ty.0,
            elements.as_mut_ptr(),
            count
        )))
    }

    /// The initializer of a global variable.
    pub fn initializer(self) -> Option<Value> {
        wrap(llvm!(core::LLVMGetInitializer(self.0)))
    }

    /// Sets the initializer of a global variable.
    pub fn set_initializer(self, value: Value) {
        llvm!(core::LLVMSetInitializer(self.0, value.0));
    }

    /// Makes a global variable a declaration.
    pub fn drop_initializer(self) {
        llvm!(core::LLVMSetInitializer(self.0, std::ptr::null_mut()));
    }

    /// Linkage.
    pub fn linkage(self) -> LLVMLinkage {
        llvm!(core::LLVMGetLinkage(self.0))
    }

    /// Gives it another name.
    pub fn set_name(self, name: &str) {
        llvm!(core::LLVMSetValueName2(
            self.0,
            name.as_ptr().cast(),
            name.len()
        ));
    }

    /// Sets the linkage.
    pub fn set_linkage(self, linkage: LLVMLinkage) {
        llvm!(core::LLVMSetLinkage(self.0, linkage));
    }

    /// Whether the address of a global value is not significant (`unnamed_addr`).
    pub fn has_any_address(self) -> bool {
        llvm!(core::LLVMGetUnnamedAddress(self.0))
            == llvm_sys::LLVMUnnamedAddr::LLVMGlobalUnnamedAddr
    }

    /// Whether code outside its module cannot see it.
    pub fn is_local(self) -> bool {
        matches!(
            self.linkage(),
            LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
        )
    }

    /// Hides it from other shared objects, so that it is addressed directly.
    pub fn hide(self) {
        llvm!(core::LLVMSetVisibility(
            self.0,
            LLVMVisibility::LLVMHiddenVisibility
        ));
        llvm!(core::LLVMSetDLLStorageClass(
            self.0,
            llvm_sys::LLVMDLLStorageClass::LLVMDefaultStorageClass
        ));
    }

    /// Gives it default visibility, the only one an internal symbol may have.
    pub fn show(self) {
        llvm!(core::LLVMSetVisibility(
            self.0,
            LLVMVisibility::LLVMDefaultVisibility
        ));
    }

    /// Takes it out of its comdat group.
    pub fn drop_comdat(self) {
        llvm!(comdat::LLVMSetComdat(self.0, std::ptr::null_mut()));
    }

    /// Explicit alignment of a global, alloca, load or store; 0 if none.
    pub fn alignment(self) -> u64 {
        u64::from(llvm!(core::LLVMGetAlignment(self.0)))
    }

    /// Sets that alignment, a power of two.
    pub fn set_alignment(self, bytes: u32) {
        llvm!(core::LLVMSetAlignment(self.0, bytes));
    }

    /// The parameters of a function.
    pub fn parameters(self) -> Vec<Value> {
        let count = llvm!(core::LLVMCountParams(self.0));
        (0..count)
            .map(|index| Value(llvm!(core::LLVMGetParam(self.0, index))))
            .collect()
    }

    /// The function that a value is a parameter of.
    pub fn function_of_parameter(self) -> Option<Value> {
        (self.kind() == LLVMValueKind::LLVMArgumentValueKind)
            .then(|| Value(llvm!(core::LLVMGetParamParent(self.0))))
    }

    /// The blocks of a function, entry first.
    pub fn blocks(self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut next = llvm!(core::LLVMGetFirstBasicBlock(self.0));
        while !next.is_null() {
            blocks.push(Block(next));
            next = llvm!(core::LLVMGetNextBasicBlock(next));
        }
        blocks
    }

    /// All instructions of a function in order; a snapshot, so the function may be changed meanwhile.
    pub fn instructions(self) -> Vec<Value> {
        self.blocks()
            .into_iter()
            .flat_map(Block::instructions)
            .collect()
    }

    /// Whether a function calls one of these directly.
    pub fn calls_one_of(self, functions: &[Value]) -> bool {
        self.instructions()
            .into_iter()
            .filter(|it| it.is_call())
            .any(|call| functions.contains(&call.called()))
    }

    /// Calling convention of a function.
    pub fn calling_convention(self) -> u32 {
        llvm!(core::LLVMGetFunctionCallConv(self.0))
    }

    /// Sets the calling convention of a function.
    pub fn set_calling_convention(self, convention: u32) {
        llvm!(core::LLVMSetFunctionCallConv(self.0, convention));
    }

    /// Whether it is a declaration of an LLVM intrinsic.
    pub fn is_intrinsic(self) -> bool {
        self.is_function() && self.name().starts_with("llvm.")
    }
}

/// Instructions.
impl Value {
    /// Whether it is a call, invoke or callbr.
    pub fn is_call(self) -> bool {
        matches!(
            self.opcode(),
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr)
        )
    }

    /// The callee of a call.
    pub fn called(self) -> Value {
        Value(llvm!(core::LLVMGetCalledValue(self.0)))
    }

    /// The function that a call calls directly; `None` for anything else.
    pub fn called_function(self) -> Option<Value> {
        let called = self.is_call().then(|| self.called());
        called.filter(|called| called.is_function())
    }

    /// The function type a call uses.
    pub fn called_type(self) -> Type {
        Type(llvm!(core::LLVMGetCalledFunctionType(self.0)))
    }

    /// The arguments of a call.
    pub fn arguments(self) -> Vec<Value> {
        (0..llvm!(core::LLVMGetNumArgOperands(self.0)))
            .map(|index| self.operand(index))
            .collect()
    }

    /// Sets the calling convention of a call.
    pub fn set_call_convention(self, convention: u32) {
        llvm!(core::LLVMSetInstructionCallConv(self.0, convention));
    }

    /// The element type a `getelementptr` starts from.
    pub fn source_element_type(self) -> Type {
        Type(llvm!(core::LLVMGetGEPSourceElementType(self.0)))
    }

    /// Whether it is a phi.
    pub fn is_phi(self) -> bool {
        self.opcode() == Some(LLVMOpcode::LLVMPHI)
    }

    /// How many of its type an `alloca` allocates.
    pub fn allocated_count(self) -> Value {
        self.operand(0)
    }

    /// The values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        let count = llvm!(core::LLVMCountIncoming(self.0));
        (0..count)
            .map(|index| {
                let value = Value(llvm!(core::LLVMGetIncomingValue(self.0, index)));
                (
                    value,
                    Block(llvm!(core::LLVMGetIncomingBlock(self.0, index))),
                )
            })
            .collect()
    }

    /// Whether an integer comparison tests for equality (`icmp eq`).
    pub fn is_equality(self) -> bool {
        llvm!(core::LLVMGetICmpPredicate(self.0)) == LLVMIntPredicate::LLVMIntEQ
    }

    /// The blocks a terminator may go to.
    pub fn successors(self) -> Vec<Block> {
        let count = llvm!(core::LLVMGetNumSuccessors(self.0));
        (0..count)
            .map(|index| Block(llvm!(core::LLVMGetSuccessor(self.0, index))))
            .collect()
    }

    /// Sets successor `index` of a terminator.
    pub fn set_successor(self, index: u32, target: Block) {
        llvm!(core::LLVMSetSuccessor(self.0, index, target.0));
    }

    /// The condition of a conditional branch or switch.
    pub fn condition(self) -> Option<Value> {
        match self.opcode()? {
            LLVMOpcode::LLVMBr if llvm!(core::LLVMIsConditional(self.0)) != 0 => {
                Some(Value(llvm!(core::LLVMGetCondition(self.0))))
            }
            LLVMOpcode::LLVMSwitch => Some(self.operand(0)),
            _ => None,
        }
    }
}

/// Inline assembly.
impl Value {
    /// Whether it is inline assembly, the callee of a call.
    pub fn is_inline_assembly(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInlineAsmValueKind
    }

    /// The assembly's text.
    pub fn assembly_text(self) -> String {
        let mut length = 0;
        let raw = llvm!(core::LLVMGetInlineAsmAsmString(self.0, &mut length));
        text_of(raw, length)
    }

    /// The assembly's constraints.
    pub fn assembly_constraints(self) -> String {
        let mut length = 0;
        let raw = llvm!(core::LLVMGetInlineAsmConstraintString(self.0, &mut length));
        text_of(raw, length)
    }

    /// Inline assembly; `text` may be empty.
    pub fn inline_assembly(ty: Type, text: &str, constraints: &str, side_effects: bool) -> Value {
        let dialect = llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
        Value(llvm!(core::LLVMGetInlineAsm(
            ty.0,
            c_string(text).as_ptr(),
            text.len(),
            c_string(constraints).as_ptr(),
            constraints.len(),
            i32::from(side_effects),
            0,
            dialect,
            0,
        )))
    }
}

fn text_of(raw: *const std::ffi::c_char, length: usize) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returns a pointer to `length` bytes that live as long as the value.
    let bytes = unsafe { std::slice::from_raw_parts(raw.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use crate::ir::{Context, Module};

    #[test]
    fn only_calls_call() {
        let text = "declare i32 @f()
define i32 @g(ptr %p) {
  %x = call i32 @f()
  %y = call i32 %p()
  %z = add i32 %x, %y
  ret i32 %z
}
";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        let instructions = module.function("g").unwrap().instructions();
        let called = instructions.iter().map(|it| it.called_function());
        assert!(called.eq([module.function("f"), None, None, None]));
    }
}

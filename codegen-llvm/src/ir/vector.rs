//! Vector types and instructions, for the warp form.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind, LLVMValueKind};

use super::builder::EMPTY;
use super::{Block, Builder, Context, Module, Type, Value};

impl Type {
    /// `<lanes x self>`.
    pub fn vector(self, lanes: u32) -> Type {
        Type(llvm!(core::LLVMVectorType(self.0, lanes)))
    }

    /// `[count x self]`.
    pub fn array(self, count: u64) -> Type {
        Type(llvm!(core::LLVMArrayType2(self.0, count)))
    }

    /// The structure `{ fields… }`.
    pub fn structure(context: Context, fields: &[Type]) -> Type {
        let mut raw: Vec<_> = fields.iter().map(|field| field.0).collect();
        Type(llvm!(core::LLVMStructTypeInContext(
            context.0,
            raw.as_mut_ptr(),
            raw.len() as u32,
            0
        )))
    }

    /// The fields of a structure.
    pub fn fields(self) -> Vec<Type> {
        let count = llvm!(core::LLVMCountStructElementTypes(self.0));
        (0..count).map(|index| self.element(index)).collect()
    }

    /// The elements of an array.
    pub fn array_length(self) -> u64 {
        llvm!(core::LLVMGetArrayLength2(self.0))
    }

    /// How many elements a vector has.
    pub fn length(self) -> u32 {
        llvm!(core::LLVMGetVectorSize(self.0))
    }

    /// The fields of a structure or elements of an array; 0 for any other type.
    pub fn part_count(self) -> u32 {
        match self.kind() {
            LLVMTypeKind::LLVMStructTypeKind => llvm!(core::LLVMCountStructElementTypes(self.0)),
            LLVMTypeKind::LLVMArrayTypeKind => self.array_length() as u32,
            _ => 0,
        }
    }

    /// Whether it is a vector of a fixed length.
    pub fn is_vector(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVectorTypeKind
    }

    /// The type of a vector's or an array's elements.
    pub fn element_type(self) -> Type {
        Type(llvm!(core::LLVMGetElementType(self.0)))
    }

    /// The type itself, or that of a vector's elements.
    pub fn scalar(self) -> Type {
        match self.is_vector() {
            true => self.element_type(),
            false => self,
        }
    }

    /// `scalar`, or a vector of as many of it as this type has elements.
    pub fn with_scalar(self, scalar: Type) -> Type {
        match self.is_vector() {
            true => scalar.vector(self.length()),
            false => scalar,
        }
    }

    /// Whether it is an integer of any width.
    pub fn is_int(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMIntegerTypeKind
    }

    /// Whether it is `half`, `bfloat`, `float` or `double`.
    pub fn is_float(self) -> bool {
        matches!(
            self.kind(),
            LLVMTypeKind::LLVMHalfTypeKind
                | LLVMTypeKind::LLVMBFloatTypeKind
                | LLVMTypeKind::LLVMFloatTypeKind
                | LLVMTypeKind::LLVMDoubleTypeKind
        )
    }

    /// Whether it is a structure.
    pub fn is_structure(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMStructTypeKind
    }
}

impl Module {
    /// The declaration of an LLVM intrinsic, `name` without its types' suffixes; `types` are those it is overloaded on.
    pub fn intrinsic(&self, name: &str, types: &[Type]) -> Value {
        let id = llvm!(core::LLVMLookupIntrinsicID(
            name.as_ptr().cast(),
            name.len()
        ));
        debug_assert_ne!(id, 0, "{name} is no intrinsic of this LLVM");
        self.intrinsic_by_id(id, types)
    }

    /// The declaration of an intrinsic by its number.
    pub fn intrinsic_by_id(&self, id: u32, types: &[Type]) -> Value {
        let mut raw: Vec<_> = types.iter().map(|ty| ty.0).collect();
        Value(llvm!(core::LLVMGetIntrinsicDeclaration(
            self.raw,
            id,
            raw.as_mut_ptr(),
            raw.len()
        )))
    }
}

impl Builder {
    /// The block it inserts into.
    pub fn block(&self) -> Block {
        Block(llvm!(core::LLVMGetInsertBlock(self.raw)))
    }

    /// Moves the builder to the end of a block.
    pub fn move_to_end(&self, block: Block) {
        llvm!(core::LLVMPositionBuilderAtEnd(self.raw, block.0));
    }

    /// Takes the debug location of an instruction for what follows.
    pub fn locate_as(&self, instruction: Value) {
        llvm!(core::LLVMSetCurrentDebugLocation2(
            self.raw,
            llvm!(debuginfo::LLVMInstructionGetDebugLoc(instruction.0))
        ));
    }

    /// An unnamed copy of an instruction, with its operands, flags and metadata, inserted here.
    pub fn copy_of(&self, instruction: Value) -> Value {
        let copy = llvm!(core::LLVMInstructionClone(instruction.0));
        llvm!(core::LLVMInsertIntoBuilder(self.raw, copy));
        Value(copy)
    }

    /// `icmp`.
    pub fn compare(&self, predicate: LLVMIntPredicate, left: Value, right: Value) -> Value {
        Value(llvm!(core::LLVMBuildICmp(
            self.raw, predicate, left.0, right.0, EMPTY
        )))
    }

    /// `fcmp`.
    pub fn compare_floats(&self, predicate: LLVMRealPredicate, left: Value, right: Value) -> Value {
        Value(llvm!(core::LLVMBuildFCmp(
            self.raw, predicate, left.0, right.0, EMPTY
        )))
    }

    /// `fcmp` with the predicate of another.
    pub fn compare_floats_as(&self, like: Value, left: Value, right: Value) -> Value {
        self.compare_floats(llvm!(core::LLVMGetFCmpPredicate(like.0)), left, right)
    }

    /// `fneg`.
    pub fn negate(&self, value: Value) -> Value {
        Value(llvm!(core::LLVMBuildFNeg(self.raw, value.0, EMPTY)))
    }

    /// `freeze`.
    pub fn freeze(&self, value: Value) -> Value {
        Value(llvm!(core::LLVMBuildFreeze(self.raw, value.0, EMPTY)))
    }

    /// `select`.
    pub fn select(&self, condition: Value, yes: Value, no: Value) -> Value {
        Value(llvm!(core::LLVMBuildSelect(
            self.raw,
            condition.0,
            yes.0,
            no.0,
            EMPTY
        )))
    }

    /// Element `index` of a vector.
    pub fn extract(&self, vector: Value, index: Value) -> Value {
        Value(llvm!(core::LLVMBuildExtractElement(
            self.raw, vector.0, index.0, EMPTY
        )))
    }

    /// A vector with element `index` replaced.
    pub fn insert_element(&self, vector: Value, value: Value, index: Value) -> Value {
        Value(llvm!(core::LLVMBuildInsertElement(
            self.raw, vector.0, value.0, index.0, EMPTY
        )))
    }

    /// Field `index` of a structure or array.
    pub fn field(&self, aggregate: Value, index: u32) -> Value {
        Value(llvm!(core::LLVMBuildExtractValue(
            self.raw,
            aggregate.0,
            index,
            EMPTY
        )))
    }

    /// A structure or array with field `index` replaced.
    pub fn insert_field(&self, aggregate: Value, value: Value, index: u32) -> Value {
        Value(llvm!(core::LLVMBuildInsertValue(
            self.raw,
            aggregate.0,
            value.0,
            index,
            EMPTY
        )))
    }

    /// `shufflevector vector, poison, mask`.
    pub fn shuffle(&self, vector: Value, mask: Value) -> Value {
        let poison = Value::poison(vector.ty());
        Value(llvm!(core::LLVMBuildShuffleVector(
            self.raw, vector.0, poison.0, mask.0, EMPTY
        )))
    }

    /// Lanes `which` of two vectors of one type; those of the second are numbered behind those of the first.
    pub fn shuffle_both(
        &self,
        first: Value,
        second: Value,
        which: impl IntoIterator<Item = u64>,
    ) -> Value {
        let int = Type::int(self.context, 32);
        let which = which.into_iter();
        let lanes: Vec<_> = which.map(|lane| Value::int(int, lane)).collect();
        let mask = Value::vector(&lanes);
        Value(llvm!(core::LLVMBuildShuffleVector(
            self.raw, first.0, second.0, mask.0, EMPTY
        )))
    }

    /// The vector of `lanes` times the same value.
    pub fn splat(&self, value: Value, lanes: u32) -> Value {
        let ty = value.ty().vector(lanes);
        if value.is_constant() {
            return Value::vector(&vec![value; lanes as usize]);
        }
        let int = Type::int(self.context, 32);
        let first = self.insert_element(Value::poison(ty), value, Value::int(int, 0));
        self.shuffle(first, Value::zero(int.vector(lanes)))
    }

    /// A scalar, or the vector of type `ty` whose elements it is.
    pub fn spread(&self, scalar: Value, ty: Type) -> Value {
        match ty.is_vector() {
            true => self.splat(scalar, ty.length()),
            false => scalar,
        }
    }

    /// `br target`.
    pub fn jump(&self, target: Block) {
        llvm!(core::LLVMBuildBr(self.raw, target.0));
    }

    /// `br condition, yes, no`.
    pub fn branch(&self, condition: Value, yes: Block, no: Block) {
        llvm!(core::LLVMBuildCondBr(self.raw, condition.0, yes.0, no.0));
    }

    /// `switch value`: to the case's number's place in `cases`; what is none of them cannot be.
    pub fn switch(&self, value: Value, cases: &[Block]) {
        let none = Builder::append_block(self.context, self.block().function(), "");
        Builder::at_end(self.context, none).unreachable();
        let count = cases.len() as u32;
        let switch = llvm!(core::LLVMBuildSwitch(self.raw, value.0, none.0, count));
        for (number, case) in cases.iter().enumerate() {
            let number = Value::int(value.ty(), number as u64);
            llvm!(core::LLVMAddCase(switch, number.0, case.0));
        }
    }

    /// A branch that hardly ever goes to `unlikely`, so that the register allocator favours the other side.
    pub fn branch_likely(&self, unlikely_if: Value, unlikely: Block, likely: Block) {
        let branch = llvm!(core::LLVMBuildCondBr(
            self.raw,
            unlikely_if.0,
            unlikely.0,
            likely.0
        ));
        let weights = [1, (1 << 20) - 1];
        let weights = weights.map(|weight| Value::int(Type::int(self.context, 32), weight));
        Value(branch).set_branch_weights(self.context, weights);
    }

    /// `unreachable`.
    pub fn unreachable(&self) {
        llvm!(core::LLVMBuildUnreachable(self.raw));
    }

    /// A phi; [`Value::add_incoming`] gives it values.
    pub fn phi(&self, ty: Type) -> Value {
        Value(llvm!(core::LLVMBuildPhi(self.raw, ty.0, EMPTY)))
    }

    /// `getelementptr ty, pointer, index` without flags, for vectors of pointers or indices, too.
    pub fn index(&self, ty: Type, pointer: Value, indices: &[Value]) -> Value {
        self.element_pointer(ty, pointer, indices)
    }
}

impl Value {
    /// The constant vector of these elements.
    pub fn vector(elements: &[Value]) -> Value {
        let mut raw: Vec<_> = elements.iter().map(|element| element.0).collect();
        Value(llvm!(core::LLVMConstVector(
            raw.as_mut_ptr(),
            raw.len() as u32
        )))
    }

    /// Adds a value to a phi.
    pub fn add_incoming(self, value: Value, from: Block) {
        let (mut value, mut from) = (value.0, from.0);
        llvm!(core::LLVMAddIncoming(self.0, &mut value, &mut from, 1));
    }

    /// The predicate of an `fcmp`.
    pub fn float_predicate(self) -> LLVMRealPredicate {
        llvm!(core::LLVMGetFCmpPredicate(self.0))
    }

    /// The predicate of an `icmp`.
    pub fn int_predicate(self) -> LLVMIntPredicate {
        llvm!(core::LLVMGetICmpPredicate(self.0))
    }

    /// The predicate of an `icmp` whose operands are exchanged.
    pub fn swapped_predicate(self) -> LLVMIntPredicate {
        use LLVMIntPredicate::*;
        match self.int_predicate() {
            LLVMIntUGT => LLVMIntULT,
            LLVMIntUGE => LLVMIntULE,
            LLVMIntULT => LLVMIntUGT,
            LLVMIntULE => LLVMIntUGE,
            LLVMIntSGT => LLVMIntSLT,
            LLVMIntSGE => LLVMIntSLE,
            LLVMIntSLT => LLVMIntSGT,
            LLVMIntSLE => LLVMIntSGE,
            symmetric @ (LLVMIntEQ | LLVMIntNE) => symmetric,
        }
    }

    /// The number of the intrinsic a function is; 0 for any other function.
    pub fn intrinsic_id(self) -> u32 {
        llvm!(core::LLVMGetIntrinsicID(self.0))
    }

    /// The type an `alloca` makes room for.
    pub fn allocated_type(self) -> Type {
        Type(llvm!(core::LLVMGetAllocatedType(self.0)))
    }

    /// The indices of an `extractvalue` or `insertvalue`.
    pub fn field_indices(self) -> Vec<u32> {
        let count = llvm!(core::LLVMGetNumIndices(self.0)) as usize;
        let raw = llvm!(core::LLVMGetIndices(self.0));
        // SAFETY: LLVM returns a pointer to `count` indices that live as long as the instruction.
        unsafe { std::slice::from_raw_parts(raw, count) }.to_vec()
    }

    /// Whether an `or` is an addition without carries.
    pub fn is_disjoint(self) -> bool {
        self.opcode() == Some(LLVMOpcode::LLVMOr) && llvm!(core::LLVMGetIsDisjoint(self.0)) != 0
    }

    /// Whether an addition does not overflow as a signed one (`nsw`), or has no carries at all.
    pub fn cannot_overflow(self) -> bool {
        let adds = self.opcode() == Some(LLVMOpcode::LLVMAdd);
        self.is_disjoint() || adds && llvm!(core::LLVMGetNSW(self.0)) != 0
    }

    /// Whether an addition does not overflow as an unsigned one (`nuw`), or has no carries at all.
    pub fn cannot_carry(self) -> bool {
        let adds = self.opcode() == Some(LLVMOpcode::LLVMAdd);
        self.is_disjoint() || adds && llvm!(core::LLVMGetNUW(self.0)) != 0
    }

    /// Whether a multiplication or a shift to the left does not overflow, with a sign (`nsw`) or without one (`nuw`).
    pub fn keeps_value(self, signed: bool) -> bool {
        let opcode = self.opcode();
        let multiplies = matches!(opcode, Some(LLVMOpcode::LLVMMul | LLVMOpcode::LLVMShl));
        multiplies
            && match signed {
                true => llvm!(core::LLVMGetNSW(self.0)) != 0,
                false => llvm!(core::LLVMGetNUW(self.0)) != 0,
            }
    }

    /// Whether a cut (`trunc`) takes off zeros only (`nuw`).
    pub fn keeps_all_bits(self) -> bool {
        self.opcode() == Some(LLVMOpcode::LLVMTrunc) && llvm!(core::LLVMGetNUW(self.0)) != 0
    }

    /// States that an addition of numbers with signs does not overflow (`nsw`).
    pub fn set_cannot_overflow(self) {
        llvm!(core::LLVMSetNSW(self.0, 1))
    }

    /// States that an addition does not overflow as an unsigned one, or that a cut takes off zeros only (`nuw`).
    pub fn set_cannot_carry(self) {
        llvm!(core::LLVMSetNUW(self.0, 1))
    }

    /// Whether a zero extension is of a non-negative number (`nneg`).
    pub fn is_of_nonnegative(self) -> bool {
        self.opcode() == Some(LLVMOpcode::LLVMZExt) && llvm!(core::LLVMGetNNeg(self.0)) != 0
    }

    /// Gives an instruction the flags of `from`, one with the same opcode: no wrap, exact, fast-math, in bounds.
    pub fn take_flags(self, from: Value) {
        use LLVMOpcode::*;
        let Some(opcode) = self.opcode().filter(|_| self.opcode() == from.opcode()) else {
            return;
        };
        match opcode {
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc => {
                llvm!(core::LLVMSetNSW(self.0, llvm!(core::LLVMGetNSW(from.0))));
                llvm!(core::LLVMSetNUW(self.0, llvm!(core::LLVMGetNUW(from.0))));
            }
            LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => {
                llvm!(core::LLVMSetExact(
                    self.0,
                    llvm!(core::LLVMGetExact(from.0))
                ));
            }
            LLVMZExt | LLVMUIToFP => {
                llvm!(core::LLVMSetNNeg(self.0, llvm!(core::LLVMGetNNeg(from.0))));
            }
            LLVMOr => {
                llvm!(core::LLVMSetIsDisjoint(
                    self.0,
                    llvm!(core::LLVMGetIsDisjoint(from.0))
                ));
            }
            LLVMGetElementPtr => {
                let flags = llvm!(core::LLVMGEPGetNoWrapFlags(from.0));
                llvm!(core::LLVMGEPSetNoWrapFlags(self.0, flags));
            }
            _ => self.take_fast_math(from),
        }
    }

    /// Gives it the fast-math flags of `from`, if both can have some.
    pub fn take_fast_math(self, from: Value) {
        let can = |value: Value| llvm!(core::LLVMCanValueUseFastMathFlags(value.0)) != 0;
        if can(from) && can(self) {
            let flags = llvm!(core::LLVMGetFastMathFlags(from.0));
            llvm!(core::LLVMSetFastMathFlags(self.0, flags));
        }
    }

    /// Allows the operation to be done in any order (`reassoc`).
    pub fn allow_reassociation(self) {
        llvm!(core::LLVMSetFastMathFlags(
            self.0,
            llvm_sys::LLVMFastMathAllowReassoc
        ));
    }

    /// Whether the operation may be done in any order.
    pub fn allows_reassociation(self) -> bool {
        let has_flags = llvm!(core::LLVMCanValueUseFastMathFlags(self.0)) != 0;
        has_flags
            && llvm!(core::LLVMGetFastMathFlags(self.0)) & llvm_sys::LLVMFastMathAllowReassoc != 0
    }

    /// Whether an approximation may take the place of a function's result (`afn`).
    pub fn may_be_approximate(self) -> bool {
        let has_flags = llvm!(core::LLVMCanValueUseFastMathFlags(self.0)) != 0;
        has_flags
            && llvm!(core::LLVMGetFastMathFlags(self.0)) & llvm_sys::LLVMFastMathApproxFunc != 0
    }

    /// Its value if it is a floating-point constant.
    pub fn as_real(self) -> Option<f64> {
        let mut inexact = 0;
        let is_real = self.kind() == LLVMValueKind::LLVMConstantFPValueKind;
        is_real.then(|| llvm!(core::LLVMConstRealGetDouble(self.0, &mut inexact)))
    }

    /// The real constant of a floating-point type.
    pub fn real(ty: Type, value: f64) -> Value {
        Value(llvm!(core::LLVMConstReal(ty.0, value)))
    }

    /// Whether it is a constant without a certain value: `undef` or `poison`.
    pub fn is_undefined(self) -> bool {
        llvm!(core::LLVMIsUndef(self.0)) != 0
    }

    /// Whether LLVM's verifier refuses a function.
    pub fn is_invalid(self) -> bool {
        use llvm_sys::analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
        llvm!(analysis::LLVMVerifyFunction(self.0, LLVMReturnStatusAction)) != 0
    }

    /// Moves the debug information of function `from` to this one.
    pub fn take_subprogram(self, from: Value) {
        let subprogram = llvm!(debuginfo::LLVMGetSubprogram(from.0));
        if !subprogram.is_null() {
            llvm!(debuginfo::LLVMSetSubprogram(from.0, std::ptr::null_mut()));
            llvm!(debuginfo::LLVMSetSubprogram(self.0, subprogram));
        }
    }
}

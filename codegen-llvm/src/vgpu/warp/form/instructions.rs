//! Instructions that compute: once for uniform and strided values, as vectors for the others.

use llvm_sys::LLVMOpcode;

use super::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::lower::engine::STACK_POINTER;
use crate::vgpu::warp::analysis::callee::{self, Callee};
use crate::vgpu::warp::analysis::divergence::signed;
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// Any instruction.
    pub(super) fn instruction(&mut self, instruction: Value) -> Result<(), Refusal> {
        use LLVMOpcode::*;
        let Some(opcode) = instruction.opcode() else {
            return Ok(());
        };
        match opcode {
            LLVMPHI => self.phi(instruction),
            LLVMBr | LLVMRet | LLVMUnreachable | LLVMSwitch | LLVMIndirectBr | LLVMInvoke
            | LLVMCallBr | LLVMResume => self.terminator(instruction),
            LLVMAlloca => Ok(()),
            LLVMLoad => self.load(instruction),
            LLVMStore => self.store(instruction),
            LLVMAtomicRMW | LLVMAtomicCmpXchg => self.atomic(instruction),
            LLVMFence => {
                self.builder.copy_of(instruction);
                Ok(())
            }
            LLVMCall => self.call(instruction),
            _ => self.compute(instruction),
        }
    }

    /// An instruction without side effects.
    pub(super) fn compute(&mut self, instruction: Value) -> Result<(), Refusal> {
        match self.divergence.shape(instruction) {
            Shape::Varying => self.widen(instruction),
            shape => {
                let whole = instruction.operands().into_iter();
                let exact = shape.is_uniform()
                    && whole
                        .into_iter()
                        .all(|operand| self.divergence.shape(operand).is_uniform());
                let scalar = if exact {
                    self.once(instruction)
                } else {
                    self.for_lane_zero(instruction)
                };
                self.define_scalar(instruction, scalar);
                Ok(())
            }
        }
    }

    /// A copy of an instruction whose operands are uniform.
    pub(super) fn once(&mut self, instruction: Value) -> Value {
        let operands: Vec<_> = (0..instruction.operand_count())
            .map(|index| {
                instruction
                    .operand_or_none(index)
                    .map(|operand| self.scalar(operand))
            })
            .collect();
        let copy = self.builder.copy_of(instruction);
        for (index, operand) in operands.into_iter().enumerate() {
            if let Some(operand) = operand {
                copy.set_operand(index as u32, operand);
            }
        }
        copy
    }

    /// The instruction on lane 0's values. Lane 0 may be inactive, so no flag promises anything of it.
    fn for_lane_zero(&mut self, instruction: Value) -> Value {
        use LLVMOpcode::*;
        let opcode = instruction.opcode().unwrap_or(LLVMFreeze);
        let operands: Vec<_> = instruction
            .operands()
            .into_iter()
            .map(|operand| self.scalar(operand))
            .collect();
        let builder = &self.builder;
        match opcode {
            LLVMOr if instruction.is_disjoint() => {
                builder.binary(LLVMAdd, operands[0], operands[1])
            }
            LLVMICmp => builder.compare(instruction.int_predicate(), operands[0], operands[1]),
            LLVMSelect => builder.select(operands[0], operands[1], operands[2]),
            LLVMGetElementPtr => builder.index(
                instruction.source_element_type(),
                operands[0],
                &operands[1..],
            ),
            _ if operands.len() == 2 => builder.binary(opcode, operands[0], operands[1]),
            // Lane 0's number may be negative where it takes no part.
            LLVMZExt if instruction.is_of_nonnegative() => {
                builder.cast(LLVMSExt, operands[0], instruction.ty())
            }
            _ => builder.cast(opcode, operands[0], instruction.ty()),
        }
    }

    /// The instruction on vectors.
    fn widen(&mut self, instruction: Value) -> Result<(), Refusal> {
        use LLVMOpcode::*;
        let context = self.context;
        let refuse = |what: &str| Refusal::at(context, instruction, what);
        let opcode = instruction.opcode().unwrap_or(LLVMFreeze);
        let ty = self
            .widened(instruction.ty())
            .map_err(|what| refuse(&what))?;
        if opcode == LLVMSelect && self.divergence.shape(instruction.operand(0)).is_uniform() {
            let (yes, no) = (instruction.operand(1), instruction.operand(2));
            let condition = self.scalar(instruction.operand(0));
            let (yes, no) = (self.vector(yes), self.vector(no));
            let chosen = self.builder.select(condition, yes, no);
            self.define_vector(instruction, chosen);
            return Ok(());
        }
        if opcode == LLVMGetElementPtr {
            let pointer = self.vector_pointer(instruction);
            self.define_vector(instruction, pointer);
            return Ok(());
        }
        let mut operands = Vec::new();
        for operand in instruction.operands() {
            self.widened(operand.ty()).map_err(|what| refuse(&what))?;
            operands.push(self.vector(operand));
        }
        if matches!(opcode, LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem) {
            operands[1] = self.safe_divisor(instruction.operand(1), operands[1]);
        }
        let builder = &self.builder;
        let made = match opcode {
            LLVMICmp => builder.compare(instruction.int_predicate(), operands[0], operands[1]),
            LLVMFCmp => builder.compare_floats_as(instruction, operands[0], operands[1]),
            LLVMSelect => {
                if instruction.ty().part_count() > 0 {
                    return Err(refuse("a structure is chosen lane by lane"));
                }
                builder.select(operands[0], operands[1], operands[2])
            }
            LLVMFNeg => builder.negate(operands[0]),
            LLVMFreeze => builder.freeze(operands[0]),
            LLVMExtractValue => instruction
                .field_indices()
                .into_iter()
                .fold(operands[0], |whole, index| builder.field(whole, index)),
            LLVMInsertValue => match instruction.field_indices().as_slice() {
                [index] => builder.insert_field(operands[0], operands[1], *index),
                _ => return Err(refuse("a nested structure is changed")),
            },
            LLVMAdd | LLVMFAdd | LLVMSub | LLVMFSub | LLVMMul | LLVMFMul | LLVMUDiv | LLVMSDiv
            | LLVMFDiv | LLVMURem | LLVMSRem | LLVMFRem | LLVMShl | LLVMLShr | LLVMAShr
            | LLVMAnd | LLVMOr | LLVMXor => builder.binary(opcode, operands[0], operands[1]),
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP
            | LLVMFPTrunc | LLVMFPExt | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast
            | LLVMAddrSpaceCast => builder.cast(opcode, operands[0], ty),
            _ => return Err(refuse("an instruction has no vector form")),
        };
        made.take_flags(instruction);
        self.define_vector(instruction, made);
        Ok(())
    }

    /// The divisor with 1 in lanes that do not divide: LLVM divides in all of them.
    fn safe_divisor(&self, divisor: Value, vector: Value) -> Value {
        if signed(divisor).is_some_and(|value| value != 0 && value != -1) {
            return vector;
        }
        let one = self.builder.splat(Value::int(divisor.ty(), 1), self.width);
        // Frozen: LLVM's code generation divides in all lanes and chooses afterwards where it believes that the divisor is never 0,
        // as that of `shl nuw 5, x`, and an inactive lane's `x` may be too large for it.
        let vector = self.builder.freeze(vector);
        self.builder.select(self.mask, vector, one)
    }

    /// The pointers of a `getelementptr`.
    pub(super) fn vector_pointer(&mut self, instruction: Value) -> Value {
        let mut operands = Vec::new();
        for operand in instruction.operands() {
            // The number of a structure's field must stay a constant; uniform indices may stay scalars.
            let uniform = self.divergence.shape(operand).is_uniform();
            operands.push(if uniform {
                self.scalar(operand)
            } else {
                self.vector(operand)
            });
        }
        let ty = instruction.source_element_type();
        let made = self.builder.index(ty, operands[0], &operands[1..]);
        made.take_flags(instruction);
        made
    }

    /// A call.
    fn call(&mut self, call: Value) -> Result<(), Refusal> {
        match callee::of(call) {
            Callee::Context => {
                self.define_scalar(call, self.cx);
                Ok(())
            }
            Callee::Hint => Ok(()),
            Callee::Scope => {
                self.builder.copy_of(call);
                Ok(())
            }
            Callee::Check => self.check(call),
            Callee::CheckRange => self.check_range(call),
            Callee::Once | Callee::Yield => {
                let made = self.once(call);
                if !call.ty().is_void() {
                    self.define_scalar(call, made);
                }
                Ok(())
            }
            Callee::Widened => self.intrinsic(call),
            Callee::Fault => self.fault(call),
            Callee::EngineLane => self.engine_call(call),
            Callee::Library | Callee::Transfer => self.library_call(call),
            Callee::Barrier | Callee::BarrierArrive | Callee::BarrierReduce => self.barrier(call),
            Callee::ActiveMask
            | Callee::SyncWarp
            | Callee::Vote
            | Callee::Shuffle
            | Callee::Redux
            | Callee::MatchAny
            | Callee::MatchAll => self.warp_operation(call),
            Callee::Wave => self.wave_operation(call),
            Callee::Unknown => Err(self.unknown(call)),
        }
    }

    fn unknown(&self, call: Value) -> Refusal {
        let called = call.called();
        let what = if called.is_inline_assembly() && called.assembly_text() == STACK_POINTER {
            "it is asked whether an address is a thread's own".to_owned()
        } else if called.is_inline_assembly() {
            "inline assembly stands".to_owned()
        } else if called.is_function() {
            match called.name().as_str() {
                "vgpu_exit" => "a thread ends in the middle of the kernel".to_owned(),
                name if !called.is_declaration() => {
                    format!("`{name}`, which calls itself, perhaps through a pointer, is called")
                }
                name => format!("`{name}`, which has no warp form, is called"),
            }
        } else {
            "a function is called through a pointer".to_owned()
        };
        Refusal::at(self.context, call, &what)
    }

    /// An intrinsic that exists for vectors.
    fn intrinsic(&mut self, call: Value) -> Result<(), Refusal> {
        if self.divergence.shape(call).is_uniform() {
            let made = self.once(call);
            self.define_scalar(call, made);
            return Ok(());
        }
        let function = call.called();
        let wide = self
            .widened(call.ty())
            .map_err(|what| Refusal::at(self.context, call, &what))?;
        let stem = function.name();
        let mut arguments = Vec::new();
        for (index, argument) in call.arguments().into_iter().enumerate() {
            // These take a flag, or an exponent for all lanes, as second argument.
            let flag = index == 1
                && ["llvm.abs.", "llvm.ctlz.", "llvm.cttz.", "llvm.is.fpclass."]
                    .iter()
                    .any(|name| stem.starts_with(name));
            if index == 1 && stem.starts_with("llvm.powi.") {
                if !self.divergence.shape(argument).is_uniform() {
                    let what = "`llvm.powi` has a different exponent in each lane";
                    return Err(Refusal::at(self.context, call, what));
                }
                arguments.push(self.scalar(argument));
            } else if flag {
                arguments.push(argument);
            } else {
                arguments.push(self.vector(argument));
            }
        }
        let overloads = self.overloads(&stem, wide, &arguments);
        let widened = self
            .module
            .intrinsic_by_id(function.intrinsic_id(), &overloads);
        let made = self.builder.call_function(widened, &arguments);
        made.take_flags(call);
        self.define_vector(call, made);
        Ok(())
    }

    /// The types an intrinsic's name spells out.
    fn overloads(&self, stem: &str, wide: Type, arguments: &[Value]) -> Vec<Type> {
        let second = |index: usize| arguments[index].ty();
        if stem.starts_with("llvm.is.fpclass.") {
            return vec![second(0)];
        }
        if stem.contains(".with.overflow.") {
            return vec![second(0)];
        }
        if stem.contains(".sat.") && stem.starts_with("llvm.fpto")
            || stem.starts_with("llvm.ucmp.")
            || stem.starts_with("llvm.scmp.")
        {
            return vec![wide, second(0)];
        }
        if stem.starts_with("llvm.powi.") || stem.starts_with("llvm.ldexp.") {
            return vec![wide, second(1)];
        }
        vec![wide]
    }
}

//! Instructions that compute: scalars for uniform and strided values, vectors for varying ones.

use llvm_sys::LLVMOpcode;

use super::division;
use super::vectoriser::Vectoriser;
use crate::ir::Value;
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// Writes any instruction.
    pub(super) fn instruction(&mut self, instruction: Value) -> Result<(), Refusal> {
        use LLVMOpcode::*;
        let Some(opcode) = instruction.opcode() else {
            return Ok(());
        };
        if opcode != LLVMPHI && self.divergence.is_of_elected(instruction) {
            let scalar = self.copy_scalar(instruction);
            self.define_scalar(instruction, scalar);
            return Ok(());
        }
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
                    self.copy_scalar(instruction)
                } else {
                    self.compute_lane_zero(instruction)
                };
                self.define_scalar(instruction, scalar);
                Ok(())
            }
        }
    }

    /// A scalar copy of an instruction whose operands are uniform, or that an elected lane executes.
    pub(super) fn copy_scalar(&mut self, instruction: Value) -> Value {
        let operands: Vec<_> = (0..instruction.operand_count())
            .map(|index| {
                instruction
                    .operand_or_none(index)
                    .map(|operand| self.scalar_here(operand))
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

    /// The instruction on lane 0's values. Lane 0 may be inactive, so the kernel's flags (`nsw`, `inbounds`) need not
    /// hold.
    fn compute_lane_zero(&mut self, instruction: Value) -> Value {
        let operands: Vec<_> = instruction
            .operands()
            .into_iter()
            .map(|operand| self.scalar(operand))
            .collect();
        let builder = &self.builder;
        match instruction.opcode() {
            Some(LLVMOpcode::LLVMOr) if instruction.is_disjoint() => {
                builder.binary(LLVMOpcode::LLVMAdd, operands[0], operands[1])
            }
            // Lane 0's value may be negative where lane 0 is inactive.
            Some(LLVMOpcode::LLVMZExt) if instruction.is_of_nonnegative() => {
                builder.cast(LLVMOpcode::LLVMSExt, operands[0], instruction.ty())
            }
            _ => builder.on_operands(instruction, &operands),
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
        if opcode == LLVMICmp
            && let Some(mask) = self.compare_by_count(instruction)
        {
            self.define_vector(instruction, mask);
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
        if division::is_division(opcode) {
            let made = self.divide(instruction, operands[0], operands[1]);
            self.define_vector(instruction, made);
            return Ok(());
        }
        let builder = &self.builder;
        let made = match opcode {
            LLVMICmp => builder.compare(instruction.int_predicate(), operands[0], operands[1]),
            LLVMFCmp => builder.compare_floats_as(instruction, operands[0], operands[1]),
            LLVMSelect => {
                if instruction.ty().part_count() > 0 {
                    return Err(refuse("a structure is selected lane by lane"));
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
            LLVMAdd | LLVMFAdd | LLVMSub | LLVMFSub | LLVMMul | LLVMFMul | LLVMFDiv | LLVMFRem
            | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor => {
                builder.binary(opcode, operands[0], operands[1])
            }
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP
            | LLVMFPTrunc | LLVMFPExt | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast
            | LLVMAddrSpaceCast => builder.cast(opcode, operands[0], ty),
            _ => return Err(refuse("an instruction has no vector form")),
        };
        made.take_flags(instruction);
        self.define_vector(instruction, made);
        Ok(())
    }
}

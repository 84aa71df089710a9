//! Barriers, and which lanes are elsewhere when the active lanes come to one.

use llvm_sys::LLVMOpcode;

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::callee::{self, Callee};
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// Any of the three kinds of barrier.
    pub(super) fn barrier(&mut self, call: Value) -> Result<(), Refusal> {
        if !self.checks_convergence && !self.others_have_ended() {
            let what = "lanes of one warp may come to different barriers: \
                        one is inside a branch or loop that they do not take together";
            return Err(Refusal::at(self.context, call, what));
        }
        let context = self.context;
        let int = |bits| Type::int(context, bits);
        let mut arguments = Vec::new();
        for argument in call.arguments() {
            let uniform = self.divergence.shape(argument).is_uniform();
            if !uniform && arguments.len() < 5 {
                let what = "a barrier's number differs from lane to lane";
                return Err(Refusal::at(self.context, call, what));
            }
            arguments.push(argument);
        }
        let lanes = self.mask_bits();
        let lanes = self.builder.cast_unsigned(lanes, int(64));
        let callee = callee::of(call);
        let uniform = if callee == Callee::BarrierReduce {
            5
        } else {
            4
        };
        let mut values: Vec<_> = arguments[..uniform]
            .iter()
            .map(|&argument| self.scalar(argument))
            .collect();
        values.extend([lanes, self.elsewhere()]);
        let mut types = vec![Type::pointer(self.context)];
        types.extend((1..uniform).map(|_| int(32)));
        types.extend([int(64), int(64)]);
        let (name, result) = match callee {
            Callee::Barrier => ("vgpu_warp_barrier", Type::void(self.context)),
            Callee::BarrierArrive => ("vgpu_warp_barrier_arrive", Type::void(self.context)),
            _ => {
                let predicates = self.predicate_bits(arguments[5]);
                values.push(predicates);
                types.push(int(64));
                ("vgpu_warp_barrier_reduce", int(32))
            }
        };
        let function = self.module.declare(name, Type::function(result, &types));
        for attribute in ["convergent", "nounwind"] {
            function.add_attribute(self.context, attribute);
        }
        let made = self.builder.call_function(function, &values);
        if callee == Callee::BarrierReduce {
            self.define_scalar(call, made);
        }
        Ok(())
    }

    /// Whether lanes that wait at a block have ended, or are about to.
    fn is_end(&self, at: usize) -> bool {
        let instructions = self.order.blocks[at].instructions();
        let ends = matches!(
            instructions[0].opcode(),
            Some(LLVMOpcode::LLVMRet | LLVMOpcode::LLVMUnreachable)
        );
        instructions.len() == 1 && ends
    }

    /// Whether all lanes that are not active have ended, or are about to.
    pub(super) fn others_have_ended(&self) -> bool {
        self.waiting().iter().all(|&at| self.is_end(at))
    }

    /// The lanes that are neither active nor ended, 64 bits.
    pub(super) fn elsewhere(&self) -> Value {
        let int = Type::int(self.context, 64);
        let waiting = self.waiting().into_iter();
        let blocks = waiting.filter(|&at| !self.is_end(at));
        blocks.fold(Value::zero(int), |all, at| {
            let mask = self.builder.load(self.mask_type(), self.masks[&at]);
            let lanes = self.builder.cast_unsigned(self.bits(mask), int);
            self.builder.binary(LLVMOpcode::LLVMOr, all, lanes)
        })
    }
}

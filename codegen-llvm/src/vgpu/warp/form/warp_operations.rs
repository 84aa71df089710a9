//! Operations of a warp with member masks: votes, reductions, matches.
//!
//! The lanes that take part are the active ones. `operation_is_complete` shows for every operation that no lane has to
//! wait for a lane elsewhere.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::VoteMode;

use super::reduction::Reduction;
use super::vectoriser::Vectoriser;
use crate::ir::{Builder, Type, Value};
use crate::vgpu::warp::analysis::callee::{self, Callee};
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// Any of them, shuffles included: `(cx, site, mask, …)`.
    pub(super) fn warp_operation(&mut self, call: Value) -> Result<(), Refusal> {
        let callee = callee::of(call);
        let arguments = call.arguments();
        let lanes = self.mask_bits();
        let lanes = self
            .builder
            .cast_unsigned(lanes, Type::int(self.context, 64));
        if callee == Callee::ActiveMask {
            self.define_scalar(call, lanes);
            return Ok(());
        }
        let mask = arguments[2];
        self.operation_is_complete(call, mask)?;
        match callee {
            Callee::SyncWarp => Ok(()),
            Callee::Vote => self.vote(call, lanes),
            Callee::Redux => self.redux(call),
            Callee::MatchAny => self.match_any(call),
            Callee::MatchAll => self.match_all(call),
            _ => self.shuffle(call),
        }
    }

    /// Shows that the lanes in the member mask are all active, or have ended. Either all other lanes have ended, or
    /// the mask comes from `activemask` or a ballot among the very same lanes.
    fn operation_is_complete(&mut self, call: Value, mask: Value) -> Result<(), Refusal> {
        let mut source = mask;
        // Member masks are converted to 32 bits and back on their way.
        while match source.opcode() {
            Some(LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMTrunc) => true,
            Some(LLVMOpcode::LLVMAnd) => source.operand(1).as_int() == Some(u32::MAX.into()),
            _ => false,
        } {
            source = source.operand(0);
        }
        let of_these_lanes = source.opcode() == Some(LLVMOpcode::LLVMCall)
            && matches!(callee::of(source), Callee::ActiveMask | Callee::Vote)
            && source.block() == call.block();
        if of_these_lanes || self.others_have_ended() {
            return Ok(());
        }
        if self.checks_convergence {
            self.check_members_are_here(call, mask);
            return Ok(());
        }
        let what = "an operation of a warp is used where lanes may be elsewhere, and its member mask may name them";
        Err(Refusal::at(self.context, call, what))
    }

    /// Makes the engine end the kernel if a member mask names lanes that are elsewhere.
    fn check_members_are_here(&mut self, call: Value, mask: Value) {
        let named = match self.divergence.shape(mask).is_uniform() {
            true => self.scalar(mask),
            false => {
                let (masks, nobody) = (self.vector(mask), self.broadcast(Value::zero(mask.ty())));
                let masks = self.builder.select(self.mask, masks, nobody);
                let any = self
                    .module
                    .intrinsic("llvm.vector.reduce.or", &[masks.ty()]);
                self.builder.call_function(any, &[masks])
            }
        };
        let named = self
            .builder
            .cast_unsigned(named, Type::int(self.context, 64));
        let elsewhere = self.elsewhere();
        let both = self.builder.binary(LLVMOpcode::LLVMAnd, named, elsewhere);
        let missing =
            self.builder
                .compare(LLVMIntPredicate::LLVMIntNE, both, Value::zero(both.ty()));
        let (cold, done) = (
            Builder::append_block(self.context, self.function, ""),
            Builder::append_block(self.context, self.function, ""),
        );
        self.builder.branch_likely(missing, cold, done);
        self.builder.move_to_end(cold);
        let lane = self.first_lane();
        self.announce_lane(lane);
        let types = [
            Type::pointer(self.context),
            Type::int(self.context, 32),
            named.ty(),
            named.ty(),
        ];
        let ty = Type::function(Type::void(self.context), &types);
        let split = self.module.declare("vgpu_warp_split", ty);
        for attribute in ["cold", "noreturn", "nounwind"] {
            split.add_attribute(self.context, attribute);
        }
        let site = self.scalar(call.arguments()[1]);
        self.builder
            .call_function(split, &[self.cx, site, named, elsewhere]);
        self.builder.unreachable();
        self.builder.move_to_end(done);
    }

    /// `vgpu_vote(cx, site, mask, mode, pred)`.
    fn vote(&mut self, call: Value, lanes: Value) -> Result<(), Refusal> {
        let arguments = call.arguments();
        let Some(mode) = arguments[3].as_int() else {
            return Err(Refusal::at(
                self.context,
                call,
                "the kind of a vote is only known at run time",
            ));
        };
        let holds = self.predicate_bits(arguments[4]);
        let scalar = self.divergence.shape(arguments[2]).is_uniform();
        let (mask, holds, lanes) = if scalar {
            (self.scalar(arguments[2]), holds, lanes)
        } else {
            let mask = self.vector(arguments[2]);
            (mask, self.broadcast(holds), self.broadcast(lanes))
        };
        let builder = &self.builder;
        let and = |left, right| builder.binary(LLVMOpcode::LLVMAnd, left, right);
        let (members, yes) = (and(mask, lanes), and(mask, holds));
        let is = |predicate, left, right| builder.compare(predicate, left, right);
        let zero = Value::zero(members.ty());
        let (eq, ne) = (LLVMIntPredicate::LLVMIntEQ, LLVMIntPredicate::LLVMIntNE);
        let result = match mode {
            _ if mode == VoteMode::Ballot as u64 => yes,
            _ if mode == VoteMode::Any as u64 => is(ne, yes, zero),
            _ if mode == VoteMode::All as u64 => is(eq, yes, members),
            _ => {
                let all = is(eq, yes, members);
                let none = is(eq, yes, zero);
                builder.binary(LLVMOpcode::LLVMOr, all, none)
            }
        };
        let result = self.builder.cast_unsigned(result, members.ty());
        if scalar {
            self.define_scalar(call, result);
        } else {
            self.define_vector(call, result);
        }
        Ok(())
    }

    /// `vgpu_redux(cx, site, mask, op, value)`, for a uniform mask.
    fn redux(&mut self, call: Value) -> Result<(), Refusal> {
        let arguments = call.arguments();
        let reduction = arguments[3].as_int().and_then(Reduction::with_number);
        let (Some(reduction), true) = (reduction, self.divergence.shape(arguments[2]).is_uniform())
        else {
            let what = "a reduction has different member masks in a warp";
            return Err(Refusal::at(self.context, call, what));
        };
        let mask = self.scalar(arguments[2]);
        let named = self
            .builder
            .cast_unsigned(mask, Type::int(self.context, self.width));
        let named = self
            .builder
            .cast(LLVMOpcode::LLVMBitCast, named, self.mask_type());
        let members = self.builder.binary(LLVMOpcode::LLVMAnd, named, self.mask);
        let values = self.vector(arguments[4]);
        let total = self.reduce_lanes(&reduction, values, members);
        self.define_scalar(call, total);
        Ok(())
    }

    /// `vgpu_match_any(cx, site, mask, value)`: the members with the lane's own value. A loop compares the value of
    /// one lane after the other.
    fn match_any(&mut self, call: Value) -> Result<(), Refusal> {
        let arguments = call.arguments();
        let (members, values) = (self.vector(arguments[2]), self.vector(arguments[3]));
        let equal = self.for_each_lane(Some(members.ty()), |vectoriser, lane| {
            let value = vectoriser.extract_lane(values, lane);
            vectoriser.lanes_with(values, value)
        });
        if let Some(equal) = equal {
            let matching = self.builder.binary(LLVMOpcode::LLVMAnd, members, equal);
            self.define_vector(call, matching);
        }
        Ok(())
    }

    /// `vgpu_match_all(cx, site, mask, value)`, for a uniform mask: the members if all have the first member's value,
    /// else 0.
    fn match_all(&mut self, call: Value) -> Result<(), Refusal> {
        let arguments = call.arguments();
        if !self.divergence.shape(arguments[2]).is_uniform() {
            let what = "a match has different member masks in a warp";
            return Err(Refusal::at(self.context, call, what));
        }
        let (named, values) = (self.scalar(arguments[2]), self.vector(arguments[3]));
        let here = self.mask_bits();
        let here = self.builder.cast_unsigned(here, named.ty());
        let members = self.builder.binary(LLVMOpcode::LLVMAnd, named, here);
        // The caller is a member, so there is one.
        let first = self.count_trailing(members);
        let value = self.extract_lane(values, first);
        let equal = self.lanes_with(values, value);
        let matching = self.builder.binary(LLVMOpcode::LLVMAnd, members, equal);
        let all = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntEQ, matching, members);
        let none = Value::zero(members.ty());
        let result = self.builder.select(all, members, none);
        self.define_scalar(call, result);
        Ok(())
    }

    /// The active lanes that have this value, 64 bits.
    fn lanes_with(&self, values: Value, value: Value) -> Value {
        let value = self.builder.splat(value, self.width);
        let equal = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntEQ, values, value);
        let bits = self.bits(self.active_where(equal));
        self.builder
            .cast_unsigned(bits, Type::int(self.context, 64))
    }

    /// The active lanes whose value is not 0, 64 bits.
    pub(super) fn predicate_bits(&mut self, value: Value) -> Value {
        let vector = self.vector(value);
        let zero = Value::zero(vector.ty());
        let holds = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntNE, vector, zero);
        // Apply the mask to the bits: a CPU has more integer registers than mask registers. The values of inactive
        // lanes may be poison.
        let bits = self.bits(self.builder.freeze(holds));
        let active = self.mask_bits();
        let bits = self.builder.binary(LLVMOpcode::LLVMAnd, bits, active);
        self.builder
            .cast_unsigned(bits, Type::int(self.context, 64))
    }
}

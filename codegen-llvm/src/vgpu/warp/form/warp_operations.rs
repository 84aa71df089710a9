//! Operations of a warp and barriers.
//!
//! The lanes that take part are there: those of the mask. Nobody has to wait for lanes that are elsewhere, which is
//! shown for every operation (`operation_is_complete`).

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::{ShuffleMode, VoteMode};

use super::Vectoriser;
use super::lanes::Reduction;
use crate::ir::{Builder, Type, Value};
use crate::vgpu::warp::analysis::callee::{self, Callee};
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// Whether lanes at a block have ended, or are about to.
    fn is_end(&self, at: usize) -> bool {
        let instructions = self.order.blocks[at].instructions();
        let ends = matches!(
            instructions[0].opcode(),
            Some(LLVMOpcode::LLVMRet | LLVMOpcode::LLVMUnreachable)
        );
        instructions.len() == 1 && ends
    }

    /// Whether all lanes that are not here have ended, or are about to.
    fn others_have_ended(&self) -> bool {
        self.divergence.waiting[self.at]
            .iter()
            .all(|&at| self.is_end(at))
    }

    /// The lanes that are neither here nor have ended, 64 bits.
    fn elsewhere(&self) -> Value {
        let int = Type::int(self.context, 64);
        let waiting = self.divergence.waiting[self.at].iter();
        let places = waiting.filter(|&&at| !self.is_end(at));
        places.fold(Value::zero(int), |all, at| {
            let mask = self.builder.load(self.mask_type(), self.masks[at]);
            let lanes = self.builder.cast_unsigned(self.bits(mask), int);
            self.builder.binary(LLVMOpcode::LLVMOr, all, lanes)
        })
    }

    /// A barrier.
    pub(super) fn barrier(&mut self, call: Value) -> Result<(), Refusal> {
        if !self.may_split && !self.others_have_ended() {
            let what = "lanes of one warp may come to different barriers: one is inside a branch or loop that they do not take together";
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

    /// The active lanes whose value is not 0, 64 bits.
    pub(super) fn predicate_bits(&mut self, value: Value) -> Value {
        let vector = self.vector(value);
        let zero = Value::zero(vector.ty());
        let holds = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntNE, vector, zero);
        // The mask is taken into account as a number: the CPU has more room for that than for masks of vectors. What
        // inactive lanes have may be poison.
        let bits = self.bits(self.builder.freeze(holds));
        let active = self.mask_bits();
        let bits = self.builder.binary(LLVMOpcode::LLVMAnd, bits, active);
        self.builder
            .cast_unsigned(bits, Type::int(self.context, 64))
    }

    /// A shuffle, vote, reduction or the like: `(cx, site, mask, …)`.
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

    /// The lanes that the member mask names are all here, or have ended: either all others have ended, or the mask is what
    /// `activemask` or a ballot gave among the very same lanes.
    fn operation_is_complete(&mut self, call: Value, mask: Value) -> Result<(), Refusal> {
        let mut source = mask;
        // Member masks pass through 32 bits on their way.
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
        if self.may_split {
            self.check_members_are_here(call, mask);
            return Ok(());
        }
        let what = "an operation of a warp stands where lanes may be elsewhere, and its member mask may name them";
        Err(Refusal::at(self.context, call, what))
    }

    /// Ends the kernel if a member mask names lanes that are elsewhere.
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
        self.announce(lane);
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
        let reduction = arguments[3].as_int().and_then(Reduction::numbered);
        let (Some(reduction), true) = (reduction, self.divergence.shape(arguments[2]).is_uniform())
        else {
            let what = "a reduction over different groups of lanes";
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
        let vector = self.vector(arguments[4]);
        let rest = self.broadcast(reduction.neutral(arguments[4].ty()));
        let values = self.builder.select(members, vector, rest);
        let function = self.module.intrinsic(reduction.intrinsic, &[values.ty()]);
        let total = self.builder.call_function(function, &[values]);
        self.define_scalar(call, total);
        Ok(())
    }

    /// `vgpu_shfl(cx, site, mask, mode, value, b, c)` after the PTX ISA, "shfl.sync": the lane's source `j`, whether it is in
    /// the segment, its value; 32 bits of value, then the predicate.
    fn shuffle(&mut self, call: Value) -> Result<(), Refusal> {
        use LLVMOpcode::{LLVMAdd, LLVMAnd, LLVMOr, LLVMShl, LLVMSub, LLVMXor};
        let arguments = call.arguments();
        let Some(mode) = arguments[3].as_int() else {
            return Err(Refusal::at(
                self.context,
                call,
                "the kind of a shuffle is only known at run time",
            ));
        };
        if self.width != 32 {
            let what = "shuffles of warps that have not 32 lanes";
            return Err(Refusal::at(self.context, call, what));
        }
        let int = Type::int(self.context, 32);
        let constant = |value: u64| self.builder.splat(Value::int(int, value), self.width);
        let (five, eight) = (constant(31), constant(8));
        let lane = self.steps(int, 1);
        let (value, b, c) = (
            self.vector(arguments[4]),
            self.vector(arguments[5]),
            self.vector(arguments[6]),
        );
        let builder = &self.builder;
        let op = |opcode, left, right| builder.binary(opcode, left, right);
        let by = op(LLVMAnd, b, five);
        let segments = op(LLVMOpcode::LLVMLShr, c, eight);
        let segments = op(LLVMAnd, segments, five);
        let others = op(LLVMXor, segments, five);
        let clamp = op(LLVMAnd, c, others);
        let lowest = op(LLVMAnd, lane, segments);
        let highest = op(LLVMOr, lowest, clamp);
        let up = mode == ShuffleMode::Up as u64;
        let from = match mode {
            _ if up => op(LLVMSub, lane, by),
            _ if mode == ShuffleMode::Down as u64 => op(LLVMAdd, lane, by),
            _ if mode == ShuffleMode::Bfly as u64 => op(LLVMXor, lane, by),
            _ => op(LLVMOr, lowest, op(LLVMAnd, by, others)),
        };
        let bound = if up {
            LLVMIntPredicate::LLVMIntSGE
        } else {
            LLVMIntPredicate::LLVMIntSLE
        };
        let inside = builder.compare(bound, from, highest);
        let from = builder.select(inside, from, lane);
        // A lane that takes no part gives nothing: the reader keeps its own value.
        let lanes = self.mask_bits();
        let lanes = self.builder.splat(lanes, self.width);
        let there = self.builder.binary(LLVMOpcode::LLVMLShr, lanes, from);
        let bit = Type::int(self.context, 1).vector(self.width);
        let there = self.builder.cast(LLVMOpcode::LLVMTrunc, there, bit);
        // Chosen afterwards, so that a known `from` stays known.
        let moved = self.permute(value, from);
        let moved = self.builder.select(there, moved, value);
        let wide = Type::int(self.context, 64).vector(self.width);
        let low = self.builder.cast(LLVMOpcode::LLVMZExt, moved, wide);
        let flag = self.builder.cast(LLVMOpcode::LLVMZExt, inside, wide);
        let thirty_two = self
            .builder
            .splat(Value::int(Type::int(self.context, 64), 32), self.width);
        let high = self.builder.binary(LLVMShl, flag, thirty_two);
        let both = self.builder.binary(LLVMOr, low, high);
        self.define_vector(call, both);
        Ok(())
    }

    /// `vgpu_match_any(cx, site, mask, value)`: the members with the lane's value, found for one value after another.
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

    /// `vgpu_match_all(cx, site, mask, value)`, for a uniform mask: the members if all have the value of the first, else 0.
    fn match_all(&mut self, call: Value) -> Result<(), Refusal> {
        let arguments = call.arguments();
        if !self.divergence.shape(arguments[2]).is_uniform() {
            let what = "values of different groups of lanes are compared";
            return Err(Refusal::at(self.context, call, what));
        }
        let (named, values) = (self.scalar(arguments[2]), self.vector(arguments[3]));
        let here = self.mask_bits();
        let here = self.builder.cast_unsigned(here, named.ty());
        let members = self.builder.binary(LLVMOpcode::LLVMAnd, named, here);
        // Who asks is a member, so there is one.
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

    /// The vector whose lane `l` is lane `from[l]` of `value`: a shuffle of LLVM's if the lanes are known, else the host's
    /// permutation where it has one, else by way of the stack.
    pub(super) fn permute(&self, value: Value, from: Value) -> Value {
        if from.is_constant() {
            return self.builder.shuffle(value, from);
        }
        let element = value.ty().element(0);
        if self.permutes && self.width == 32 && element == Type::int(self.context, 32) {
            let half = |vector, first| self.builder.shuffle_both(vector, vector, first..first + 16);
            let (low, high) = (half(value, 0), half(value, 16));
            let permute = self
                .module
                .intrinsic("llvm.x86.avx512.vpermi2var.d.512", &[]);
            let [first, second] = [0, 16].map(|at| {
                self.builder
                    .call_function(permute, &[low, half(from, at), high])
            });
            return self.builder.shuffle_both(first, second, 0..32);
        }
        let slot = self.slot(value.ty());
        self.builder.store(value, slot);
        let pointers = self.places(slot, element, from);
        let types = [value.ty(), pointers.ty()];
        let function = self.module.intrinsic("llvm.masked.gather", &types);
        let call = self
            .builder
            .call_function(function, &[pointers, self.mask, value]);
        call.align_argument(self.context, 0, self.layout.alignment(element));
        call
    }

    /// The addresses of elements of an array in memory, for indices of 32 bits.
    pub(super) fn places(&self, array: Value, element: Type, indices: Value) -> Value {
        let wide = Type::int(self.context, 64).vector(self.width);
        let indices = self.builder.cast(LLVMOpcode::LLVMZExt, indices, wide);
        self.builder.index(element, array, &[indices])
    }
}

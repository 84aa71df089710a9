//! Calls, by what they call.

use super::vectoriser::Vectoriser;
use crate::ir::Value;
use crate::vgpu::host;
use crate::vgpu::warp::analysis::callee::{self, Callee};
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// A call, treated by what it calls.
    pub(super) fn call(&mut self, call: Value) -> Result<(), Refusal> {
        match callee::of(call) {
            Callee::Context => {
                self.define_scalar(call, self.cx);
                Ok(())
            }
            Callee::First => {
                self.first_value(call);
                Ok(())
            }
            Callee::Same => {
                match self.divergence.shape(call) {
                    Shape::Varying => {
                        let vector = self.vector(call.operand(0));
                        self.define_vector(call, vector);
                    }
                    _ => {
                        let scalar = self.scalar(call.operand(0));
                        self.define_scalar(call, scalar);
                    }
                }
                Ok(())
            }
            Callee::Lanes => {
                let lanes = Value::int(call.ty(), self.width.into());
                self.define_scalar(call, lanes);
                Ok(())
            }
            Callee::Hint => Ok(()),
            Callee::NoaliasScope => {
                self.builder.copy_of(call);
                Ok(())
            }
            Callee::WindowCheck => self.window_check(call),
            Callee::WindowRangeCheck => self.window_range_check(call),
            Callee::ObjectCheck => self.object_check(call),
            Callee::AccessCheck => self.access_check(call),
            Callee::FenceCheck => self.fence_check(call),
            Callee::SyncCheck => self.sync_check(),
            Callee::MembersCheck => self.members_check(call),
            Callee::OncePerSubgroup | Callee::Yield => {
                let made = self.copy_scalar(call);
                if !call.ty().is_void() {
                    self.define_scalar(call, made);
                }
                Ok(())
            }
            Callee::VectorIntrinsic => self.intrinsic(call),
            Callee::Fault => self.fault(call),
            Callee::EnginePerLane => self.engine_call_per_lane(call),
            Callee::Library | Callee::MemoryTransfer => self.library_call(call),
            Callee::Barrier | Callee::BarrierArrive | Callee::BarrierReduce => self.barrier(call),
            Callee::ActiveMask
            | Callee::SyncWarp
            | Callee::Vote
            | Callee::Shuffle
            | Callee::Redux
            | Callee::MatchAny
            | Callee::MatchAll => self.warp_operation(call),
            Callee::Wave => self.wave_operation(call),
            Callee::Unknown => Err(self.refuse_unknown(call)),
        }
    }

    fn refuse_unknown(&self, call: Value) -> Refusal {
        let called = call.called();
        let what = if host::reads_stack_pointer(called) {
            "it is asked whether an address is a thread's own".to_owned()
        } else if called.is_inline_assembly() {
            "inline assembly has no warp form".to_owned()
        } else if called.is_function() {
            match called.name().as_str() {
                "vgpu_exit" => "a thread may exit before the end of the kernel".to_owned(),
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

    /// The first active lane's value.
    fn first_value(&mut self, call: Value) {
        let value = call.operand(0);
        let lane = self.first_lane();
        let first = self.value_of_lane(value, lane);
        self.define_scalar(call, first);
    }

    /// An engine call for every active lane.
    fn engine_call_per_lane(&mut self, call: Value) -> Result<(), Refusal> {
        self.lane_by_lane(call, true)
    }

    /// A call that ends the kernel: made for the first active lane.
    pub(super) fn fault(&mut self, call: Value) -> Result<(), Refusal> {
        let lane = self.first_lane();
        self.announce_lane(lane);
        let mut operands = Vec::new();
        for index in 0..call.operand_count() {
            let operand = call.operand(index);
            let value = self.value_of_lane(operand, lane);
            operands.push((index, value));
        }
        let copy = self.builder.copy_of(call);
        operands
            .into_iter()
            .for_each(|(index, value)| copy.set_operand(index, value));
        Ok(())
    }

    /// A function of the C library, or a copy or fill of memory: one call if it is the same for all lanes.
    fn library_call(&mut self, call: Value) -> Result<(), Refusal> {
        if self.divergence.shape(call).is_uniform() {
            let made = self.copy_scalar(call);
            if !call.ty().is_void() {
                self.define_scalar(call, made);
            }
            return Ok(());
        }
        self.lane_by_lane(call, false)
    }
}

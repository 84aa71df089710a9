//! Calls of intrinsics that LLVM defines for vectors, lane by lane.

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// An intrinsic that exists for vectors.
    pub(super) fn intrinsic(&mut self, call: Value) -> Result<(), Refusal> {
        if self.divergence.shape(call).is_uniform() {
            let made = self.copy_scalar(call);
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
            // The second argument of these is a flag, the same for all lanes.
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

    /// The types that the name of an overloaded intrinsic spells out.
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

//! Window checks (pass `window`) of many lanes at once. If the base is outside the window, each lane checks its own
//! address, so that a fault names its thread.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::WINDOW_SHIFT;

use super::vectoriser::Vectoriser;
use crate::ir::{Builder, Type, Value};
use crate::vgpu::warp::analysis::shape::Shape;
use crate::vgpu::warp::refusal::Refusal;

/// LLVM assembly of the checks of one lane's address and of one lane's range, for the window with this index.
pub fn library(window: u64) -> String {
    format!(
        "define void @vgpu.warp.check(ptr %cx, i32 %lane, ptr %address, i32 %site, i32 %write) noinline cold nounwind {{
  %bits = ptrtoint ptr %address to i64
  %window = lshr i64 %bits, {WINDOW_SHIFT}
  %inside = icmp eq i64 %window, {window}
  br i1 %inside, label %done, label %outside
outside:
  %reached = call i32 @vgpu_reaches_host(ptr %cx, i64 %bits)
  %is.wild = icmp eq i32 %reached, 0
  br i1 %is.wild, label %wild, label %done
wild:
  call void @vgpu_warp_lane(ptr %cx, i32 %lane)
  call void @vgpu_wild_access(ptr %cx, i32 %site, i64 %bits, i32 %write)
  unreachable
done:
  ret void
}}
define void @vgpu.warp.check_range(ptr %cx, i32 %lane, ptr %first, i64 %size, i32 %site, i32 %write)
    noinline nounwind {{
  %none = icmp eq i64 %size, 0
  br i1 %none, label %done, label %check
check:
  call void @vgpu.warp.check(ptr %cx, i32 %lane, ptr %first, i32 %site, i32 %write)
  %to.last = sub i64 %size, 1
  %last = getelementptr i8, ptr %first, i64 %to.last
  call void @vgpu.warp.check(ptr %cx, i32 %lane, ptr %last, i32 %site, i32 %write)
  br label %done
done:
  ret void
}}
declare void @vgpu_warp_lane(ptr, i32) nounwind
declare i32 @vgpu_reaches_host(ptr, i64) cold nounwind memory(inaccessiblemem: readwrite)
declare void @vgpu_wild_access(ptr, i32, i64, i32) cold noreturn nounwind memory(inaccessiblemem: readwrite)
"
    )
}

impl Vectoriser<'_> {
    /// `vgpu.check(base, address, site, write)`.
    pub(super) fn window_check(&mut self, call: Value) -> Result<(), Refusal> {
        let [base, address, site, write] = call.arguments()[..] else {
            return Err(Refusal::at(
                self.context,
                call,
                "a window check is malformed",
            ));
        };
        let suspect = if self.divergence.shape(base).is_uniform() {
            let base = self.scalar(base);
            self.outside(base, 1)
        } else {
            let bases = self.vector(base);
            let outside = self.outside(bases, self.width);
            self.any_active(outside)
        };
        let checker = self.library_function("vgpu.warp.check", call)?;
        let shape = self.divergence.shape(address);
        self.if_unlikely(suspect, |vectoriser| {
            let is_vector = matches!(shape, Shape::Tiled { .. } | Shape::Varying);
            let addresses = is_vector.then(|| vectoriser.rematerialise_pointers(address));
            vectoriser.for_each_lane(None, |vectoriser, lane| {
                let address = match addresses {
                    Some(vector) => vectoriser.extract_lane(vector, lane),
                    None => vectoriser.value_of_lane(address, lane),
                };
                let arguments = [vectoriser.cx, lane, address, site, write];
                vectoriser.builder.call_function(checker, &arguments)
            });
        });
        Ok(())
    }

    /// `vgpu.check_range(first, size, site, write)`, lane by lane.
    pub(super) fn window_range_check(&mut self, call: Value) -> Result<(), Refusal> {
        let [first, size, site, write] = call.arguments()[..] else {
            return Err(Refusal::at(
                self.context,
                call,
                "a window check is malformed",
            ));
        };
        let (firsts, sizes) = (self.vector(first), self.vector(size));
        let checker = self.library_function("vgpu.warp.check_range", call)?;
        self.for_each_lane(None, |vectoriser, lane| {
            let (first, size) = (
                vectoriser.extract_lane(firsts, lane),
                vectoriser.extract_lane(sizes, lane),
            );
            let arguments = [vectoriser.cx, lane, first, size, site, write];
            vectoriser.builder.call_function(checker, &arguments)
        });
        Ok(())
    }

    /// Whether a pointer lies outside the device window; of a vector of pointers, which do.
    fn outside(&self, pointers: Value, lanes: u32) -> Value {
        let differs = LLVMIntPredicate::LLVMIntNE;
        compare_window(&self.builder, differs, pointers, lanes, self.window)
    }

    fn library_function(&self, name: &str, call: Value) -> Result<Value, Refusal> {
        self.module.function(name).ok_or_else(|| {
            Refusal::at(
                self.context,
                call,
                "the library of the warp form is missing",
            )
        })
    }
}

/// Compares the device window with this index and that of a pointer, or those of a vector of pointers.
pub fn compare_window(
    builder: &Builder,
    predicate: LLVMIntPredicate,
    pointers: Value,
    lanes: u32,
    window: u64,
) -> Value {
    let scalar = Type::int(builder.context(), 64);
    let (int, constant): (Type, &dyn Fn(u64) -> Value) = match lanes {
        1 => (scalar, &|value| Value::int(scalar, value)),
        _ => (scalar.vector(lanes), &|value| {
            builder.splat(Value::int(scalar, value), lanes)
        }),
    };
    let bits = builder.cast(LLVMOpcode::LLVMPtrToInt, pointers, int);
    let shift = constant(WINDOW_SHIFT.into());
    let index = builder.binary(LLVMOpcode::LLVMLShr, bits, shift);
    builder.compare(predicate, index, constant(window))
}

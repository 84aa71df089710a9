//! Loads and stores in place of copies of a few elements, such as a `float3`'s.
//!
//! Needs: nothing. Leaves: no `memcpy` or `memmove` of at most [`MOST`] elements.
//!
//! A call is done lane by lane, loads and stores are done by all lanes at once. That is faster, and it is the order
//! that warps in lockstep have: `colors[rank[i]] = colors[i]` in HeCBench's `dxtc2` sorts an array in shared memory,
//! and all lanes load before one stores. The NVPTX back end makes such loads and stores of these calls, too.

use crate::ir::{Builder, Context, Type, Value};

/// Most elements of a copy.
const MOST: u64 = 16;
/// Most bytes of an element.
const WIDEST: u64 = 8;

/// The step.
pub fn run(context: Context, function: Value) {
    for call in function.instructions() {
        if let Some(copy) = call.is_call().then(|| Copy::of(call)).flatten() {
            copy.expand(context, call);
        }
    }
}

/// A copy of elements that are integers.
struct Copy {
    to: Value,
    from: Value,
    bytes: u64,
    element: u64,
}

impl Copy {
    fn of(call: Value) -> Option<Copy> {
        let name = call.called_function()?.name();
        if !name.starts_with("llvm.memcpy.") && !name.starts_with("llvm.memmove.") {
            return None;
        }
        let [to, from, bytes, volatile] = call.arguments()[..] else {
            return None;
        };
        let bytes = bytes.as_int()?;
        let alignment = |index| call.argument_alignment(index).unwrap_or(1);
        let element = alignment(0).min(alignment(1)).min(WIDEST);
        let few = bytes.is_multiple_of(element) && bytes / element <= MOST;
        (few && volatile.as_int() == Some(0)).then_some(Copy {
            to,
            from,
            bytes,
            element,
        })
    }

    fn expand(&self, context: Context, call: Value) {
        let builder = Builder::before(context, call);
        let ty = Type::int(context, self.element as u32 * 8);
        let place = |pointer: Value, offset: u64| match offset {
            0 => pointer,
            _ => builder.byte_offset(pointer, Value::int(Type::int(context, 64), offset)),
        };
        let offsets = || (0..self.bytes).step_by(self.element as usize);
        let load = |offset| {
            let value = builder.load(ty, place(self.from, offset));
            value.set_alignment(self.element as u32);
            value
        };
        let values: Vec<Value> = offsets().map(load).collect();
        for (offset, value) in offsets().zip(values) {
            let store = builder.store(value, place(self.to, offset));
            store.set_alignment(self.element as u32);
        }
        // SAFETY: a call without a result has no uses.
        unsafe { call.erase() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;

    fn after(size: u64, alignment: u64) -> String {
        let text = format!(
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @k(ptr %to, ptr %from) {{
  call void @llvm.memcpy.p0.p0.i64(ptr align {alignment} %to, ptr align 16 %from, i64 {size}, i1 false)
  ret void
}}"
        );
        let context = Context::new();
        let module = Module::parse(context, &text, "test").unwrap();
        run(context, module.function("k").unwrap());
        module.verify("after the step").unwrap();
        module.print()
    }

    #[test]
    fn all_elements_are_loaded_before_one_is_stored() {
        let text = after(12, 4);
        assert_eq!(text.matches("load i32").count(), 3, "{text}");
        let (first_store, last_load) = (text.find("store i32"), text.rfind("load i32"));
        assert!(last_load < first_store, "{text}");
        assert!(!text.contains("call void"), "{text}");
    }

    #[test]
    fn long_ones_stay() {
        assert!(after(256, 8).contains("call void"));
        assert!(after(20, 1).contains("call void"));
        assert!(after(10, 4).contains("call void"));
    }
}

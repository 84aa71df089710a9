//! The strides of Fortran arrays, known only at run time: in nearly all calls, elements follow each other.
//!
//! ```text
//! real, intent(inout) :: a(:)          ! the caller may have passed b(::2)
//! do i = 1, n;  a(i) = a(i) + 1;  end do
//!
//! if (stride of a == size of an element) do …; else do …
//! ```
//!
//! An assumed-shape or pointer dummy comes as a descriptor, `CFI_cdesc_t` of `ISO_Fortran_binding.h` (Fortran 2018,
//! 18.5.3). With the stride as a constant, lanes access whole vectors, and not element by element.

use std::collections::HashSet;

use indexmap::IndexMap;
use llvm_sys::LLVMIntPredicate::LLVMIntEQ;
use llvm_sys::LLVMOpcode::{self, LLVMAnd};

use crate::analysis::control_flow::Loop;
use crate::ir::{Builder, Layout, Value};
use crate::vgpu::warp::analysis::divergence::Divergence;

/// Where a descriptor has the distance of two elements along its first dimension (`dim[0].sm`), in bytes. In front of
/// it are the address, the size of an element, 8 bytes of properties, and the dimension's lower bound and extent.
const FIRST_STRIDE: u64 = 40;

/// Strides, and the size of the elements that are accessed with each.
pub struct UnitStrides(IndexMap<Value, u64>);

impl UnitStrides {
    /// The strides that a loop multiplies with and does not change, if all elements accessed with each have one size.
    /// `None` if there are none.
    pub fn find(layout: Layout, each: &Loop) -> Option<UnitStrides> {
        let found = strides(layout, each);
        (!found.is_empty()).then_some(UnitStrides(found))
    }

    /// Whether all lanes have the same strides. Otherwise they would go through two loops, one after the other.
    pub fn are_uniform(&self, divergence: &Divergence) -> bool {
        let mut strides = self.0.keys();
        strides.all(|&it| divergence.shape(it).is_uniform())
    }

    /// Writes in front of the loop whether elements follow each other.
    pub fn hold(&self, builder: &Builder) -> Value {
        let expected = |(&stride, &size): (&Value, &u64)| {
            let size = Value::int(stride.ty(), size);
            builder.compare(LLVMIntEQ, builder.freeze(stride), size)
        };
        let all = self.0.iter().map(expected);
        let all = all.reduce(|left, right| builder.binary(LLVMAnd, left, right));
        all.expect("there is a stride")
    }

    /// Puts the constants into the loop. Needs: it runs only where that holds.
    pub fn fix(&self, each: &Loop) {
        for instruction in each.instructions() {
            for (&stride, &size) in &self.0 {
                instruction.replace_operand(stride, Value::int(stride.ty(), size));
            }
        }
    }
}

/// Strides that a loop multiplies with and does not change, and the sizes of what is accessed, if each has one.
fn strides(layout: Layout, each: &Loop) -> IndexMap<Value, u64> {
    let mut sizes: IndexMap<Value, HashSet<u64>> = IndexMap::new();
    for product in each.instructions() {
        if product.opcode() != Some(LLVMOpcode::LLVMMul) {
            continue;
        }
        let is_outside = |it: &Value| it.is_instruction() && !each.body.contains(&it.block());
        let mut factors = product.operands().into_iter();
        let Some(stride) = factors.find(|it| is_outside(it) && is_first_stride(layout, *it)) else {
            continue;
        };
        let found = sizes.entry(stride).or_default();
        accessed(layout, product, found);
    }
    let one = |(stride, sizes): (Value, HashSet<u64>)| match Vec::from_iter(sizes)[..] {
        [size] => Some((stride, size)),
        _ => None,
    };
    sizes.into_iter().filter_map(one).collect()
}

/// Whether a value is what a descriptor says of its first dimension.
fn is_first_stride(layout: Layout, value: Value) -> bool {
    let is_word = value.ty().is_int() && value.ty().int_width() == 64;
    if !is_word || value.opcode() != Some(LLVMOpcode::LLVMLoad) {
        return false;
    }
    let mut address = value.operand(0);
    while address.opcode() == Some(LLVMOpcode::LLVMAddrSpaceCast) {
        address = address.operand(0);
    }
    layout.constant_offset(address) == Some(FIRST_STRIDE)
}

/// The sizes of what is accessed at addresses that a value is a part of.
fn accessed(layout: Layout, value: Value, sizes: &mut HashSet<u64>) {
    let mut pending = vec![value];
    let mut seen = HashSet::new();
    while let Some(part) = pending.pop() {
        for user in part.users() {
            match user.opcode() {
                Some(LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMAddrSpaceCast)
                    if seen.insert(user) =>
                {
                    pending.push(user);
                }
                Some(LLVMOpcode::LLVMLoad) => {
                    sizes.insert(layout.store_size(user.ty()));
                }
                Some(LLVMOpcode::LLVMStore) if user.operand(1) == part => {
                    sizes.insert(layout.store_size(user.operand(0).ty()));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::control_flow::ControlFlow;
    use crate::ir::{Context, Module};

    /// A loop over an array with a descriptor: `product` and what is accessed there.
    fn strides_of(offset: u64, access: &str) -> Vec<(String, u64)> {
        let text = format!(
            "define void @f(ptr %d, ptr %a, i64 %n) {{
             e:
               %at = getelementptr i8, ptr %d, i64 {offset}
               %cast = addrspacecast ptr %at to ptr addrspace(1)
               %stride = load i64, ptr addrspace(1) %cast
               br label %l
             l:
               %i = phi i64 [ 0, %e ], [ %j, %l ]
               %product = mul nsw i64 %stride, %i
               %row = getelementptr i8, ptr %a, i64 %n
               %element = getelementptr i8, ptr %row, i64 %product
               {access}
               %j = add i64 %i, 1
               %c = icmp eq i64 %j, %n
               br i1 %c, label %x, label %l
             x:
               ret void
             }}"
        );
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        let loops = ControlFlow::new(module.function("f").unwrap()).loops();
        let strides = strides(module.layout(), &loops[0]).into_iter();
        strides.map(|(it, size)| (it.name(), size)).collect()
    }

    #[test]
    fn the_first_stride_of_a_descriptor_may_be_an_elements_size() {
        let load = "%value = load double, ptr %element";
        assert_eq!(strides_of(40, load), [("stride".to_owned(), 8)]);
        let store = "store float 1.0, ptr %element";
        assert_eq!(strides_of(40, store), [("stride".to_owned(), 4)]);
    }

    #[test]
    fn other_strides_stay() {
        let load = "%value = load double, ptr %element";
        assert!(strides_of(64, load).is_empty(), "that of the second one");
        assert!(strides_of(40, "").is_empty(), "nothing is accessed");
        let two = format!("{load}\n store float 1.0, ptr %element");
        assert!(strides_of(40, &two).is_empty(), "parts of elements");
    }
}

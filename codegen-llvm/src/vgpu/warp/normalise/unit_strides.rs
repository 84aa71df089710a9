//! Loops over Fortran arrays whose stride is known only at run time are written twice: for elements that follow each
//! other, and for others.
//!
//! Needs: kernels in shape, with window checks. Leaves: kernels that need to be brought into shape again.
//!
//! ```text
//! real, intent(inout) :: a(:)          ! the caller may have passed b(::2)
//! do i = 1, n;  a(i) = a(i) + 1;  end do
//!
//! if (stride of a == size of an element) do …; else do …
//! ```
//!
//! An assumed-shape or pointer dummy comes as a descriptor, `CFI_cdesc_t` of `ISO_Fortran_binding.h` (Fortran 2018,
//! 18.5.3). In nearly all calls its elements follow each other. With that as a constant, lanes access whole vectors,
//! and not element by element.

use std::collections::HashSet;

use anyhow::Result;
use indexmap::IndexMap;
use llvm_sys::LLVMIntPredicate::LLVMIntEQ;
use llvm_sys::LLVMOpcode::{self, LLVMAnd};

use super::loop_versioning::is_cheap;
use super::row_folds::divergence;
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::ir::{Block, Builder, Layout, Module, Value};
use crate::vgpu::loop_copy;
use crate::vgpu::unit::{Kernel, Unit};

/// Where a descriptor has the distance of two elements along its first dimension (`dim[0].sm`), in bytes. In front of
/// it are the address, the size of an element, 8 bytes of properties, and the dimension's lower bound and extent.
const FIRST_STRIDE: u64 = 40;

/// The step, for these kernels. Gives whether it changed any.
pub fn run(unit: &Unit, module: &Module, kernels: &[(&Kernel, Value)]) -> Result<bool> {
    if unit.options.level < 2 {
        return Ok(false);
    }
    let mut changed = false;
    for &(kernel, function) in kernels {
        let found = loops(module.layout(), function);
        if found.is_empty() {
            continue;
        }
        let Some(divergence) = divergence(unit, module, kernel, function) else {
            continue;
        };
        for (each, strides) in found {
            // Otherwise lanes would go through both, one after the other.
            if strides.keys().all(|&it| divergence.shape(it).is_uniform()) {
                changed |= write_twice(module, &each, &strides);
            }
        }
    }
    Ok(changed)
}

/// Strides, and the size of the elements that are accessed with each.
type Strides = IndexMap<Value, u64>;

/// The innermost loops that access elements with such strides.
fn loops(layout: Layout, function: Value) -> Vec<(Loop, Strides)> {
    let all = ControlFlow::new(function).loops();
    let headers: Vec<_> = all.iter().map(|each| each.header).collect();
    let is_innermost = |each: &Loop| {
        let inside = headers.iter().filter(|header| each.body.contains(*header));
        inside.count() == 1
    };
    let wanted = all.into_iter().filter(|each| {
        let blocks: HashSet<Block> = each.body.iter().copied().collect();
        is_innermost(each) && is_cheap(&blocks)
    });
    let found = wanted.map(|each| (strides(layout, &each), each));
    let found = found.filter(|(strides, _)| !strides.is_empty());
    found.map(|(strides, each)| (each, strides)).collect()
}

/// The strides that a loop multiplies with and does not change, if all elements accessed with each have one size.
fn strides(layout: Layout, each: &Loop) -> Strides {
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

/// Writes the loop for other strides behind all blocks, and puts the constants into the loop itself. Gives whether it
/// did: the loop has a block of its own in front.
fn write_twice(module: &Module, each: &Loop, strides: &Strides) -> bool {
    let context = module.context;
    let Some((jump, copy)) = loop_copy::add(context, each) else {
        return false;
    };
    let builder = Builder::before(context, jump);
    let expected = |(&stride, &size): (&Value, &u64)| {
        let size = Value::int(stride.ty(), size);
        builder.compare(LLVMIntEQ, builder.freeze(stride), size)
    };
    let all = strides.iter().map(expected);
    let all = all.reduce(|left, right| builder.binary(LLVMAnd, left, right));
    let all = all.expect("there is a stride");
    builder.branch(all, each.header, copy);
    // SAFETY: a terminator has no users, and the new branch stands in its place.
    unsafe { jump.erase() };
    for instruction in each.instructions() {
        for (&stride, &size) in strides {
            instruction.replace_operand(stride, Value::int(stride.ty(), size));
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

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
        let found = loops(module.layout(), module.function("f").unwrap());
        let strides = found.into_iter().flat_map(|(_, strides)| strides);
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

    #[test]
    fn the_loop_gets_the_constant() {
        let text = "define void @f(ptr %d, ptr %a, i64 %n) {
             e:
               %at = getelementptr i8, ptr %d, i64 40
               %stride = load i64, ptr %at
               br label %l
             l:
               %i = phi i64 [ 0, %e ], [ %j, %l ]
               %product = mul nsw i64 %stride, %i
               %element = getelementptr i8, ptr %a, i64 %product
               store float 1.0, ptr %element
               %j = add i64 %i, 1
               %c = icmp eq i64 %j, %n
               br i1 %c, label %x, label %l
             x:
               ret void
             }";
        let after = Module::after(text, |module| {
            let function = module.function("f").unwrap();
            let (each, strides) = loops(module.layout(), function).remove(0);
            assert!(write_twice(module, &each, &strides));
        });
        assert!(after.contains("mul nsw i64 4, %i"), "{after}");
        assert!(after.contains("mul nsw i64 %stride, "), "{after}");
        assert!(after.contains("icmp eq i64"), "{after}");
    }
}

//! Keeps the element at a chosen index in a register, instead of loading it again in every iteration.
//!
//! ```text
//! if (a[i] > a[best]) best = i;          // loads a[best] in every iteration
//! if (a[i] > most) best = i, most = a[i];
//! ```
//!
//! Each iteration of the first form waits for a load whose address the iteration before it has chosen. LLVM does not
//! eliminate the load: it does not see that choosing the index chooses the element. This pass treats loops of one
//! block that write nothing.

use std::collections::HashMap;

use anyhow::Result;
use llvm_sys::LLVMOpcode;

use super::unit::Unit;
use crate::analysis::effects::has_no_effects;
use crate::ir::{Block, Builder, Context, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for function in unit.module.definitions() {
        for block in function.blocks() {
            if block.successors().contains(&block)
                && block.instructions().into_iter().all(has_no_effects)
            {
                eliminate_loads(unit.context(), block);
            }
        }
    }
    Ok(())
}

/// Eliminates loads in a loop of one block.
fn eliminate_loads(context: Context, block: Block) {
    let instructions = block.instructions();
    let is_phi = |it: &Value| it.is_phi();
    for phi in instructions.iter().copied().take_while(is_phi) {
        if let Some(found) = CarriedElement::find(block, phi) {
            found.apply(context);
        }
    }
}

/// An array, and how its elements are addressed.
#[derive(Clone, PartialEq)]
struct Array {
    /// The base of a `getelementptr`, and all indices but the last.
    start: Vec<Value>,
    step: Type,
    extension: Option<LLVMOpcode>,
    /// The address's type: that of the base, or a pointer in another address space.
    address: Type,
    element: Type,
}

/// A load of an element.
struct Element {
    array: Array,
    index: Value,
    load: Value,
}

impl Element {
    /// The element that an instruction of `block` loads, if the array is the same in all iterations.
    fn of(block: Block, load: Value) -> Option<Element> {
        if load.opcode() != Some(LLVMOpcode::LLVMLoad) {
            return None;
        }
        let mut address = load.operand(0);
        if address.opcode() == Some(LLVMOpcode::LLVMAddrSpaceCast) {
            address = address.operand(0);
        }
        if address.opcode() != Some(LLVMOpcode::LLVMGetElementPtr) {
            return None;
        }
        let mut start = address.operands();
        let wide = start.pop()?;
        if start
            .iter()
            .any(|it| it.is_instruction() && it.block() == block)
        {
            return None;
        }
        let extension = wide
            .opcode()
            .filter(|it| matches!(it, LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt));
        let array = Array {
            start,
            step: address.source_element_type(),
            extension,
            address: load.operand(0).ty(),
            element: load.ty(),
        };
        let index = match extension {
            Some(_) => wide.operand(0),
            None => wide,
        };
        Some(Element { array, index, load })
    }
}

/// An index that a loop carries from iteration to iteration, and the element there.
struct CarriedElement {
    /// The index, the block before the loop, and its first value.
    phi: Value,
    before: Block,
    first: Value,
    /// Its value at the end of an iteration.
    last: Value,
    /// The selects that compute that value from the index and from other indices, in order.
    selects: Vec<Value>,
    array: Array,
    /// The loads from that array, in order.
    elements: Vec<Element>,
}

impl CarriedElement {
    /// The carried index and element of a phi of a loop of one block.
    fn find(block: Block, phi: Value) -> Option<CarriedElement> {
        let incoming = phi.incoming();
        let (first, before) = *incoming.iter().find(|(_, from)| *from != block)?;
        let (last, _) = *incoming.iter().find(|(_, from)| *from == block)?;
        if incoming.len() != 2 || before.successors() != [block] {
            return None;
        }
        let instructions = block.instructions();
        let all = || instructions.iter().filter_map(|&it| Element::of(block, it));
        let array = all().find(|element| element.index == phi)?.array;
        let mut found = CarriedElement {
            phi,
            before,
            first,
            last,
            selects: Vec::new(),
            elements: all().filter(|element| element.array == array).collect(),
            array,
        };
        let position = |it: Value| instructions.iter().position(|&other| other == it);
        let ordered = found.collect_selects(block, last, &position);
        (ordered && !found.selects.is_empty()).then_some(found)
    }

    /// Adds the selects that compute `index`, a value of `block`. Gives whether the elements at all indices they
    /// choose from are known there.
    fn collect_selects(
        &mut self,
        block: Block,
        index: Value,
        position: &impl Fn(Value) -> Option<usize>,
    ) -> bool {
        if index == self.phi || self.selects.contains(&index) {
            return true;
        }
        let is_select = index.opcode() == Some(LLVMOpcode::LLVMSelect) && index.block() == block;
        if !is_select {
            return false;
        }
        for number in 1..3 {
            let from = index.operand(number);
            let known = self
                .loaded(from)
                .is_some_and(|load| position(load) < position(index));
            if !known && !self.collect_selects(block, from, position) {
                return false;
            }
        }
        self.selects.push(index);
        true
    }

    /// The first load of the element at an index that no select computes.
    fn loaded(&self, index: Value) -> Option<Value> {
        let is_selected = index == self.phi || index.opcode() == Some(LLVMOpcode::LLVMSelect);
        let mut elements = self.elements.iter();
        let found = elements.find(|element| !is_selected && element.index == index)?;
        Some(found.load)
    }

    /// Carries the element, too, and replaces its loads.
    fn apply(&self, context: Context) {
        let element = Builder::before(context, self.phi).phi(self.array.element);
        element.add_incoming(self.first_element(context), self.before);
        let mut values = HashMap::from([(self.phi, element)]);
        for &select in &self.selects {
            let [yes, no] = [1, 2].map(|number| {
                let index = select.operand(number);
                let known = values.get(&index).copied();
                known
                    .or_else(|| self.loaded(index))
                    .expect("`find` found it")
            });
            let next = select.next().expect("a select is no terminator");
            let value = Builder::before(context, next).select(select.operand(0), yes, no);
            values.insert(select, value);
        }
        element.add_incoming(values[&self.last], self.phi.block());
        for loaded in &self.elements {
            if let Some(&value) = values.get(&loaded.index) {
                // SAFETY: the elements are different loads, and nothing looks at them after this.
                unsafe { loaded.load.replace_with(value) };
            }
        }
    }

    /// Loads the first element before the loop, whose first iteration would load it.
    fn first_element(&self, context: Context) -> Value {
        let end = self.before.terminator().expect("the block has successors");
        let builder = Builder::before(context, end);
        builder.locate_as(self.elements[0].load);
        let index = match self.array.extension {
            Some(extension) => builder.cast(extension, self.first, Type::int(context, 64)),
            None => self.first,
        };
        let indices = [&self.array.start[1..], &[index]].concat();
        let address = builder.index(self.array.step, self.array.start[0], &indices);
        let address = builder.to_space(address, self.array.address);
        let load = builder.load(self.array.element, address);
        let alignments = self.elements.iter().map(|element| element.load.alignment());
        load.set_alignment(alignments.min().unwrap_or(1) as u32);
        load
    }
}

//! Needs: the image's functions. Leaves: loops that remember where they found something remember what they found, too.
//!
//! ```text
//! if (a[i] > a[best]) best = i;          // loads a[best] in every turn
//! if (a[i] > most) best = i, most = a[i];
//! ```
//!
//! Each turn would wait for a load whose address the turn before it has chosen. LLVM keeps the load: it does not see that the element
//! at an index that was chosen is the element that was chosen. Here, for loops of one block in which nothing is written.

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
                carry(unit.context(), block);
            }
        }
    }
    Ok(())
}

/// Remembers what it can in a loop of one block.
fn carry(context: Context, block: Block) {
    let instructions = block.instructions();
    let is_phi = |it: &Value| it.opcode() == Some(LLVMOpcode::LLVMPHI);
    for phi in instructions.iter().copied().take_while(is_phi) {
        if let Some(found) = Carried::find(block, phi) {
            found.apply(context);
        }
    }
}

/// An array, and how its elements are reached.
#[derive(Clone, PartialEq)]
struct Array {
    /// The base of a `getelementptr`, and all indices but the last.
    start: Vec<Value>,
    step: Type,
    extension: Option<LLVMOpcode>,
    /// The address's type: that of the base, or in another address space.
    address: Type,
    element: Type,
}

/// An element that is loaded.
struct Element {
    array: Array,
    index: Value,
    load: Value,
}

impl Element {
    /// That of an instruction of `block`, if the array is the same in all turns.
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

/// An index that a loop carries from turn to turn, with the element there.
struct Carried {
    /// The index, where it comes from and its first value.
    phi: Value,
    before: Block,
    first: Value,
    /// Its value at the end of a turn.
    last: Value,
    /// The choices that make that of it and of other indices, in order.
    choices: Vec<Value>,
    array: Array,
    /// What is loaded from that array, in order.
    elements: Vec<Element>,
}

impl Carried {
    /// That of a phi of a loop of one block.
    fn find(block: Block, phi: Value) -> Option<Carried> {
        let incoming = phi.incoming();
        let (first, before) = *incoming.iter().find(|(_, from)| *from != block)?;
        let (last, _) = *incoming.iter().find(|(_, from)| *from == block)?;
        if incoming.len() != 2 || before.successors() != [block] {
            return None;
        }
        let instructions = block.instructions();
        let all = || instructions.iter().filter_map(|&it| Element::of(block, it));
        let array = all().find(|element| element.index == phi)?.array;
        let mut found = Carried {
            phi,
            before,
            first,
            last,
            choices: Vec::new(),
            elements: all().filter(|element| element.array == array).collect(),
            array,
        };
        let place = |it: Value| instructions.iter().position(|&other| other == it);
        let ordered = found.order(block, last, &place);
        (ordered && !found.choices.is_empty()).then_some(found)
    }

    /// Adds the choices that make `index`, a value of `block`. Whether all that is chosen from is known where it is.
    fn order(
        &mut self,
        block: Block,
        index: Value,
        place: &impl Fn(Value) -> Option<usize>,
    ) -> bool {
        if index == self.phi || self.choices.contains(&index) {
            return true;
        }
        let is_choice = index.opcode() == Some(LLVMOpcode::LLVMSelect) && index.block() == block;
        if !is_choice {
            return false;
        }
        for number in 1..3 {
            let from = index.operand(number);
            let known = self
                .loaded(from)
                .is_some_and(|load| place(load) < place(index));
            if !known && !self.order(block, from, place) {
                return false;
            }
        }
        self.choices.push(index);
        true
    }

    /// The first load of the element at an index that is not chosen.
    fn loaded(&self, index: Value) -> Option<Value> {
        let is_chosen = index == self.phi || index.opcode() == Some(LLVMOpcode::LLVMSelect);
        let mut elements = self.elements.iter();
        let found = elements.find(|element| !is_chosen && element.index == index)?;
        Some(found.load)
    }

    /// Carries the element.
    fn apply(&self, context: Context) {
        let element = Builder::before(context, self.phi).phi(self.array.element);
        element.add_incoming(self.first_element(context), self.before);
        let mut values = HashMap::from([(self.phi, element)]);
        for &choice in &self.choices {
            let [yes, no] = [1, 2].map(|number| {
                let index = choice.operand(number);
                let known = values.get(&index).copied();
                known
                    .or_else(|| self.loaded(index))
                    .expect("`find` found it")
            });
            let next = choice.next().expect("a choice is no terminator");
            let value = Builder::before(context, next).select(choice.operand(0), yes, no);
            values.insert(choice, value);
        }
        element.add_incoming(values[&self.last], self.phi.block());
        for loaded in &self.elements {
            if let Some(&value) = values.get(&loaded.index) {
                // SAFETY: the elements are different loads, and nothing looks at them after this.
                unsafe { loaded.load.replace_with(value) };
            }
        }
    }

    /// Loads the first one, before the loop, whose first turn would do so.
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

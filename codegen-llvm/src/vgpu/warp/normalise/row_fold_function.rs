//! The function that combines the elements of a row, for [`super::row_folds`].
//!
//! ```text
//! fold(count, sum, row, …, parameter, …):  for (j = 0; j < count; j++) sum = combine(sum, element(row[j], …))
//! ```

use std::collections::HashMap;

use llvm_sys::LLVMIntPredicate::LLVMIntNE;
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use llvm_sys::LLVMOpcode::*;

use crate::ir::{Builder, Module, Type, Value};
use crate::vgpu::warp::cold_functions;

/// Most operations of an element.
const MOST: usize = 16;

/// How an element is computed of what is loaded for it.
pub struct Element {
    value: Value,
    /// Its loads, each once.
    pub loads: Vec<Value>,
    /// What it takes from in front of the loop, constants aside.
    pub parameters: Vec<Value>,
    /// Its operations, operands first.
    operations: Vec<Value>,
}

impl Element {
    /// How a value is computed in a loop, if it is by arithmetic on loads. `inside`: whether the loop computes a value.
    pub fn of(value: Value, inside: &impl Fn(Value) -> bool) -> Option<Element> {
        let mut element = Element {
            value,
            loads: Vec::new(),
            parameters: Vec::new(),
            operations: Vec::new(),
        };
        element.take(value, inside)?;
        (!element.loads.is_empty()).then_some(element)
    }

    fn take(&mut self, value: Value, inside: &impl Fn(Value) -> bool) -> Option<()> {
        if !inside(value) {
            if !value.is_constant() && !self.parameters.contains(&value) {
                self.parameters.push(value);
            }
        } else if value.opcode() == Some(LLVMLoad) {
            if !self.loads.contains(&value) {
                self.loads.push(value);
            }
        } else if !self.operations.contains(&value) {
            let fits = is_arithmetic(value) && self.operations.len() < MOST;
            fits.then_some(())?;
            for operand in value.operands() {
                self.take(operand, inside)?;
            }
            self.operations.push(value);
        }
        Some(())
    }

    /// Whether `other` is computed as `value`, a part of this element, is, of loads that `follows` holds for.
    pub fn is_like(
        &self,
        value: Value,
        other: Value,
        inside: &impl Fn(Value) -> bool,
        follows: &impl Fn(Value, Value) -> bool,
    ) -> bool {
        if !inside(value) {
            return value == other;
        }
        if !inside(other) || !is_same_operation(value, other) || value.ty() != other.ty() {
            return false;
        }
        if value.opcode() == Some(LLVMLoad) {
            return follows(value, other) && value.alignment() == other.alignment();
        }
        let both = value.operands().into_iter().zip(other.operands());
        { both }.all(|(one, another)| self.is_like(one, another, inside, follows))
    }
}

/// Whether it is arithmetic that works for any operands.
fn is_arithmetic(value: Value) -> bool {
    matches!(
        value.opcode(),
        Some(
            LLVMAdd
                | LLVMSub
                | LLVMMul
                | LLVMAnd
                | LLVMOr
                | LLVMXor
                | LLVMShl
                | LLVMLShr
                | LLVMAShr
                | LLVMFAdd
                | LLVMFSub
                | LLVMFMul
                | LLVMFDiv
                | LLVMFNeg
                | LLVMICmp
                | LLVMFCmp
                | LLVMSelect
                | LLVMTrunc
                | LLVMZExt
                | LLVMSExt
                | LLVMFPExt
                | LLVMFPTrunc
                | LLVMSIToFP
                | LLVMUIToFP
                | LLVMBitCast
        )
    )
}

/// Whether two instructions do the same with their operands.
pub fn is_same_operation(one: Value, other: Value) -> bool {
    one.opcode() == other.opcode()
        && match one.opcode() {
            Some(LLVMICmp) => one.int_predicate() == other.int_predicate(),
            Some(LLVMFCmp) => one.float_predicate() == other.float_predicate(),
            Some(LLVMCall) => one.called() == other.called(),
            _ => true,
        }
}

/// Whether an operation of two operands may be done in any order.
pub fn is_associative(operation: Value) -> bool {
    match operation.opcode() {
        Some(LLVMAdd | LLVMMul | LLVMAnd | LLVMOr | LLVMXor) => true,
        Some(LLVMFAdd | LLVMFMul) => operation.allows_reassociation(),
        Some(LLVMCall) => {
            let called = operation.called_function().filter(|it| it.is_intrinsic());
            let kinds = ["smax", "smin", "umax", "umin"];
            called.is_some_and(|called| {
                let name = called.name();
                let is = |kind: &str| name.starts_with(&format!("llvm.{kind}."));
                kinds.into_iter().any(is) && called.value_type().parameters().len() == 2
            })
        }
        _ => false,
    }
}

/// Builds the function. `combine`: an operation that adds an element. `name`: one that no other function has.
pub fn build(module: &Module, element: &Element, combine: Value, name: &str) -> Value {
    let context = module.context;
    let wide = Type::int(context, 64);
    let rows = element.loads.iter().map(|_| Type::pointer(context));
    let parameters = element.parameters.iter().map(|it| it.ty());
    let all: Vec<_> = [wide, combine.ty()]
        .into_iter()
        .chain(rows)
        .chain(parameters)
        .collect();
    let name = cold_functions::name_of(name);
    let function = module.declare(&name, Type::function(combine.ty(), &all));
    function.set_linkage(LLVMInternalLinkage);
    function.add_attribute(context, "nounwind");
    let given = function.parameters();
    let block = |name| Builder::append_block(context, function, name);
    let (entry, body, end) = (block("entry"), block("body"), block("end"));
    Builder::at_end(context, entry).jump(body);
    let builder = Builder::at_end(context, body);
    let (number, sum) = (builder.phi(wide), builder.phi(combine.ty()));
    let mut values: HashMap<Value, Value> = HashMap::new();
    let (of_rows, of_parameters) = given[2..].split_at(element.loads.len());
    values.extend(
        element
            .parameters
            .iter()
            .copied()
            .zip(of_parameters.iter().copied()),
    );
    for (&load, &row) in element.loads.iter().zip(of_rows) {
        let address = builder.index(load.ty(), row, &[number]);
        let loaded = builder.load(load.ty(), address);
        loaded.set_alignment(load.alignment() as u32);
        values.insert(load, loaded);
    }
    for &operation in &element.operations {
        // What is known of the first element's operands need not hold for all.
        let operands = operation.operands().into_iter();
        let operands: Vec<_> = operands.map(|it| *values.get(&it).unwrap_or(&it)).collect();
        let made = builder.on_operands(operation, &operands);
        made.take_fast_math(operation);
        values.insert(operation, made);
    }
    let value = values.get(&element.value).copied().unwrap_or(element.value);
    let next_sum = match combine.called_function() {
        Some(called) => builder.call_function(called, &[sum, value]),
        None => builder.binary(combine.opcode().expect("it is an instruction"), sum, value),
    };
    next_sum.take_fast_math(combine);
    let next = builder.binary(LLVMAdd, number, Value::int(wide, 1));
    next.set_cannot_carry();
    let more = builder.compare(LLVMIntNE, next, given[0]);
    builder.branch(more, body, end);
    number.add_incoming(Value::int(wide, 0), entry);
    number.add_incoming(next, body);
    sum.add_incoming(given[1], entry);
    sum.add_incoming(next_sum, body);
    Builder::at_end(context, end).return_value(next_sum);
    function
}

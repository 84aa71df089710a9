//! Replaces shared variables by addresses in the block's shared memory.
//!
//! Needs: the lowering library (`vgpu.shared_base`). Leaves: no variable in address space 3. Each use is
//! `context.shared_base + offset`, in constants too.
//!
//! `shared_layout` determines where each variable lies. Variables without a size (`extern … []`) are the dynamic shared
//! memory, which the engine puts behind the static.

use std::collections::HashMap;

use anyhow::{Result, bail};

use super::offsets;
use super::runtime_variables::{Extent, RuntimeVariables};
use super::shared_layout::{self, Location};
use super::unit::Unit;
use crate::analysis::target::SHARED;
use crate::ir::{Builder, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let variables: Vec<_> = unit
        .module
        .globals()
        .into_iter()
        .filter(|variable| variable.ty().address_space() == SHARED)
        .collect();
    if variables.is_empty() {
        return Ok(());
    }
    let locations = shared_layout::lay_out(unit, &variables)?;
    let layout = unit.module.layout();
    let extent_of = |name: &str| {
        locations
            .iter()
            .find_map(|(variable, location)| match location {
                Location::Static(start) if variable.name() == name => Some(Extent {
                    start: *start,
                    bytes: layout.alloc_size(variable.value_type()),
                }),
                _ => None,
            })
    };
    unit.runtime_variables = RuntimeVariables::find(extent_of);
    if unit.dialect.target.segments {
        for (&variable, &location) in &locations {
            offsets::fold(unit, variable, location)?;
        }
    }
    let mut rewriter = Rewriter {
        unit,
        locations,
        mentions: HashMap::new(),
    };
    for function in unit.module.definitions() {
        rewriter.function(function)?;
    }
    for variable in variables {
        remove(unit, variable)?;
    }
    Ok(())
}

/// Rewrites the uses of shared variables.
struct Rewriter<'a> {
    unit: &'a Unit,
    locations: HashMap<Value, Location>,
    /// Whether a constant mentions a shared variable.
    mentions: HashMap<Value, bool>,
}

impl Rewriter<'_> {
    fn function(&mut self, function: Value) -> Result<()> {
        for instruction in function.instructions() {
            if instruction.is_phi() {
                self.phi(instruction)?;
                continue;
            }
            for index in 0..instruction.operand_count() {
                let Some(operand) = instruction.operand_or_none(index) else {
                    continue;
                };
                if self.is_shared(operand) {
                    let builder = Builder::before(self.unit.context(), instruction);
                    instruction.set_operand(index, self.materialise(&builder, operand)?);
                }
            }
        }
        Ok(())
    }

    /// A phi's value is computed at the end of the block it comes from, once per block.
    fn phi(&mut self, phi: Value) -> Result<()> {
        let mut done = HashMap::new();
        for (index, (value, block)) in phi.incoming().into_iter().enumerate() {
            if !self.is_shared(value) {
                continue;
            }
            let Some(end) = block.terminator() else {
                continue;
            };
            let known = done.get(&(block, value)).copied();
            let computed = match known {
                Some(computed) => computed,
                None => self.materialise(&Builder::before(self.unit.context(), end), value)?,
            };
            done.insert((block, value), computed);
            phi.set_operand(index as u32, computed);
        }
        Ok(())
    }

    fn is_shared(&mut self, value: Value) -> bool {
        if !value.is_constant() || value.is_function() {
            return false;
        }
        if value.is_global_variable() {
            return self.locations.contains_key(&value);
        }
        if let Some(&known) = self.mentions.get(&value) {
            return known;
        }
        let mentions = value
            .constant_operands()
            .into_iter()
            .any(|operand| self.is_shared(operand));
        self.mentions.insert(value, mentions);
        mentions
    }

    /// The value of a constant that mentions a shared variable, computed by instructions.
    fn materialise(&mut self, builder: &Builder, value: Value) -> Result<Value> {
        if let Some(&location) = self.locations.get(&value) {
            return self.address(builder, location, value.ty());
        }
        let mut operands = Vec::new();
        for operand in value.constant_operands() {
            operands.push(if self.is_shared(operand) {
                self.materialise(builder, operand)?
            } else {
                operand
            });
        }
        match value.constant_opcode() {
            Some(opcode) => expression(builder, opcode, value, &operands),
            None => {
                let start = Value::poison(value.ty());
                let insert = |whole, (index, &part): (usize, &Value)| {
                    builder.insert(whole, part, index as u32)
                };
                Ok(operands.iter().enumerate().fold(start, insert))
            }
        }
    }

    fn address(&self, builder: &Builder, location: Location, ty: Type) -> Result<Value> {
        let context = self.unit.context();
        let call = |name: &str| {
            self.unit
                .library_function(name)
                .map(|function| builder.call_function(function, &[]))
        };
        let base = match location {
            Location::Static(offset) => builder.byte_offset(
                call("vgpu.shared_base")?,
                Value::int(Type::int(context, 64), offset),
            ),
            Location::Dynamic => call("vgpu.dynamic_shared")?,
        };
        Ok(builder.to_space(base, ty))
    }
}

/// A constant expression as an instruction.
fn expression(
    builder: &Builder,
    opcode: llvm_sys::LLVMOpcode,
    value: Value,
    operands: &[Value],
) -> Result<Value> {
    use llvm_sys::LLVMOpcode::*;
    Ok(match opcode {
        LLVMGetElementPtr => {
            builder.element_pointer(value.source_element_type(), operands[0], &operands[1..])
        }
        LLVMAddrSpaceCast | LLVMBitCast | LLVMPtrToInt | LLVMIntToPtr | LLVMTrunc => {
            builder.cast(opcode, operands[0], value.ty())
        }
        LLVMAdd | LLVMSub | LLVMXor | LLVMMul => builder.binary(opcode, operands[0], operands[1]),
        _ => bail!(
            "the virtual GPU does not know the constant `{}` of a shared variable",
            value.print()
        ),
    })
}

/// Removes a variable whose uses are rewritten.
fn remove(unit: &Unit, variable: Value) -> Result<()> {
    let initializers = unit
        .module
        .globals()
        .into_iter()
        .filter(|&other| other != variable);
    let holder = initializers
        .filter_map(|other| Some((other, other.initializer()?)))
        .find(|(_, value)| mentions(*value, variable));
    if let Some((holder, _)) = holder {
        bail!(
            "the address of shared variable `{}` is in the initializer of `{}`: it differs from block to block",
            variable.name(),
            holder.name()
        );
    }
    variable.replace_all_uses(Value::poison(variable.ty()));
    // SAFETY: its uses are replaced, and the caller is done with it.
    unsafe { variable.delete_global() };
    Ok(())
}

fn mentions(value: Value, variable: Value) -> bool {
    value == variable
        || value
            .constant_operands()
            .into_iter()
            .any(|operand| mentions(operand, variable))
}

//! Needs: the lowering library (`vgpu.shared_base`). Leaves: no variable in address space 3; each
//! use is `context.shared_base + offset`, in constants too.
//!
//! Variables that only one kernel can reach lie over those of other kernels, after the ones several
//! kernels share: a module's kernels need not fit into shared memory together. Variables without a
//! size (`extern … []`) are the dynamic shared memory, which the engine places after the static.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, bail};

use super::offsets;
use super::unit::Unit;
use super::warp::{waiting::Words, words};
use crate::analysis::reach;
use crate::analysis::source_locations::describe_use;
use crate::analysis::target::SHARED;
use crate::ir::{Builder, Type, Value};

/// Alignment of the dynamic part, hence of the static part's size.
const DYNAMIC_ALIGNMENT: u64 = 16;

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
    let places = lay_out(unit, &variables)?;
    let place_of = |name: &str| {
        places.iter().find_map(|(variable, place)| match place {
            Place::Static(offset) if variable.name() == name => Some(*offset),
            _ => None,
        })
    };
    (unit.thread_words, unit.team_words) = (place_of(words::VARIABLE), Words::find(place_of));
    if unit.dialect.target.segments {
        for (&variable, &place) in &places {
            offsets::fold(unit, variable, place)?;
        }
    }
    let mut rewriter = Rewriter {
        unit,
        places,
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

/// Where a shared variable lies.
#[derive(Clone, Copy)]
pub enum Place {
    /// Bytes from the block's shared memory.
    Static(u64),
    /// At the start of the dynamic part.
    Dynamic,
}

/// Gives every variable its place and every kernel its size.
fn lay_out(unit: &mut Unit, variables: &[Value]) -> Result<HashMap<Value, Place>> {
    let layout = unit.module.layout();
    let size_of = |variable: Value| layout.alloc_size(variable.value_type());
    let mut places = HashMap::new();
    let mut sized = Vec::new();
    for &variable in variables {
        if size_of(variable) == 0 {
            places.insert(variable, Place::Dynamic);
        } else if variable.is_declaration() {
            let place = describe_use(unit.context(), variable);
            bail!(
                "shared variable `{}` is used {place} but nowhere defined",
                variable.name()
            );
        } else {
            sized.push(variable);
        }
    }
    let alignment = |variable: Value| {
        variable
            .alignment()
            .max(layout.alignment(variable.value_type()))
            .max(1)
    };
    sized.sort_by_key(|&variable| std::cmp::Reverse(alignment(variable)));
    let reach: Vec<HashSet<Value>> = unit
        .kernels
        .iter()
        .map(|kernel| reach::variables(&unit.module, kernel.function))
        .collect();
    let users = |variable: Value| {
        reach
            .iter()
            .filter(|reached| reached.contains(&variable))
            .count()
    };
    let place = |start: u64, which: &dyn Fn(Value) -> bool, places: &mut HashMap<Value, Place>| {
        sized
            .iter()
            .copied()
            .filter(|&variable| which(variable))
            .fold(start, |end, variable| {
                let offset = end.next_multiple_of(alignment(variable));
                places.insert(variable, Place::Static(offset));
                offset + size_of(variable)
            })
    };
    let common = place(0, &|variable| users(variable) != 1, &mut places);
    for (kernel, reached) in unit.kernels.iter_mut().zip(&reach) {
        let own = |variable: Value| users(variable) == 1 && reached.contains(&variable);
        kernel.static_shared = place(common, &own, &mut places).next_multiple_of(DYNAMIC_ALIGNMENT);
        if kernel.static_shared > u64::from(u32::MAX) {
            bail!(
                "kernel `{}` has {} bytes of shared variables",
                kernel.name,
                kernel.static_shared
            );
        }
    }
    Ok(places)
}

/// Rewrites the uses of shared variables.
struct Rewriter<'a> {
    unit: &'a Unit,
    places: HashMap<Value, Place>,
    /// Whether a constant mentions a shared variable.
    mentions: HashMap<Value, bool>,
}

impl Rewriter<'_> {
    fn function(&mut self, function: Value) -> Result<()> {
        for instruction in function.instructions() {
            if instruction.opcode() == Some(llvm_sys::LLVMOpcode::LLVMPHI) {
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
            return self.places.contains_key(&value);
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
        if let Some(&place) = self.places.get(&value) {
            return self.address(builder, place, value.ty());
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

    fn address(&self, builder: &Builder, place: Place, ty: Type) -> Result<Value> {
        let context = self.unit.context();
        let call = |name: &str| {
            self.unit
                .library_function(name)
                .map(|function| builder.call_function(function, &[]))
        };
        let base = match place {
            Place::Static(offset) => builder.byte_offset(
                call("vgpu.shared_base")?,
                Value::int(Type::int(context, 64), offset),
            ),
            Place::Dynamic => call("vgpu.dynamic_shared")?,
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
    variable.delete_global();
    Ok(())
}

fn mentions(value: Value, variable: Value) -> bool {
    value == variable
        || value
            .constant_operands()
            .into_iter()
            .any(|operand| mentions(operand, variable))
}

//! Replaces the addresses of variables by values that instructions compute, in constants, too.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, bail};
use llvm_sys::LLVMOpcode;

use super::{Builder, Context, Value};

/// Computes what stands for a variable.
type Computation<'a> = dyn Fn(&Builder, Value) -> Result<Value> + 'a;

/// Replaces variables in functions.
pub struct Substitution<'a> {
    context: Context,
    variables: HashSet<Value>,
    computation: &'a Computation<'a>,
    /// Whether a constant mentions one of the variables.
    mentions: HashMap<Value, bool>,
}

impl<'a> Substitution<'a> {
    /// Replaces these variables by what the computation gives.
    pub fn new(
        context: Context,
        variables: HashSet<Value>,
        computation: &'a Computation<'a>,
    ) -> Substitution<'a> {
        Substitution {
            context,
            variables,
            computation,
            mentions: HashMap::new(),
        }
    }

    /// Replaces them in a function.
    pub fn run(&mut self, function: Value) -> Result<()> {
        for instruction in function.instructions() {
            if instruction.is_phi() {
                self.phi(instruction)?;
                continue;
            }
            for index in 0..instruction.operand_count() {
                let Some(operand) = instruction.operand_or_none(index) else {
                    continue;
                };
                if self.is_meant(operand) {
                    let builder = Builder::before(self.context, instruction);
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
            if !self.is_meant(value) {
                continue;
            }
            let Some(end) = block.terminator() else {
                continue;
            };
            let known = done.get(&(block, value)).copied();
            let computed = match known {
                Some(computed) => computed,
                None => self.materialise(&Builder::before(self.context, end), value)?,
            };
            done.insert((block, value), computed);
            phi.set_operand(index as u32, computed);
        }
        Ok(())
    }

    fn is_meant(&mut self, value: Value) -> bool {
        if !value.is_constant() || value.is_function() {
            return false;
        }
        if value.is_global_variable() {
            return self.variables.contains(&value);
        }
        if let Some(&known) = self.mentions.get(&value) {
            return known;
        }
        let mentions = value
            .constant_operands()
            .into_iter()
            .any(|operand| self.is_meant(operand));
        self.mentions.insert(value, mentions);
        mentions
    }

    /// The value of a constant that mentions a variable, computed by instructions.
    fn materialise(&mut self, builder: &Builder, value: Value) -> Result<Value> {
        if self.variables.contains(&value) {
            return (self.computation)(builder, value);
        }
        let mut operands = Vec::new();
        for operand in value.constant_operands() {
            operands.push(if self.is_meant(operand) {
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
}

/// A constant expression as an instruction.
fn expression(
    builder: &Builder,
    opcode: LLVMOpcode,
    value: Value,
    operands: &[Value],
) -> Result<Value> {
    use LLVMOpcode::*;
    Ok(match opcode {
        LLVMGetElementPtr => {
            builder.element_pointer(value.source_element_type(), operands[0], &operands[1..])
        }
        LLVMAddrSpaceCast | LLVMBitCast | LLVMPtrToInt | LLVMIntToPtr | LLVMTrunc => {
            builder.cast(opcode, operands[0], value.ty())
        }
        LLVMAdd | LLVMSub | LLVMXor | LLVMMul => builder.binary(opcode, operands[0], operands[1]),
        _ => bail!(
            "the constant `{}` has the address of a variable that is known at run time only",
            value.print()
        ),
    })
}

impl Value {
    /// Whether this constant mentions a variable.
    pub fn mentions(self, variable: Value) -> bool {
        self == variable
            || self
                .constant_operands()
                .into_iter()
                .any(|operand| operand.mentions(variable))
    }
}

//! Operands as values.

use super::function::Translator;
use super::symbol::Symbol;
use crate::syntax::{Operand, Type};

/// The components of vectors, by their names in the PTX ISA.
const COMPONENTS: [[&str; 4]; 2] = [["x", "y", "z", "w"], ["r", "g", "b", "a"]];

/// A register that an operand names.
pub struct Register {
    /// Its type.
    pub ty: Type,
    /// Its variable.
    pub variable: String,
}

impl<'a> Translator<'_, '_, 'a> {
    /// The register that an operand names.
    pub fn as_register(&mut self, operand: &Operand<'a>) -> Option<Register> {
        let Operand::Name(name, component) = operand else {
            return None;
        };
        let (
            Symbol::Register {
                ty,
                vector,
                declaration,
            },
            _,
        ) = self.scopes.find(name)?
        else {
            return None;
        };
        let component = match (vector, component) {
            (1, None) => None,
            (1, Some(_)) | (_, None) => return None,
            (_, Some(component)) => Some(canonical(component)?),
        };
        let variable = self.register(declaration, name, component, ty);
        Some(Register { ty, variable })
    }

    /// The registers that an operand names: those of a tuple, those of a register that is a vector, or the one.
    pub fn elements(&self, operand: &Operand<'a>) -> Vec<Operand<'a>> {
        match operand {
            Operand::Tuple(parts) => parts.clone(),
            Operand::Name(name, None) => match self.scopes.find(name) {
                Some((Symbol::Register { vector, .. }, _)) if vector > 1 => COMPONENTS[0]
                    .iter()
                    .take(vector as usize)
                    .map(|component| Operand::Name(name, Some(component)))
                    .collect(),
                _ => vec![operand.clone()],
            },
            _ => vec![operand.clone()],
        }
    }

    /// The generic address that a name stands for, as a constant or a value of type `ptr`.
    pub fn as_address(&mut self, name: &str) -> Option<String> {
        match self.scopes.find(name) {
            Some((Symbol::Memory { address, .. }, _)) => Some(address),
            Some(_) => None,
            None => self.context.address(name),
        }
    }

    /// An operand's lower bits, or its bits extended.
    pub fn value(&mut self, operand: &Operand<'a>, bits: u32, signed: bool) -> Option<String> {
        match operand {
            Operand::Integer(number) => Some(match bits {
                1 => (number & 1).to_string(),
                64.. => number.to_string(),
                _ => (number & ((1 << bits) - 1)).to_string(),
            }),
            Operand::Single(number) => Some(number.to_string()),
            Operand::Double(number) => Some(number.to_string()),
            Operand::Name(..) => {
                if let Some(register) = self.as_register(operand) {
                    let llvm = register.ty.llvm();
                    let value = self
                        .out
                        .op(&format!("load {llvm}, ptr {}", register.variable));
                    return Some(self.out.resize(&value, register.ty.bits, bits, signed));
                }
                let Operand::Name(name, None) = operand else {
                    return None;
                };
                self.address_value(name, 0, bits)
            }
            Operand::Sum(name, addend) => self.address_value(name, *addend, bits),
            Operand::Element(name, index) => {
                let value = self.element_value(name, index)?;
                Some(self.out.resize(&value, 64, bits, false))
            }
            Operand::Not(inner) => {
                let value = self.value(inner, 1, false)?;
                Some(self.out.op(&format!("xor i1 {value}, true")))
            }
            Operand::Negative(inner) => {
                let value = self.value(inner, bits, true)?;
                Some(self.out.op(&format!("sub i{bits} 0, {value}")))
            }
            _ => None,
        }
    }

    /// The bits of an address.
    fn address_value(&mut self, name: &str, addend: i64, bits: u32) -> Option<String> {
        let address = self.as_address(name)?;
        let value = match self.is_opaque(name) {
            // What a texture's variable stands for is its handle.
            true => self.out.op(&format!("load i64, ptr {address}")),
            false => self.out.op(&format!("ptrtoint ptr {address} to i64")),
        };
        let value = match addend {
            0 => value,
            _ => self.out.op(&format!("add i64 {value}, {addend}")),
        };
        Some(self.out.resize(&value, 64, bits, false))
    }

    /// The 64 bits of an element's address.
    fn element_value(&mut self, name: &'a str, index: &Operand<'a>) -> Option<String> {
        let (address, element) = match self.scopes.find(name) {
            Some((Symbol::Memory { address, element }, _)) => (address, element),
            Some(_) => return None,
            None => {
                let variable = self.context.variables.get(name)?;
                let element = variable.ty.bytes() * variable.vector;
                (self.context.address(name)?, element)
            }
        };
        let index = match index {
            Operand::Sum(register, addend) => {
                let value = self.value(&Operand::Name(register, None), 64, false)?;
                self.out.op(&format!("add i64 {value}, {addend}"))
            }
            index => self.value(index, 64, false)?,
        };
        let start = self.out.op(&format!("ptrtoint ptr {address} to i64"));
        let offset = self.out.op(&format!("mul i64 {index}, {element}"));
        Some(self.out.op(&format!("add i64 {start}, {offset}")))
    }

    /// Whether a name is that of a texture or surface of the module.
    fn is_opaque(&self, name: &str) -> bool {
        let own = self.scopes.find(name).is_some();
        let variable = self.context.variables.get(name);
        !own && variable.is_some_and(|variable| variable.ty.is_opaque())
    }

    /// Gives a register a value, which is extended if the register is wider.
    pub fn assign(
        &mut self,
        operand: &Operand<'a>,
        value: &str,
        bits: u32,
        signed: bool,
    ) -> Option<()> {
        if *operand == Operand::Name("_", None) {
            return Some(());
        }
        let register = self.as_register(operand)?;
        let value = self.out.resize(value, bits, register.ty.bits, signed);
        let llvm = register.ty.llvm();
        self.out
            .line(&format!("store {llvm} {value}, ptr {}", register.variable));
        Some(())
    }
}

/// `x` for `r`.
fn canonical(component: &str) -> Option<&'static str> {
    let index = COMPONENTS
        .iter()
        .find_map(|names| names.iter().position(|name| *name == component))?;
    Some(COMPONENTS[0][index])
}

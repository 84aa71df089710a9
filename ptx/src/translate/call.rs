//! Calls (PTX ISA, "call", "Function Declarations and Definitions").

use std::rc::Rc;

use super::function::{Passing, Translator, signature};
use super::library::{self, Signature};
use super::symbol::Symbol;
use super::{inline, names};
use crate::syntax::{Instruction, Operand, Prototype, Variable};

impl<'a> Translator<'_, '_, 'a> {
    /// Translates a call: `call (result), function, (arguments)[, prototype or targets]`.
    pub fn calls(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        if instruction.opcode != "call" {
            return None;
        }
        if self.call(instruction).is_none() {
            inline::refuse(self, instruction);
        }
        Some(())
    }

    fn call(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        let (result, rest) = match instruction.operands.as_slice() {
            [Operand::List(results), rest @ ..] => (results.first().cloned(), rest),
            rest => (None, rest),
        };
        let (target, rest) = rest.split_first()?;
        let (arguments, rest) = match rest.split_first() {
            Some((Operand::List(arguments), rest)) => (arguments.clone(), rest),
            _ => (Vec::new(), rest),
        };
        let Operand::Name(name, None) = target else {
            return None;
        };
        if self.as_register(target).is_some() {
            let address = self.value(target, 64, false)?;
            let prototype = self.prototype(rest.first()?)?;
            let pointer = self.out.op(&format!("inttoptr i64 {address} to ptr"));
            return self.call_with(
                &pointer,
                &prototype.results,
                &prototype.parameters,
                result,
                &arguments,
            );
        }
        let function = self.context.function(name)?;
        if function.kernel {
            return None;
        }
        if function.body.is_some() {
            let callee = names::global(function.name);
            self.call_with(
                &callee,
                &function.results,
                &function.parameters,
                result,
                &arguments,
            )?;
        } else {
            let signature = library::signature(function.name)?;
            self.context.declare_library(function.name, &signature);
            self.call_library(function.name, &signature, result, &arguments)?;
        }
        if function.no_return {
            self.out.end("unreachable");
        }
        Some(())
    }

    /// The types of what a pointer points at.
    fn prototype(&self, operand: &Operand<'a>) -> Option<Rc<Prototype<'a>>> {
        let Operand::Name(name, None) = operand else {
            return None;
        };
        match self.scopes.find(name)?.0 {
            Symbol::Prototype(prototype) => Some(prototype),
            // All of them have the same types.
            Symbol::Targets(targets) => {
                let function = self.context.function(targets.first()?)?;
                Some(Rc::new(Prototype {
                    results: function.results.clone(),
                    parameters: function.parameters.clone(),
                }))
            }
            _ => None,
        }
    }

    fn call_with(
        &mut self,
        callee: &str,
        results: &[Variable<'a>],
        parameters: &[Variable<'a>],
        result: Option<Operand<'a>>,
        arguments: &[Operand<'a>],
    ) -> Option<()> {
        if parameters.len() != arguments.len() || results.len() != usize::from(result.is_some()) {
            return None;
        }
        let (returned, _) = signature(results, &[]);
        let mut typed = Vec::new();
        if let (Some(Passing::Memory), Some(result)) = (results.first().map(Passing::of), &result) {
            typed.push(format!("ptr {}", self.memory_of(result)?));
        }
        for (parameter, argument) in parameters.iter().zip(arguments) {
            typed.push(match Passing::of(parameter) {
                Passing::Value(ty) => {
                    let value = self.argument(argument, ty.bits)?;
                    format!("{} {value}", ty.llvm())
                }
                Passing::Memory => format!("ptr {}", self.memory_of(argument)?),
            });
        }
        let text = format!("call {returned} {callee}({}) #1", typed.join(", "));
        if returned == "void" {
            self.out.line(&text);
            return Some(());
        }
        let value = self.out.op(&text);
        let bits = results.first()?.ty.bits;
        self.keep(&result?, &value, bits)
    }

    fn call_library(
        &mut self,
        name: &str,
        signature: &Signature,
        result: Option<Operand<'a>>,
        arguments: &[Operand<'a>],
    ) -> Option<()> {
        if arguments.len() != signature.parameters.len() {
            return None;
        }
        let mut typed = Vec::new();
        for (ty, argument) in signature.parameters.iter().zip(arguments) {
            let bits = if *ty == "i32" { 32 } else { 64 };
            let mut value = self.argument(argument, bits)?;
            if *ty == "ptr" {
                value = self.out.op(&format!("inttoptr i64 {value} to ptr"));
            }
            typed.push(format!("{ty} {value}"));
        }
        let returned = signature.result;
        let text = format!(
            "call {returned} {}({})",
            names::global(name),
            typed.join(", ")
        );
        let Some(result) = result.filter(|_| returned != "void") else {
            self.out.line(&text);
            return Some(());
        };
        let mut value = self.out.op(&text);
        if returned == "ptr" {
            value = self.out.op(&format!("ptrtoint ptr {value} to i64"));
        }
        self.keep(&result, &value, if returned == "i32" { 32 } else { 64 })
    }

    /// An argument's value: a register's, a number, or what was stored to the parameter's memory.
    fn argument(&mut self, operand: &Operand<'a>, bits: u32) -> Option<String> {
        match self.memory_of(operand) {
            Some(address) => Some(
                self.out
                    .op(&format!("load i{bits}, ptr {address}, align 1")),
            ),
            None => self.value(operand, bits, false),
        }
    }

    /// Puts a result where it is expected.
    fn keep(&mut self, operand: &Operand<'a>, value: &str, bits: u32) -> Option<()> {
        match self.memory_of(operand) {
            Some(address) => {
                self.out
                    .line(&format!("store i{bits} {value}, ptr {address}, align 1"));
                Some(())
            }
            None => self.assign(operand, value, bits, false),
        }
    }

    /// The memory of a parameter that an operand names.
    fn memory_of(&mut self, operand: &Operand<'a>) -> Option<String> {
        let Operand::Name(name, None) = operand else {
            return None;
        };
        match self.scopes.find(name)?.0 {
            Symbol::Memory { address, .. } => Some(address),
            _ => None,
        }
    }
}

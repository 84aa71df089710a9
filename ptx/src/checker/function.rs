//! The names of a function.

use std::collections::HashSet;

use super::scopes::Scopes;
use super::{Named, Names, labels, undeclared, variable_is_sound};
use crate::error::{Error, Position};
use crate::syntax::{
    Function, Instruction, Kind, Local, Operand, Space, Statement, StatementKind, Type, Variable,
};

/// What a name of a function stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Register(Type),
    Variable,
    Label,
}

/// Checks a kernel or a function.
pub fn check(function: &Function<'_>, names: &Names<'_, '_>) -> Result<(), Error> {
    if function.kernel && !function.results.is_empty() {
        let what = format!("the kernel `{}` returns something", function.name);
        return Err(Error::new(function.position, what));
    }
    if function.results.len() > 1 {
        let what = format!(
            "the function `{}` returns more than one value",
            function.name
        );
        return Err(Error::new(function.position, what));
    }
    let Some(body) = &function.body else {
        return Ok(());
    };
    let mut checker = Checker {
        names,
        scopes: Scopes::new(),
    };
    for parameter in function.results.iter().chain(&function.parameters) {
        checker.variable(parameter)?;
    }
    checker.body(body)
}

struct Checker<'m, 'a> {
    names: &'m Names<'m, 'a>,
    scopes: Scopes<'a, Symbol>,
}

impl<'a> Checker<'_, 'a> {
    fn body(&mut self, body: &[Statement<'a>]) -> Result<(), Error> {
        let mut labels = labels(body)?;
        let begin = body
            .first()
            .map_or(Position::default(), |first| first.position);
        self.labels(labels.remove(&None), begin)?;
        for (index, statement) in body.iter().enumerate() {
            if statement.kind == StatementKind::Open {
                self.scopes.open();
                self.labels(labels.remove(&Some(index)), statement.position)?;
            }
            self.statement(statement)?;
        }
        Ok(())
    }

    fn labels(&mut self, names: Option<HashSet<&'a str>>, position: Position) -> Result<(), Error> {
        let mut names = names.into_iter().flatten();
        names.try_for_each(|name| self.declare(name, Symbol::Label, position))
    }

    fn statement(&mut self, statement: &Statement<'a>) -> Result<(), Error> {
        match &statement.kind {
            StatementKind::Close => self.scopes.close(),
            StatementKind::Local(local) => self.local(local, statement.position)?,
            StatementKind::Instruction(instruction) => self.instruction(instruction)?,
            StatementKind::Open | StatementKind::Label(_) | StatementKind::Location(..) => {}
        }
        Ok(())
    }

    fn declare(&mut self, name: &'a str, symbol: Symbol, position: Position) -> Result<(), Error> {
        match self.scopes.declare(name, symbol) {
            true => Ok(()),
            false => Err(Error::new(position, format!("`{name}` is there twice"))),
        }
    }

    fn variable(&mut self, variable: &Variable<'a>) -> Result<(), Error> {
        variable_is_sound(variable)?;
        let symbol = match variable.space {
            Space::Register => Symbol::Register(variable.ty),
            _ => Symbol::Variable,
        };
        self.declare(variable.name, symbol, variable.position)
    }

    fn local(&mut self, local: &Local<'a>, position: Position) -> Result<(), Error> {
        match local {
            Local::Variable(variable) => self.variable(variable),
            Local::Registers {
                ty, name, count, ..
            } => {
                let symbol = Symbol::Register(*ty);
                let new = match count {
                    Some(count) => self.scopes.declare_range(name, *count, symbol),
                    None => self.scopes.declare(name, symbol),
                };
                match new {
                    true => Ok(()),
                    false => Err(Error::new(position, format!("`{name}` is there twice"))),
                }
            }
            Local::Targets(_, targets) => {
                let mut targets = targets.iter();
                targets.try_for_each(|target| self.known(target, position))
            }
            Local::Prototype(_, prototype) if prototype.results.len() > 1 => Err(Error::new(
                position,
                "a function returns more than one value",
            )),
            Local::Prototype(..) => Ok(()),
        }
    }

    fn instruction(&self, instruction: &Instruction<'a>) -> Result<(), Error> {
        let position = instruction.position;
        if let Some((name, _)) = instruction.guard {
            match self.scopes.find(name) {
                Some((Symbol::Register(ty), _)) if ty.kind == Kind::Predicate => {}
                Some(_) => {
                    return Err(Error::new(
                        position,
                        format!("the guard `{name}` is no predicate"),
                    ));
                }
                None => return Err(undeclared(name, position)),
            }
        }
        let least = least_operands(instruction.opcode);
        if instruction.operands.len() < least {
            let what = format!("`{}` has {least} operands or more", instruction.opcode);
            return Err(Error::new(position, what));
        }
        let mut operands = instruction.operands.iter();
        operands.try_for_each(|operand| self.operand(operand, position))?;
        match instruction.opcode {
            "bra" => self.label(instruction),
            "call" => self.call(instruction),
            _ => Ok(()),
        }
    }

    fn operand(&self, operand: &Operand<'a>, position: Position) -> Result<(), Error> {
        match operand {
            Operand::Name(name, _) | Operand::Sum(name, _) => self.known(name, position),
            Operand::Element(name, index) => {
                self.known(name, position)?;
                self.operand(index, position)
            }
            Operand::Address(parts) | Operand::Tuple(parts) | Operand::List(parts) => {
                let mut parts = parts.iter();
                parts.try_for_each(|part| self.operand(part, position))
            }
            Operand::Pair(first, second) => {
                self.operand(first, position)?;
                self.operand(second, position)
            }
            Operand::Not(inner) | Operand::Negative(inner) => self.operand(inner, position),
            Operand::Integer(_) | Operand::Single(_) | Operand::Double(_) => Ok(()),
        }
    }

    /// A name is declared, or one that PTX defines: a special register, `WARP_SZ`, the sink `_`.
    fn known(&self, name: &str, position: Position) -> Result<(), Error> {
        let special = is_special_register(name) || name == "_" || name == "WARP_SZ";
        match special || self.scopes.find(name).is_some() || self.names.contains_key(name) {
            true => Ok(()),
            false => Err(undeclared(name, position)),
        }
    }

    fn label(&self, instruction: &Instruction<'a>) -> Result<(), Error> {
        let is_label = |operand: &Operand<'a>| match operand {
            Operand::Name(name, None) => matches!(self.scopes.find(name), Some((Symbol::Label, _))),
            _ => false,
        };
        match instruction.operands.as_slice() {
            [operand] if is_label(operand) => Ok(()),
            _ => Err(Error::new(instruction.position, "a branch needs a label")),
        }
    }

    /// A direct call gives a function as many arguments as it takes.
    fn call(&self, instruction: &Instruction<'a>) -> Result<(), Error> {
        let position = instruction.position;
        let operands = instruction.operands.as_slice();
        let (results, rest) = match operands {
            [Operand::List(results), rest @ ..] => (results.len(), rest),
            rest => (0, rest),
        };
        let Some(Operand::Name(name, None)) = rest.first() else {
            return Err(Error::new(position, "a call needs a function"));
        };
        let arguments = match rest.get(1) {
            Some(Operand::List(arguments)) => arguments.len(),
            _ => 0,
        };
        let function = match (self.scopes.find(name), self.names.get(name)) {
            (None, Some(Named::Function(function))) => function,
            (None, _) => {
                return Err(Error::new(position, format!("`{name}` is no function")));
            }
            // Through a pointer.
            _ => return Ok(()),
        };
        if (function.results.len(), function.parameters.len()) != (results, arguments) {
            let what = format!(
                "`{name}` takes {} and returns {}, but {arguments} and {results} are given",
                function.parameters.len(),
                function.results.len()
            );
            return Err(Error::new(position, what));
        }
        Ok(())
    }
}

/// The least number of operands of instructions that compute.
fn least_operands(opcode: &str) -> usize {
    match opcode {
        "add" | "sub" | "mul" | "div" | "rem" | "min" | "max" | "and" | "or" | "xor" | "shl"
        | "shr" | "setp" => 3,
        "addc" | "subc" | "mul24" | "bfind" | "bmsk" | "szext" | "copysign" => 2,
        "mad" | "mad24" | "madc" | "fma" | "sad" | "bfe" | "bfi" | "lop3" | "shf" | "prmt"
        | "selp" | "slct" => 4,
        "abs" | "neg" | "not" | "cnot" | "popc" | "clz" | "brev" | "mov" | "cvt" | "cvta"
        | "ld" | "st" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh"
        | "testp" | "set" | "vote" | "match" | "redux" | "shfl" | "atom" | "red" => 2,
        _ => 0,
    }
}

/// PTX ISA, "Special Registers".
const SPECIAL_REGISTERS: [&str; 44] = [
    "tid",
    "ntid",
    "laneid",
    "warpid",
    "nwarpid",
    "ctaid",
    "nctaid",
    "smid",
    "nsmid",
    "gridid",
    "is_explicit_cluster",
    "clusterid",
    "nclusterid",
    "cluster_ctaid",
    "cluster_nctaid",
    "cluster_ctarank",
    "cluster_nctarank",
    "lanemask_eq",
    "lanemask_le",
    "lanemask_lt",
    "lanemask_ge",
    "lanemask_gt",
    "clock",
    "clock_hi",
    "clock64",
    "globaltimer",
    "globaltimer_lo",
    "globaltimer_hi",
    "total_smem_size",
    "aggr_smem_size",
    "dynamic_smem_size",
    "reserved_smem_offset_begin",
    "reserved_smem_offset_end",
    "reserved_smem_offset_cap",
    "reserved_smem_offset_0",
    "reserved_smem_offset_1",
    "current_graph_exec",
    "pm0",
    "pm1",
    "pm2",
    "pm3",
    "pm4",
    "pm5",
    "pm6",
];

fn is_special_register(name: &str) -> bool {
    let Some(name) = name.strip_prefix('%') else {
        return false;
    };
    let environment = name
        .strip_prefix("envreg")
        .is_some_and(|index| index.parse::<u8>().is_ok());
    environment || SPECIAL_REGISTERS.contains(&name)
}

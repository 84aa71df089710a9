//! What a tree has to be before it is translated: every name declared, once, as what it is used as; a 64-bit module of
//! a version that there is.
//!
//! Instructions are not checked here: one that is not known refuses the kernels that have it, when they are launched.

mod function;
mod labels;
mod scopes;

pub use labels::labels;
pub use scopes::Scopes;

use std::collections::{HashMap, HashSet};

use crate::error::{Error, Position};
use crate::syntax::{Function, Initializer, Linkage, Module, Space, Variable};

/// Versions of the PTX ISA that this reads, the first and the last; 9.x is taken as a whole.
const VERSIONS: [(u32, u32); 2] = [(3, 0), (9, 9)];

/// Checks a module.
pub fn check(module: &Module<'_>) -> Result<(), Error> {
    directives(module)?;
    let names = names(module)?;
    for variable in &module.variables {
        variable_is_sound(variable)?;
        initializer(variable, &names)?;
    }
    for (_, old, position) in &module.aliases {
        if !names.contains_key(old) {
            return Err(undeclared(old, *position));
        }
    }
    module
        .functions
        .iter()
        .try_for_each(|each| function::check(each, &names))
}

/// What a name of the module stands for.
#[derive(Clone, Copy)]
pub enum Named<'m, 'a> {
    /// A variable.
    Variable,
    /// A kernel or a function.
    Function(&'m Function<'a>),
}

/// The names of a module.
pub type Names<'m, 'a> = HashMap<&'a str, Named<'m, 'a>>;

/// That a name is not declared.
pub fn undeclared(name: &str, position: Position) -> Error {
    Error::new(position, format!("`{name}` is not declared"))
}

fn directives(module: &Module<'_>) -> Result<(), Error> {
    let begin = Position { line: 1, column: 1 };
    let Some((version, position)) = module.version else {
        return Err(Error::new(begin, "a module begins with `.version`"));
    };
    let [first, last] = VERSIONS;
    if !(first..=last).contains(&version) {
        let (major, minor) = version;
        let what = format!(
            "version {major}.{minor} is not known; {}.{} to {}.x are",
            first.0, first.1, last.0
        );
        return Err(Error::new(position, what));
    }
    match module.address_size {
        Some((64, _)) => Ok(()),
        Some((size, position)) => Err(Error::new(
            position,
            format!("addresses have {size} bits; the device's have 64"),
        )),
        None => Err(Error::new(
            position,
            "without `.address_size 64` addresses have 32 bits; the device's have 64",
        )),
    }
}

/// Declares what the module has. A function may be declared again, before and after its definition.
fn names<'m, 'a>(module: &'m Module<'a>) -> Result<Names<'m, 'a>, Error> {
    let mut names = Names::new();
    let twice =
        |name: &str, position| Err(Error::new(position, format!("`{name}` is there twice")));
    let mut defined = HashSet::new();
    for variable in &module.variables {
        names.insert(variable.name, Named::Variable);
        let is_definition = variable.linkage != Linkage::External;
        if is_definition && !defined.insert(variable.name) {
            return twice(variable.name, variable.position);
        }
    }
    for function in &module.functions {
        let known = names.get(function.name);
        match known {
            Some(Named::Variable) => return twice(function.name, function.position),
            Some(Named::Function(other)) if other.body.is_some() => {
                if function.body.is_some() {
                    return twice(function.name, function.position);
                }
            }
            _ => {
                names.insert(function.name, Named::Function(function));
            }
        }
    }
    for (new, old, position) in &module.aliases {
        match names.get(old) {
            Some(known @ Named::Function(_)) => {
                let known = *known;
                names.insert(new, known);
            }
            _ => return Err(undeclared(old, *position)),
        }
    }
    Ok(names)
}

/// Checks what holds for variables of modules and functions alike.
fn variable_is_sound(variable: &Variable<'_>) -> Result<(), Error> {
    let error = |what: &str| {
        Err(Error::new(
            variable.position,
            format!("`{}` {what}", variable.name),
        ))
    };
    let elements = variable
        .elements
        .unwrap_or(1)
        .saturating_mul(variable.vector);
    match &variable.initializer {
        Some(_) if !matches!(variable.space, Space::Global | Space::Constant) => {
            error("has a state space without first values")
        }
        Some(values) if variable.elements != Some(0) && values.len() as u64 > elements => {
            error("has more first values than elements")
        }
        None if variable.initializer.is_none()
            && variable.bytes() > SMALL
            && variable.space == Space::Local =>
        {
            error("is larger than a thread's local memory")
        }
        _ => Ok(()),
    }
}

/// The local memory of a thread, in bytes (CUDA C++ Programming Guide, "Compute Capabilities").
const SMALL: u64 = 512 << 10;

fn initializer(variable: &Variable<'_>, names: &Names<'_, '_>) -> Result<(), Error> {
    for value in variable.initializer.iter().flatten() {
        if let Initializer::Address { name, .. } = value
            && !names.contains_key(name)
        {
            return Err(undeclared(name, variable.position));
        }
    }
    Ok(())
}

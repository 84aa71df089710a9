//! Replaces inline assembly, and intrinsics that stand for some, by functions in LLVM assembly, and inlines them.
//!
//! Needs: host triple and layout. Kernels with an instruction that is not known are refused.

use std::collections::{BTreeSet, HashMap};

use anyhow::Result;

use super::dialect::Dialect;
use super::host::Architecture;
use super::lower::nvptx::assembly::Assembly;
use super::refusal::{self, Refused};
use super::unit::Unit;
use crate::analysis::source_locations::describe;
use crate::ir::{Builder, Type, Value};

/// Functions that stand for inline assembly.
#[derive(Default)]
struct Translations {
    /// The name of the function by what tells the assembly apart.
    names: HashMap<String, String>,
    /// Declarations, each once.
    declarations: BTreeSet<String>,
    definitions: String,
}

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let mut translations = Translations::default();
    let (mut calls, mut refused) = (Vec::new(), Vec::new());
    for function in unit.module.definitions() {
        for call in function
            .instructions()
            .into_iter()
            .filter(|it| it.is_call())
        {
            let Some((text, constraints)) = text_of(unit, call) else {
                continue;
            };
            if is_empty(&text) {
                keep_empty(unit, call);
                continue;
            }
            match translations.add(unit, call, &text, &constraints) {
                Ok(name) => calls.push((call, name)),
                Err(what) => {
                    let why = reason(unit, call, &what);
                    refused.push(Refused { call, why });
                }
            }
        }
    }
    refusal::refuse(unit, refused)?;
    if calls.is_empty() {
        return Ok(());
    }
    let declarations: String = translations.declarations.into_iter().collect();
    let prelude = (unit.dialect.assembly_prelude)();
    unit.add_library(&format!(
        "{prelude}{declarations}{}",
        translations.definitions
    ))?;
    for (call, name) in calls {
        let function = unit.library_function(&name)?;
        let replacement =
            Builder::before(unit.context(), call).call_function(function, &call.arguments());
        // SAFETY: each call is in the list once.
        unsafe { call.replace_with(replacement) };
    }
    // At once, so that each synchronisation is a call site of the program's.
    unit.machine.run_passes(&unit.module, "always-inline")
}

/// The inline assembly that a call is or stands for, and its constraints.
fn text_of(unit: &Unit, call: Value) -> Option<(String, String)> {
    let called = call.called();
    if called.is_inline_assembly() {
        return Some((called.assembly_text(), called.assembly_constraints()));
    }
    let function = call.called_function().filter(|it| it.is_declaration())?;
    let results = results(call.ty()).len();
    (unit.dialect.as_assembly)(&function.name(), results, call.arguments().len())
}

/// The types of a call's results.
fn results(ty: Type) -> Vec<Type> {
    match ty {
        _ if ty.is_void() => Vec::new(),
        _ if ty.is_structure() => ty.fields(),
        _ => vec![ty],
    }
}

/// Why a call of inline assembly cannot run. In an image that was PTX, it is an instruction of that.
fn reason(unit: &Unit, call: Value, what: &str) -> String {
    let place = describe(unit.context(), call);
    let what = what.strip_prefix(ptx::UNKNOWN).unwrap_or(what);
    match call.instruction_metadata_int(unit.context(), ptx::LINE_METADATA) {
        Some(line) => {
            format!("the virtual GPU cannot run the PTX instruction `{what}`, line {line}, {place}")
        }
        None => format!(
            "the virtual GPU cannot run the inline {} assembly `{what}` {place}; \
             use the compiler's builtin or an OpenMP construct",
            unit.dialect.target.name
        ),
    }
}

impl Translations {
    /// The function that does what the assembly of `call` does. The error is what is not known of it.
    fn add(
        &mut self,
        unit: &Unit,
        call: Value,
        text: &str,
        constraints: &str,
    ) -> std::result::Result<String, String> {
        let print = |types: Vec<Type>| types.into_iter().map(Type::print).collect::<Vec<_>>();
        let result = call.ty();
        let results = print(results(result));
        let arguments = call.arguments();
        let parameters = print(arguments.iter().map(|argument| argument.ty()).collect());
        let constants: Vec<_> = arguments.iter().map(|argument| argument.as_int()).collect();
        let key = format!("{text}\0{constraints}\0{results:?}{parameters:?}{constants:?}");
        if let Some(name) = self.names.get(&key) {
            return Ok(name.clone());
        }
        let translation = (unit.dialect.assembly)(&Assembly {
            text,
            constraints,
            results: &results,
            parameters: &parameters,
            constants: &constants,
        })?;
        let name = format!("assembly.{}", self.names.len());
        let named: Vec<_> = parameters
            .iter()
            .enumerate()
            .map(|(index, ty)| format!("{ty} %a{index}"))
            .collect();
        self.definitions += &format!(
            "define {} @{name}({}) alwaysinline nounwind {{\n{}}}\n",
            result.print(),
            named.join(", "),
            translation.body
        );
        self.declarations.extend(translation.declarations);
        self.names.insert(key, name.clone());
        Ok(name)
    }
}

/// Whether assembly has nothing but comments.
fn is_empty(text: &str) -> bool {
    text.split([';', '\n']).map(str::trim).all(is_comment)
}

fn is_comment(statement: &str) -> bool {
    statement.is_empty() || statement.starts_with("//")
}

/// Keeps empty assembly, which only restrains the compiler, with the host's register letters.
fn keep_empty(unit: &Unit, call: Value) {
    let assembly = call.called();
    let constraints: Vec<_> = assembly
        .assembly_constraints()
        .split(',')
        .map(|constraint| host_constraint(unit.dialect, unit.options.host, constraint))
        .collect();
    let kept = Value::inline_assembly(call.called_type(), "", &constraints.join(","), true);
    let replacement =
        Builder::before(unit.context(), call).call(kept, call.called_type(), &call.arguments());
    // SAFETY: `run` looks at each call once.
    unsafe { call.replace_with(replacement) };
}

/// A constraint with the host's register letters.
fn host_constraint(dialect: &Dialect, host: Architecture, constraint: &str) -> String {
    if constraint.starts_with('~') {
        return constraint.to_owned();
    }
    let letters = constraint.chars();
    letters
        .map(|letter| (dialect.register_class)(letter, host))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::dialect::DIALECTS;
    use super::*;

    #[test]
    fn register_letters_become_the_hosts() {
        let on = |host, constraint| host_constraint(&DIALECTS[0], host, constraint);
        assert_eq!(on(Architecture::X86_64, "=f"), "=x");
        assert_eq!(on(Architecture::Aarch64, "=f"), "=w");
        for host in [Architecture::X86_64, Architecture::Aarch64] {
            assert_eq!(on(host, "l"), "r");
            assert_eq!(on(host, "~{memory}"), "~{memory}");
        }
    }
}

//! Constructors and destructors of a module.
//!
//! LLVM's NVPTX back end writes for each a constant with the function's address, whose name ends in the priority. The
//! program that loads the module calls them.

use super::module::Context;
use super::names;
use crate::syntax::{Initializer, Module};

/// How LLVM's constants begin, and the list of LLVM assembly that has the same.
const LISTS: [(&str, &str); 2] = [
    ("__init_array_object_", "llvm.global_ctors"),
    ("__fini_array_object_", "llvm.global_dtors"),
];

/// The lists of a module.
pub fn lists(context: &Context<'_, '_>, module: &Module<'_>) -> String {
    LISTS
        .iter()
        .map(|(prefix, list)| of(context, module, prefix, list))
        .collect()
}

fn of(context: &Context<'_, '_>, module: &Module<'_>, prefix: &str, list: &str) -> String {
    let mut entries = Vec::new();
    for variable in &module.variables {
        let priority = variable
            .name
            .strip_prefix(prefix)
            .and_then(|rest| rest.rsplit('_').next());
        let (Some(Ok(priority)), Some([Initializer::Address { name, .. }])) = (
            priority.map(str::parse::<u32>),
            variable.initializer.as_deref(),
        ) else {
            continue;
        };
        let function = context.function(name).filter(|function| {
            function.body.is_some() && function.results.is_empty() && function.parameters.is_empty()
        });
        if let Some(function) = function {
            let name = names::global(function.name);
            entries.push(format!(
                "{{ i32, ptr, ptr }} {{ i32 {priority}, ptr {name}, ptr null }}"
            ));
        }
    }
    match entries.len() {
        0 => String::new(),
        count => format!(
            "@{list} = appending global [{count} x {{ i32, ptr, ptr }}] [{}]\n",
            entries.join(", ")
        ),
    }
}

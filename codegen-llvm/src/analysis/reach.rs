//! What a kernel can reach: the functions that it may call, and the variables that they use.

use std::collections::{HashMap, HashSet};

use crate::ir::{Module, Value};

/// The global variables that code reachable from `kernel` mentions, or may.
///
/// Functions whose address is in a variable's initializer (virtual tables, tables of functions) or
/// is stored to memory are taken as reachable from every kernel.
pub fn variables(module: &Module, kernel: Value) -> HashSet<Value> {
    let mut roots = vec![kernel];
    roots.extend(escaped(module));
    variables_from(roots)
}

/// The global variables that code reachable from these functions mentions.
///
/// A function is reachable if reachable code mentions it at all: calls it, or passes its address on.
pub fn variables_from(functions: Vec<Value>) -> HashSet<Value> {
    let mut reached = HashSet::new();
    let mut pending = functions;
    let mut seen: HashSet<Value> = pending.iter().copied().collect();
    let mut known = HashMap::new();
    while let Some(function) = pending.pop() {
        for operand in function
            .instructions()
            .into_iter()
            .flat_map(Value::operands)
        {
            for global in globals_in(operand, &mut known) {
                if global.is_function() {
                    if seen.insert(global) {
                        pending.push(global);
                    }
                } else {
                    reached.insert(global);
                }
            }
        }
    }
    reached
}

/// The functions and variables, without intrinsics, that code reachable from these functions mentions, and that the
/// initializers of these variables mention. In the order in which they are found.
pub fn mentioned(functions: Vec<Value>) -> Vec<Value> {
    let mut found = functions;
    let mut seen: HashSet<Value> = found.iter().copied().collect();
    let mut known = HashMap::new();
    let mut next = 0;
    while let Some(&symbol) = found.get(next) {
        next += 1;
        let operands = match symbol.is_function() {
            true => symbol
                .instructions()
                .into_iter()
                .flat_map(Value::operands)
                .collect(),
            false => Vec::from_iter(symbol.initializer()),
        };
        for operand in operands {
            let new = globals_in(operand, &mut known);
            found.extend(new.into_iter().filter(|global| seen.insert(*global)));
        }
    }
    found
}

/// Functions whose address leaves the code that names it, other than as the argument of a call.
fn escaped(module: &Module) -> Vec<Value> {
    let escapes = |function: &Value| function.users().into_iter().any(|user| !user.is_call());
    module.definitions().into_iter().filter(escapes).collect()
}

/// The functions and variables an operand mentions, itself or inside a constant.
fn globals_in(value: Value, known: &mut HashMap<Value, Vec<Value>>) -> Vec<Value> {
    if value.is_function() || value.is_global_variable() {
        return vec![value];
    }
    if let Some(found) = known.get(&value) {
        return found.clone();
    }
    let found: Vec<_> = value
        .constant_operands()
        .into_iter()
        .flat_map(|operand| globals_in(operand, known))
        .collect();
    if value.is_constant() {
        known.insert(value, found.clone());
    }
    found
}

//! A module: its variables, its functions, what they declare.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::debug::Debug;
use super::function;
use super::{constructors, library, names, shared_offsets, space};
use crate::syntax::{Function, Initializer, Linkage, Module, Space, Variable};

/// What functions need of their module.
pub struct Context<'m, 'a> {
    /// Variables by name.
    pub variables: HashMap<&'a str, &'m Variable<'a>>,
    /// Functions by name, their definitions if there are any.
    pub functions: HashMap<&'a str, &'m Function<'a>>,
    /// What other names of functions stand for.
    pub aliases: HashMap<&'a str, &'a str>,
    /// Metadata.
    pub debug: Debug<'a>,
    /// Declarations of functions and intrinsics.
    pub declarations: BTreeSet<String>,
    /// Whether addresses of shared memory count from 0: no variable has one.
    pub shared_from_zero: bool,
    /// Variables that functions declare but that belong to the module.
    pub statics: BTreeSet<String>,
}

/// LLVM assembly of a module.
pub fn module(module: &Module<'_>) -> String {
    let mut context = context(module);
    let arch = module.target.first().copied().unwrap_or("sm_50");
    let mut text =
        format!("target triple = \"nvptx64-nvidia-cuda\"\ntarget datalayout = \"{LAYOUT}\"\n");
    let mut done = HashSet::new();
    for variable in &module.variables {
        // Declared before, defined later.
        let is_definition = variable.linkage != Linkage::External;
        let best = context.variables[variable.name];
        if (is_definition || best.linkage == Linkage::External) && done.insert(variable.name) {
            text += &global(&context, &names::global(variable.name), variable);
        }
    }
    text += &constructors::lists(&context, module);
    let mut bodies = String::new();
    let mut defined = HashSet::new();
    for each in &module.functions {
        if each.body.is_some() && defined.insert(each.name) {
            bodies += &function::definition(&mut context, each);
        }
    }
    text.extend(context.statics.iter().map(String::as_str));
    for declaration in &context.declarations {
        text += declaration;
        text.push('\n');
    }
    text += &bodies;
    text += &attributes(module, arch);
    text + &context.debug.text()
}

/// LLVM's layout of NVPTX's types.
const LAYOUT: &str = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

fn context<'m, 'a>(module: &'m Module<'a>) -> Context<'m, 'a> {
    let mut variables = HashMap::new();
    for variable in &module.variables {
        let known = variables.entry(variable.name).or_insert(variable);
        if known.linkage == Linkage::External {
            *known = variable;
        }
    }
    let mut functions = HashMap::new();
    for function in &module.functions {
        let known = functions.entry(function.name).or_insert(function);
        if known.body.is_none() {
            *known = function;
        }
    }
    Context {
        variables,
        functions,
        aliases: module
            .aliases
            .iter()
            .map(|(new, old, _)| (*new, *old))
            .collect(),
        debug: Debug::new(module),
        shared_from_zero: shared_offsets::count_from_zero(module),
        declarations: BTreeSet::new(),
        statics: BTreeSet::new(),
    }
}

impl<'m, 'a> Context<'m, 'a> {
    /// The function that a name stands for.
    pub fn function(&self, name: &str) -> Option<&'m Function<'a>> {
        let name = self.aliases.get(name).copied().unwrap_or(name);
        self.functions.get(name).copied()
    }

    /// The generic address of something of the module. `None`: it is a function that nobody defines.
    pub fn address(&mut self, name: &str) -> Option<String> {
        if let Some(variable) = self.variables.get(name) {
            return Some(space::generic(&names::global(name), variable.space));
        }
        let function = self.function(name)?;
        if function.body.is_some() {
            return Some(names::global(function.name));
        }
        let signature = library::signature(function.name)?;
        self.declare_library(function.name, &signature);
        Some(names::global(function.name))
    }

    /// Declares a library's function.
    pub fn declare_library(&mut self, name: &str, signature: &library::Signature) {
        let parameters = signature.parameters.join(", ");
        let name = names::global(name);
        self.declarations
            .insert(format!("declare {} {name}({parameters})", signature.result));
    }
}

/// A variable. Names that other modules do not see are visible here: CUDA's functions find them, too.
pub fn global(context: &Context<'_, '_>, name: &str, variable: &Variable<'_>) -> String {
    let number = space::number(variable.space);
    let align = variable.align;
    let bytes = variable.bytes();
    // The module is the whole program. What nobody defines is defined by its size, as ptxas does it (Taichi).
    // The device runtime's variables come with the runtime.
    let is_declared = variable.linkage == Linkage::External && name.starts_with("@\"omptarget");
    let is_unsized = variable.elements == Some(0);
    if is_declared
        || (is_unsized
            && (variable.linkage == Linkage::External || variable.space == Space::Shared))
    {
        return format!(
            "{name} = external addrspace({number}) global [{bytes} x i8], align {align}\n"
        );
    }
    if variable.space == Space::Shared {
        return format!(
            "{name} = internal addrspace(3) global [{bytes} x i8] undef, align {align}\n"
        );
    }
    let linkage = if variable.linkage == Linkage::Weak {
        "weak "
    } else {
        ""
    };
    let (ty, value) = match &variable.initializer {
        Some(values) => initial(context, variable, values),
        None => (format!("[{bytes} x i8]"), "zeroinitializer".to_owned()),
    };
    let ty = if ty.is_empty() {
        "[0 x i8]".to_owned()
    } else {
        ty
    };
    let word = if variable.space == Space::Constant {
        "externally_initialized global"
    } else {
        "global"
    };
    format!("{name} = {linkage}addrspace({number}) {word} {ty} {value}, align {align}\n")
}

/// Type and text of a first value.
fn initial(
    context: &Context<'_, '_>,
    variable: &Variable<'_>,
    values: &[Initializer<'_>],
) -> (String, String) {
    let bits = variable.ty.bits.max(8);
    if variable.is_scalar()
        && let [Initializer::Number(number)] = values
    {
        return (format!("i{bits}"), masked(*number, bits).to_string());
    }
    let said = variable.elements.unwrap_or(1) * variable.vector;
    let count = if said == 0 { values.len() as u64 } else { said };
    let mut texts = match numbers(values, bits) {
        Some(text) => vec![text],
        None => with_addresses(context, bits, values),
    };
    let rest = count.saturating_sub(values.len() as u64);
    if rest > 0 {
        texts.push(format!("[{rest} x i{bits}] zeroinitializer"));
    }
    let types: Vec<_> = texts.iter().map(|text| type_of(text)).collect();
    (
        format!("<{{ {} }}>", types.join(", ")),
        format!("<{{ {} }}>", texts.join(", ")),
    )
}

/// An array, if no value is an address.
fn numbers(values: &[Initializer<'_>], bits: u32) -> Option<String> {
    let number = |value: &Initializer<'_>| match value {
        Initializer::Number(number) => Some(format!("i{bits} {}", masked(*number, bits))),
        Initializer::Address { .. } => None,
    };
    let numbers: Option<Vec<_>> = values.iter().map(number).collect();
    Some(format!(
        "[{} x i{bits}] [{}]",
        values.len(),
        numbers?.join(", ")
    ))
}

fn masked(number: u64, bits: u32) -> u64 {
    match bits {
        64.. => number,
        _ => number & ((1 << bits) - 1),
    }
}

fn with_addresses(context: &Context<'_, '_>, bits: u32, values: &[Initializer<'_>]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut index = 0;
    while index < values.len() {
        let (text, used) = element(context, bits, &values[index..]);
        texts.push(text);
        index += used;
    }
    texts
}

/// The type of `type value`, where types may have brackets.
fn type_of(text: &str) -> &str {
    match text.starts_with('[') {
        true => text.split_inclusive(']').next().unwrap_or(text),
        false => text.split(' ').next().unwrap_or(text),
    }
}

/// A typed value, and how many elements it stands for: masks name the bytes of an address one by one.
fn element(context: &Context<'_, '_>, bits: u32, values: &[Initializer<'_>]) -> (String, usize) {
    let Some(Initializer::Address {
        name, addend, mask, ..
    }) = values.first()
    else {
        let number = match values.first() {
            Some(Initializer::Number(number)) => masked(*number, bits),
            _ => 0,
        };
        return (format!("i{bits} {number}"), 1);
    };
    let used = match mask {
        Some(_) => values
            .iter()
            .take(8)
            .filter(|value| is_part_of(value, name))
            .count(),
        None => 1,
    };
    let address = match (context.variables.get(name), context.function(name)) {
        (Some(variable), _) => space::generic(&names::global(name), variable.space),
        (None, Some(function)) if function.body.is_some() => names::global(function.name),
        _ => "null".to_owned(),
    };
    let moved = match addend {
        0 => address,
        _ => format!("getelementptr (i8, ptr {address}, i64 {addend})"),
    };
    let size = bits * used as u32;
    match size {
        64 => (format!("i64 ptrtoint (ptr {moved} to i64)"), used),
        _ => (
            format!("i{size} trunc (i64 ptrtoint (ptr {moved} to i64) to i{size})"),
            used,
        ),
    }
}

fn is_part_of(value: &Initializer<'_>, wanted: &str) -> bool {
    matches!(value, Initializer::Address { name, mask: Some(_), .. } if *name == wanted)
}

/// Attributes of kernels and functions, and of calls: what threads do together may not be duplicated.
fn attributes(module: &Module<'_>, arch: &str) -> String {
    let (major, minor) = module.version.map_or((7, 0), |(version, _)| version);
    format!(
        "attributes #0 = {{ convergent nounwind \"target-cpu\"=\"{}\" \"target-features\"=\"+ptx{major}{minor}\" }}\n\
         attributes #1 = {{ convergent nounwind }}\n",
        super::debug::escaped(arch)
    )
}

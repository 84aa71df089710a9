//! Makes modules for SPIR, as the readers of SPIR-V leave them, ones for NVPTX.
//!
//! The two number address spaces otherwise, SPIR has calling conventions of its own, and the names of built-in
//! functions have the numbers of address spaces in them ([`mangling`](super::mangling)). Types of pointers are
//! everywhere in a module, so it is its assembly that is rewritten.
//!
//! | address space | SPIR | NVPTX |
//! |---|---|---|
//! | private | 0 | 0 |
//! | global | 1 | 1 |
//! | constant | 2 | 4 |
//! | local | 3 | 3 |
//! | generic | 4 | 0 |

use anyhow::Result;

use super::{TRIPLE, mangling};
use crate::ir::Module;

/// What triples of such modules begin with.
const SPIR: &str = "spir64-";

/// The module for NVPTX; one that is not for SPIR stays as it is.
pub fn retarget(module: Module) -> Result<Module> {
    if !module.triple().starts_with(SPIR) {
        return Ok(module);
    }
    let rewritten = rewrite(&module.print());
    let module = Module::parse(module.context, &rewritten, "a module of SPIR-V")?;
    module.set_triple(TRIPLE);
    Ok(module)
}

fn rewrite(assembly: &str) -> String {
    let is_of_target = |line: &&str| !line.starts_with("target ");
    let mut text = String::with_capacity(assembly.len());
    for line in assembly.lines().filter(is_of_target) {
        // Texts are between quotes, and have none in them.
        for (index, part) in line.split('"').enumerate() {
            if index > 0 {
                text.push('"');
            }
            match index % 2 {
                0 => text += &code(part),
                _ => text += part,
            }
        }
        text.push('\n');
    }
    text
}

fn code(part: &str) -> String {
    let part = part
        .replace("spir_kernel ", "ptx_kernel ")
        .replace("spir_func ", "")
        .replace(" addrspace(4)", "")
        .replace("addrspace(2)", "addrspace(4)");
    names(&no_cast(&part))
}

/// Casts from private to generic memory change nothing by now.
fn no_cast(line: &str) -> String {
    let is_none = line
        .split_once(" addrspacecast ptr %")
        .is_some_and(|(_, rest)| {
            rest.split_once(" to ptr")
                .is_some_and(|(_, rest)| !rest.starts_with(" addrspace("))
        });
    match is_none {
        true => line.replace(" addrspacecast ptr %", " bitcast ptr %"),
        false => line.to_owned(),
    }
}

/// The names of functions, mangled for NVPTX.
fn names(line: &str) -> String {
    let mut parts = line.split("@_Z");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "._$".contains(letter);
        let end = part
            .find(|letter| !is_of_name(letter))
            .unwrap_or(part.len());
        let name = format!("_Z{}", &part[..end]);
        text.push('@');
        text += &mangling::renumbered(&name, space).unwrap_or(name);
        text += &part[end..];
    }
    text
}

/// NVPTX's number of SPIR's address space.
fn space(number: u32) -> u32 {
    match number {
        2 => 4,
        4 => 0,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_conventions_and_names_change_and_texts_stay() {
        let text = rewrite(
            "target triple = \"spir64-unknown-unknown\"\n\
             @s = internal addrspace(2) constant [16 x i8] c\" addrspace(4) @_Z1f\\00\"\n\
             define spir_kernel void @k(ptr addrspace(1) %a) {\n\
             \x20 %g = addrspacecast ptr %p to ptr addrspace(4)\n\
             \x20 %h = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)\n\
             \x20 %x = call spir_func float @_Z5fractfPU3AS4f(float %y, ptr addrspace(4) %g)\n",
        );
        assert_eq!(
            text,
            "@s = internal addrspace(4) constant [16 x i8] c\" addrspace(4) @_Z1f\\00\"\n\
             define ptx_kernel void @k(ptr addrspace(1) %a) {\n\
             \x20 %g = bitcast ptr %p to ptr\n\
             \x20 %h = addrspacecast ptr addrspace(1) %a to ptr\n\
             \x20 %x = call float @_Z5fractfPf(float %y, ptr %g)\n"
        );
    }
}

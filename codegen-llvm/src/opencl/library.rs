//! Makes the file of built-in functions from the modules that define them.
//!
//! The file is text, so that a program can take single functions from it, and no more is parsed than is linked: a
//! program that calls one function should not wait for the ten thousand that there are. A first line with the length of
//! the index, the index (name, offset and length of each symbol's definition, in the order of names), what every
//! definition may need (types, attributes), the definitions.

use anyhow::{Result, bail};
use llvm_sys::LLVMLinkage::LLVMWeakAnyLinkage;

use crate::ir::{Context, Module};

/// What the file begins with.
pub const MAGIC: &str = "omptarget-opencl-builtins-1";
/// The name of the index's first line: what every definition may need.
pub const COMMON: &str = "*";

/// The file, from the modules; where two define a function, the first counts.
pub fn make(context: Context, inputs: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut modules = inputs.iter().map(|bytes| Module::read(context, bytes));
    let Some(first) = modules.next() else {
        bail!("there is no module");
    };
    let first = first?;
    for module in modules {
        let module = module?;
        for function in module.definitions() {
            let is_ours = |own: crate::ir::Value| !own.is_declaration();
            if first.function(&function.name()).is_some_and(is_ours) {
                function.set_linkage(LLVMWeakAnyLinkage);
            }
        }
        module.set_layout(&first.layout_text());
        module.set_triple(&first.triple());
        first.link(module)?;
    }
    // Functions of different targets' features are not inlined into each other.
    for function in first.functions() {
        for key in function.text_attribute_keys() {
            function.remove_text_attribute(&key);
        }
    }
    Ok(text(&first.print()))
}

/// The file, from a module's assembly.
fn text(assembly: &str) -> Vec<u8> {
    let (mut common, mut symbols) = (String::new(), Vec::new());
    let mut lines = assembly.lines();
    while let Some(line) = lines.next() {
        match line.as_bytes().first() {
            Some(b'%') => push_line(&mut common, line),
            Some(b'a') if line.starts_with("attributes #") => push_line(&mut common, line),
            Some(b'@') => symbols.push((name_in(line), plain(line))),
            Some(b'd') if line.starts_with("declare ") => {
                symbols.push((name_in(line), plain(line)));
            }
            Some(b'd') if line.starts_with("define ") => {
                let mut body = plain(line);
                for line in lines.by_ref() {
                    body += &plain(line);
                    if line == "}" {
                        break;
                    }
                }
                symbols.push((name_in(line), body));
            }
            _ => {}
        }
    }
    symbols.push((COMMON.to_owned(), common));
    symbols.sort();
    let (mut index, mut data) = (String::new(), String::new());
    for (name, body) in symbols {
        index += &format!("{name} {} {}\n", data.len(), body.len());
        data += &body;
    }
    format!("{MAGIC} {}\n{index}{data}", index.len()).into_bytes()
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// A line without its metadata, whose numbers mean something in the whole module only.
fn plain(line: &str) -> String {
    // The scope of what was inlined is metadata that the loads and stores have lost.
    if line.contains("@llvm.experimental.noalias.scope.decl(metadata") {
        return String::new();
    }
    let mut rest = line;
    while let Some((before, last)) = rest.rsplit_once(", !") {
        let is_reference = last
            .split_once(" !")
            .is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_reference {
            break;
        }
        rest = before;
    }
    format!("{rest}\n")
}

/// The first symbol's name in a line.
fn name_in(line: &str) -> String {
    super::builtins::names(line)
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_goes_and_the_rest_stays() {
        assert_eq!(
            plain("  %1 = load i32, ptr %0, align 4, !tbaa !5, !range !7"),
            "  %1 = load i32, ptr %0, align 4\n"
        );
        assert_eq!(plain("  br label %2, !llvm.loop !9"), "  br label %2\n");
        assert_eq!(plain("  ret i32 0"), "  ret i32 0\n");
        let scope = "  call void @llvm.experimental.noalias.scope.decl(metadata !3)";
        assert_eq!(plain(scope), "");
    }

    #[test]
    fn symbols_are_in_the_index() {
        let file = text(
            "%s = type { i32 }\n@v = constant i32 1\ndefine i32 @f() #0 {\n  ret i32 0\n}\ndeclare void @g()\n\
             attributes #0 = { nounwind }\n!0 = !{}\n",
        );
        let file = String::from_utf8(file).unwrap();
        let lines: Vec<&str> = file.lines().collect();
        assert!(lines[0].starts_with(MAGIC), "{file}");
        let names: Vec<_> = lines[1..5]
            .iter()
            .map(|line| line.split(' ').next().unwrap())
            .collect();
        assert_eq!(names, ["*", "f", "g", "v"]);
        assert!(file.ends_with("@v = constant i32 1\n"), "{file}");
    }
}

//! Rewrites `printf` into the devices' `vprintf`, which takes a format of C's and a buffer of arguments, each aligned
//! to its size (OpenCL C 3.0, 6.15.14).
//!
//! OpenCL has conversions of vectors (`%v4f`), which C lacks: each becomes as many conversions of scalars, with commas
//! between them.

use anyhow::Result;
use llvm_sys::LLVMLinkage::LLVMPrivateLinkage;
use llvm_sys::LLVMOpcode::LLVMFPExt;

use crate::ir::{Builder, Module, Type, Value};

/// The pass.
pub fn run(module: &Module) -> Result<()> {
    let Some(printf) = module.function("printf").filter(|f| f.is_declaration()) else {
        return Ok(());
    };
    for call in printf.users() {
        if call.is_call() && call.called() == printf {
            rewrite(module, call);
        }
    }
    Ok(())
}

fn rewrite(module: &Module, call: Value) {
    let context = module.context;
    let builder = Builder::before(context, call);
    let arguments = call.arguments();
    let (pointer, int) = (Type::pointer(context), Type::int(context, 32));
    let format = match arguments[0].initializer_text() {
        Some(text) => constant(module, &scalar_conversions(&text)),
        None => arguments[0],
    };
    let format = builder.to_space(format, pointer);
    let parts: Vec<Value> = arguments[1..]
        .iter()
        .flat_map(|argument| scalars(&builder, module, *argument))
        .collect();
    let types: Vec<Type> = parts.iter().map(|part| part.ty()).collect();
    let buffer = match parts.is_empty() {
        true => Value::zero(pointer),
        false => {
            let structure = Type::structure(context, &types);
            let first = call.block().function().blocks()[0].instructions()[0];
            let slot = Builder::before(context, first).stack_slot(structure, 8);
            for (index, part) in parts.iter().enumerate() {
                let indices = [0, index as u64].map(|index| Value::int(int, index));
                builder.store(*part, builder.element_pointer(structure, slot, &indices));
            }
            slot
        }
    };
    let vprintf = module.declare("vprintf", Type::function(int, &[pointer, pointer]));
    builder.call_function(vprintf, &[format, buffer]);
    // SAFETY: the snapshot's handle of this call is not used again.
    unsafe { call.replace_with(Value::zero(int)) };
}

/// An argument's elements, promoted as C promotes arguments that no parameter describes.
fn scalars(builder: &Builder, module: &Module, argument: Value) -> Vec<Value> {
    let context = module.context;
    let ty = argument.ty();
    if ty.is_vector() {
        let index = |element| Value::int(Type::int(context, 32), u64::from(element));
        let elements = 0..ty.length();
        return elements
            .flat_map(|element| scalars(builder, module, builder.extract(argument, index(element))))
            .collect();
    }
    vec![if ty.is_pointer() {
        builder.to_space(argument, Type::pointer(context))
    } else if ty.is_float() {
        match ty.print().as_str() {
            "double" => argument,
            _ => builder.cast(LLVMFPExt, argument, Type::double(context)),
        }
    } else if ty.is_int() && ty.int_width() < 32 {
        builder.cast_unsigned(argument, Type::int(context, 32))
    } else {
        argument
    }]
}

fn constant(module: &Module, text: &str) -> Value {
    let value = Value::text(module.context, text);
    let global = module.add_global_in(value.ty(), 4);
    global.set_name("format");
    global.set_linkage(LLVMPrivateLinkage);
    global.set_initializer(value);
    global
}

/// A format without conversions of vectors.
fn scalar_conversions(format: &str) -> String {
    let mut text = String::new();
    let mut rest = format;
    while let Some((before, conversion)) = rest.split_once('%') {
        text += before;
        let is_size = |letter: char| letter.is_ascii_digit() || "-+ #.*".contains(letter);
        let flags = conversion.trim_start_matches(is_size);
        let (flags, conversion) = conversion.split_at(conversion.len() - flags.len());
        let (count, conversion) = vector_length(conversion);
        let letters = conversion.trim_start_matches(['h', 'l']);
        let (length, conversion) = conversion.split_at(conversion.len() - letters.len());
        let end = conversion.chars().next().map_or(0, char::len_utf8);
        let (letter, after) = conversion.split_at(end);
        // `hl`, for elements of 4 bytes, is OpenCL's own; C has no such elements otherwise.
        let length = if length == "hl" { "" } else { length };
        let one = format!("%{flags}{length}{letter}");
        text += &vec![one; count].join(",");
        rest = after;
    }
    text + rest
}

/// The number of elements that `vN` names, and what follows.
fn vector_length(conversion: &str) -> (usize, &str) {
    let lengths = [("v16", 16), ("v2", 2), ("v3", 3), ("v4", 4), ("v8", 8)];
    lengths
        .into_iter()
        .find_map(|(name, count)| Some((count, conversion.strip_prefix(name)?)))
        .unwrap_or((1, conversion))
}

#[cfg(test)]
mod tests {
    use super::scalar_conversions;

    #[test]
    fn vectors_become_scalars() {
        for (opencl, c) in [
            ("plain", "plain"),
            ("%d %5.2f%%", "%d %5.2f%%"),
            ("%v2d", "%d,%d"),
            ("[%5.1v4hlf]", "[%5.1f,%5.1f,%5.1f,%5.1f]"),
            ("%v3hhx|%v2lu", "%hhx,%hhx,%hhx|%lu,%lu"),
            ("%s %", "%s %"),
        ] {
            assert_eq!(scalar_conversions(opencl), c, "{opencl}");
        }
    }
}

//! What a program's kernels are, from clang's metadata (`kernel_arg_*`, `reqd_work_group_size` and its like:
//! `CodeGenFunction::EmitKernelMetadata`).

use codegen::opencl::{Argument, ArgumentKind, Kernel, Manifest, Space};

use crate::analysis::kernels;
use crate::analysis::target::SHARED;
use crate::ir::{Module, Type, Value, metadata_string};

/// The manifest of a linked program.
pub fn read(module: &Module) -> Manifest {
    let layout = module.layout();
    let variables = module.globals().into_iter();
    let at_program_scope =
        variables.filter(|global| global.ty().address_space() == 1 && !global.is_declaration());
    Manifest {
        kernels: kernels::find(module)
            .into_iter()
            .map(|found| kernel(module, found.function))
            .collect(),
        variables: at_program_scope
            .map(|global| layout.alloc_size(global.value_type()))
            .sum(),
    }
}

fn kernel(module: &Module, function: Value) -> Kernel {
    let texts = |kind: &str| -> Vec<String> {
        let operands = function.metadata_operands(module.context, kind);
        let operands = operands.unwrap_or_default().into_iter();
        operands
            .map(|operand| operand.map_or(String::new(), metadata_string))
            .collect()
    };
    let (names, types) = (texts("kernel_arg_name"), texts("kernel_arg_type"));
    let base_types = texts("kernel_arg_base_type");
    let (access, qualifiers) = (
        texts("kernel_arg_access_qual"),
        texts("kernel_arg_type_qual"),
    );
    let spaces = numbers(module, function, "kernel_arg_addr_space");
    let at = |list: &[String], index: usize| list.get(index).cloned().unwrap_or_default();
    let parameters = kernels::parameters(module.layout(), function);
    let arguments = parameters.iter().enumerate().map(|(index, parameter)| {
        let ty = function.parameters()[index].ty();
        let space = space_of(spaces.get(index).copied().unwrap_or(0));
        Argument {
            name: at(&names, index),
            type_name: at(&types, index),
            space,
            access: at(&access, index),
            qualifiers: at(&qualifiers, index),
            kind: kind_of(ty, &at(&base_types, index), space),
            size: parameter.size,
        }
    });
    let arguments = arguments.collect();
    let required = numbers(module, function, "reqd_work_group_size");
    Kernel {
        name: function.name(),
        attributes: attributes(module, function),
        required_size: <[u32; 3]>::try_from(required).ok(),
        arguments,
    }
}

/// The numbers of a function's metadata.
fn numbers(module: &Module, function: Value, kind: &str) -> Vec<u32> {
    let operands = function.metadata_operands(module.context, kind);
    let operands = operands.unwrap_or_default().into_iter().flatten();
    operands
        .filter_map(|operand| Some(operand.as_int()? as u32))
        .collect()
}

/// SPIR's numbers of address spaces, which this metadata has for every target.
fn space_of(number: u32) -> Space {
    match number {
        1 => Space::Global,
        2 => Space::Constant,
        3 => Space::Local,
        _ => Space::Private,
    }
}

fn kind_of(ty: Type, base: &str, space: Space) -> ArgumentKind {
    match space {
        _ if base == "sampler_t" => ArgumentKind::Sampler,
        _ if base.starts_with("image") && base.ends_with("_t") => ArgumentKind::Image,
        Space::Local => ArgumentKind::Local,
        Space::Global | Space::Constant => ArgumentKind::Memory,
        Space::Private if ty.is_pointer() && ty.address_space() == SHARED => ArgumentKind::Local,
        Space::Private => ArgumentKind::Value,
    }
}

/// The kernel's attributes as the source spells them (`CL_KERNEL_ATTRIBUTES`).
fn attributes(module: &Module, function: Value) -> String {
    let mut all = Vec::new();
    for name in ["work_group_size_hint", "reqd_work_group_size"] {
        let sizes = numbers(module, function, name);
        if !sizes.is_empty() {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            all.push(format!("{name}({})", sizes.join(",")));
        }
    }
    let hint = function.metadata_operands(module.context, "vec_type_hint");
    if let Some([Some(ty), Some(is_signed)]) = hint.as_deref() {
        let is_signed = is_signed.as_int() != Some(0);
        all.push(format!("vec_type_hint({})", spelling(ty.ty(), is_signed)));
    }
    all.join(" ")
}

/// A type as OpenCL C spells it.
fn spelling(ty: Type, is_signed: bool) -> String {
    if ty.is_vector() {
        let scalar = spelling(ty.element_type(), is_signed);
        return format!("{scalar}{}", ty.length());
    }
    let name = match ty.print().as_str() {
        "i8" => "char",
        "i16" => "short",
        "i32" => "int",
        "i64" => "long",
        other => return other.to_owned(),
    };
    match is_signed {
        true => name.to_owned(),
        false => format!("u{name}"),
    }
}

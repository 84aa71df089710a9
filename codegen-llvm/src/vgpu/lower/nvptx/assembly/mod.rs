//! PTX's inline assembly as LLVM assembly: registers become local variables, instructions LLVM's or NVPTX's intrinsics.
//!
//! `syntax` parses, `emitter` has the registers and the text, the other files have the instructions by the chapters of
//! the PTX ISA.

mod arithmetic;
mod bits;
mod compare;
mod convert;
mod emitter;
mod float;
mod memory;
mod surface;
mod synchronise;
mod syntax;
mod texture;
mod types;
mod video;
mod warp;

use emitter::Emitter;
use syntax::{Instruction, Operand, Statement};
use types::Ty;

use crate::vgpu::host::Architecture;

/// What every text may use: the shared memory that cooperative groups have for their own.
pub fn prelude() -> String {
    format!(
        "@{} = internal addrspace(3) global [288 x i8] undef, align 16\ndeclare ptr @vgpu.shared_base()\n",
        emitter::RESERVED_SHARED
    )
}

/// NVPTX's register letters as a host's: 16-, 32- and 64-bit integers are `r`.
pub fn register_class(letter: char, host: Architecture) -> char {
    match letter {
        'h' | 'c' | 'l' => 'r',
        'f' | 'd' => host.float_register(),
        other => other,
    }
}

/// Inline assembly that a program calls.
pub struct Assembly<'a> {
    /// The text.
    pub text: &'a str,
    /// LLVM's constraints.
    pub constraints: &'a str,
    /// The types of the outputs.
    pub results: &'a [String],
    /// The types of the inputs.
    pub parameters: &'a [String],
    /// The inputs that are numbers.
    pub constants: &'a [Option<u64>],
}

/// A function that does the same.
pub struct Translation {
    /// The instructions; parameters are `%a0`, `%a1`, ….
    pub body: String,
    /// What they call.
    pub declarations: Vec<String>,
}

/// Translates. The error is the statement that is not known.
pub fn translate(assembly: &Assembly<'_>) -> Result<Translation, String> {
    let whole = || {
        assembly
            .text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let statements = syntax::parse(assembly.text).ok_or_else(whole)?;
    let mut emitter = Emitter::default();
    bind(&mut emitter, assembly).ok_or_else(whole)?;
    for each in &statements {
        statement(&mut emitter, each).ok_or_else(|| described(each))?;
    }
    emit_return(&mut emitter, assembly).ok_or_else(whole)?;
    let body = emitter.body();
    Ok(Translation {
        body,
        declarations: emitter.declarations,
    })
}

fn described(statement: &Statement) -> String {
    match statement {
        Statement::Registers(ty, _) => format!(".reg .{ty}"),
        Statement::Label(name) => format!("{name}:"),
        Statement::Instruction(instruction) => instruction.opcode.join("."),
    }
}

/// Makes a register of each operand of the constraints, outputs first.
fn bind(emitter: &mut Emitter, assembly: &Assembly<'_>) -> Option<()> {
    let operands: Vec<_> = assembly
        .constraints
        .split(',')
        .filter(|it| !it.starts_with('~') && !it.is_empty())
        .collect();
    let outputs = assembly.results.len();
    if operands.len() != outputs + assembly.parameters.len()
        || operands.iter().any(|it| it.contains('*'))
    {
        return None;
    }
    for (index, ty) in assembly.results.iter().enumerate() {
        emitter.register(&format!("${index}"), size_of(ty)?);
    }
    for (index, ty) in assembly.parameters.iter().enumerate() {
        let name = format!("${}", outputs + index);
        let constraint = operands[outputs + index];
        match constraint.parse::<usize>() {
            Ok(output) => emitter.alias(&name, &format!("${output}")),
            Err(_) => emitter.register(&name, size_of(ty)?),
        }
        if let Some(number) = assembly.constants[index] {
            emitter.set_constant(&name, number);
        }
        let value = as_bits(emitter, ty, &format!("%a{index}"))?;
        emitter.store(&name, &value)?;
    }
    Some(())
}

fn emit_return(emitter: &mut Emitter, assembly: &Assembly<'_>) -> Option<()> {
    let mut values = Vec::new();
    for (index, ty) in assembly.results.iter().enumerate() {
        let (bits, value) = emitter.load(&format!("${index}"))?;
        values.push(from_bits(emitter, ty, bits, &value));
    }
    match (assembly.results, values.as_slice()) {
        ([], _) => emitter.line("  ret void"),
        ([ty], [value]) => emitter.line(&format!("  ret {ty} {value}")),
        (types, values) => {
            let whole = format!("{{ {} }}", types.join(", "));
            let mut built = "poison".to_owned();
            for (index, (ty, value)) in types.iter().zip(values).enumerate() {
                built = emitter.op(&format!(
                    "insertvalue {whole} {built}, {ty} {value}, {index}"
                ));
            }
            emitter.line(&format!("  ret {whole} {built}"));
        }
    }
    Some(())
}

/// Bits of a type of LLVM's.
fn size_of(ty: &str) -> Option<u32> {
    Some(match ty {
        "half" | "bfloat" => 16,
        "float" | "<2 x half>" | "<2 x bfloat>" | "<2 x i16>" => 32,
        "double" | "ptr" => 64,
        _ => ty
            .strip_prefix('i')?
            .parse()
            .ok()
            .filter(|bits| *bits <= 64)?,
    })
}

fn as_bits(emitter: &mut Emitter, ty: &str, value: &str) -> Option<String> {
    let bits = size_of(ty)?;
    Some(match ty {
        "ptr" => emitter.op(&format!("ptrtoint ptr {value} to i64")),
        _ if ty.starts_with('i') => value.to_owned(),
        _ => emitter.op(&format!("bitcast {ty} {value} to i{bits}")),
    })
}

fn from_bits(emitter: &mut Emitter, ty: &str, bits: u32, value: &str) -> String {
    match ty {
        "ptr" => emitter.op(&format!("inttoptr i64 {value} to ptr")),
        _ if ty.starts_with('i') => value.to_owned(),
        _ => emitter.op(&format!("bitcast i{bits} {value} to {ty}")),
    }
}

fn statement(emitter: &mut Emitter, statement: &Statement) -> Option<()> {
    match statement {
        Statement::Registers(ty, names) => {
            let bits = Ty::of(ty)?.size();
            names.iter().for_each(|name| emitter.register(name, bits));
        }
        Statement::Label(name) => {
            emitter.line(&format!("  br label %\"L.{name}\""));
            emitter.line(&format!("\"L.{name}\":"));
        }
        Statement::Instruction(instruction) => guarded(emitter, instruction)?,
    }
    Some(())
}

fn guarded(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let Some((name, holds)) = &instruction.guard else {
        return plain(emitter, instruction);
    };
    let (_, predicate) = emitter.load(name)?;
    let (then, after) = (emitter.fresh(), emitter.fresh());
    let (first, second) = if *holds {
        (&then, &after)
    } else {
        (&after, &then)
    };
    emitter.line(&format!(
        "  br i1 {predicate}, label {first}, label {second}"
    ));
    emitter.line(&format!("{}:", &then[1..]));
    plain(emitter, instruction)?;
    emitter.line(&format!("  br label {after}\n{}:", &after[1..]));
    Some(())
}

fn plain(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    if let ("bra", [Operand::Name(label)]) = (
        instruction.opcode[0].as_str(),
        instruction.operands.as_slice(),
    ) {
        let dead = emitter.fresh();
        emitter.line(&format!("  br label %\"L.{label}\"\n{}:", &dead[1..]));
        return Some(());
    }
    let families = [
        arithmetic::emit,
        bits::emit,
        compare::emit,
        convert::emit,
        float::emit,
        memory::emit,
        surface::emit,
        synchronise::emit,
        texture::emit,
        video::emit,
        warp::emit,
    ];
    families
        .iter()
        .find_map(|family| family(emitter, instruction))
}

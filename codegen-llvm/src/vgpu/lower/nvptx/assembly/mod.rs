//! PTX's inline assembly as LLVM assembly: registers become local variables, instructions LLVM's or NVPTX's intrinsics.
//!
//! `syntax` parses, `emitter` has the registers and the text, the other files have the instructions by the chapters of
//! the PTX ISA.

mod arithmetic;
mod atomic;
mod bits;
mod bulk;
mod compare;
mod convert;
mod emitter;
mod extremes;
mod float;
mod matrix;
mod mbarrier;
mod memory;
mod powers;
mod simd_video;
mod small_floats;
mod surface;
mod synchronise;
mod syntax;
mod texture;
mod types;
mod video;
mod warp;

pub use matrix::as_assembly;

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
        "double" | "ptr" | "ptr addrspace(1)" | "ptr addrspace(3)" => 64,
        _ => ty
            .strip_prefix('i')?
            .parse()
            .ok()
            .filter(|bits| *bits <= 128)?,
    })
}

fn as_bits(emitter: &mut Emitter, ty: &str, value: &str) -> Option<String> {
    let bits = size_of(ty)?;
    Some(match ty {
        "ptr" => emitter.op(&format!("ptrtoint ptr {value} to i64")),
        _ if ty.starts_with("ptr") => {
            let generic = emitter.op(&format!("addrspacecast {ty} {value} to ptr"));
            emitter.op(&format!("ptrtoint ptr {generic} to i64"))
        }
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
        bulk::emit,
        compare::emit,
        convert::emit,
        float::emit,
        matrix::emit,
        mbarrier::emit,
        memory::emit,
        surface::emit,
        synchronise::emit,
        texture::emit,
        video::emit,
        simd_video::emit,
        warp::emit,
    ];
    families
        .iter()
        .find_map(|family| family(emitter, instruction))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opcodes of every family.
    const OPCODES: &[&str] = &[
        "add.s32",
        "add.sat.s32",
        "sub.rz.f32",
        "mul.wide.u32",
        "mad.lo.cc.u32",
        "madc.hi.u64",
        "fma.rn.sat.f32",
        "div.rn.f64",
        "min.relu.s16x2",
        "max.xorsign.abs.f32",
        "neg.s64",
        "abs.f16",
        "sad.u32",
        "and.b32",
        "not.b64",
        "shl.b32",
        "shf.l.wrap.b32",
        "popc.b32",
        "clz.b64",
        "brev.b32",
        "bfind.u32",
        "bfe.s32",
        "bfi.b32",
        "prmt.b32",
        "lop3.b32",
        "setp.lt.and.f32",
        "set.eq.u32.s32",
        "selp.b32",
        "slct.f32.s32",
        "cvt.rzi.s32.f32",
        "cvt.rn.f16x2.f32",
        "cvt.rp.f16.f32",
        "cvt.rn.satfinite.e4m3x2.f32",
        "cvt.rn.relu.f16x2.e5m2x2",
        "cvt.pack.sat.u8.s32.b32",
        "ex2.approx.f32",
        "rsqrt.approx.ftz.f64",
        "mov.b64",
        "ld.global.v4.f32",
        "st.shared.b32",
        "atom.add.release.gpu.u32",
        "red.global.add.f32",
        "cp.async.ca.shared.global",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        "mbarrier.arrive.shared.b64",
        "mbarrier.try_wait.parity.shared.b64",
        "cp.async.bulk.global.shared::cta.bulk_group.cp_mask",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16",
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
        "st.bulk.weak.shared::cta",
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128",
        "atom.global.add.v2.f32",
        "fma.rn.f32.f16",
        "mapa.shared::cluster.u32",
        "cvta.to.shared.u64",
        "isspacep.global",
        "prefetch.global.L2",
        "sust.b.2d.b32.trap",
        "suld.b.1d.v2.b32.zero",
        "tex.2d.v4.f32.f32",
        "tld4.r.2d.v4.f32.f32",
        "txq.width.b32",
        "bar.sync",
        "barrier.sync.aligned",
        "membar.gl",
        "fence.sc.sys",
        "nanosleep.u32",
        "bra",
        "vadd.s32.s32.s32.add",
        "vabsdiff4.u32.u32.u32.add",
        "vadd2.s32.s32.s32.sat",
        "vset4.u32.u32.ne",
        "dp4a.s32.s32",
        "dp2a.lo.u32.s32",
        "shfl.sync.down.b32",
        "vote.sync.ballot.b32",
        "match.any.sync.b32",
        "redux.sync.add.s32",
        "redux.sync.min.f32",
        "activemask.b32",
        "elect.sync",
        "trap",
    ];

    fn translated(text: &str) -> Result<Translation, String> {
        translate(&Assembly {
            text,
            constraints: "=r,r,l",
            results: &["i32".to_owned()],
            parameters: &["i32".to_owned(), "i64".to_owned()],
            constants: &[None, None],
        })
    }

    #[test]
    fn any_number_of_operands_is_translated_or_refused() {
        let operands = [
            "$0",
            "$1",
            "$2",
            "7",
            "[$2]",
            "[$2+4]",
            "{$0, $1}",
            "$0|$1",
            "[$2, {$1}]",
            "!$1",
            "%laneid",
            "",
        ];
        for opcode in OPCODES {
            let _ = translated(&format!("{opcode};"));
            for first in operands {
                let mut text = format!("{opcode} {first}");
                for next in 0..6 {
                    let _ = translated(&format!("{text};"));
                    text = format!("{text}, {}", operands[next * 5 % operands.len()]);
                }
            }
        }
    }

    /// As cuRAND's headers have it.
    #[test]
    fn ftz_may_follow_the_type() {
        for name in ["ex2", "lg2", "rcp", "rsqrt"] {
            let text = format!("{name}.approx.f32.ftz $0, $1;");
            assert!(translated(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for text in [
            "add.s32;",
            "and.b32 $0;",
            "vote.sync.all.pred;",
            "sub.rz.f32 $0, $1;",
            "mad.hi.sat.s32 $0, $1, $1, $1;",
            "max.f32 $0, $1;",
            "redux.sync.and.f32 $0, $1, $1;",
            "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$1], [$1, {$1}], [$1];",
        ] {
            assert!(translated(text).is_err(), "{text}");
        }
        assert!(
            translated("add.sat.s32 $0, $1, $1;")
                .unwrap()
                .body
                .contains("llvm.sadd.sat.i32")
        );
    }
}

//! Accesses and copies (PTX ISA, "Data Movement and Conversion Instructions").

use super::atomic;
use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{Ty, unsigned};

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    match (
        instruction.opcode[0].as_str(),
        instruction.operands.as_slice(),
    ) {
        ("ld" | "ldu", [to, from]) => load(emitter, instruction, to, from),
        ("st", [to, value]) => store(emitter, instruction, to, value),
        ("atom", [old, at, values @ ..]) => {
            atomic::emit(emitter, instruction, Some(old), at, values)
        }
        ("red", [at, values @ ..]) => atomic::emit(emitter, instruction, None, at, values),
        ("cp", operands) if instruction.has("async") => copy(emitter, instruction, operands),
        // Advice to caches.
        ("prefetch" | "prefetchu" | "applypriority" | "discard", _) => Some(()),
        _ => None,
    }
}

pub(super) fn is_shared(instruction: &Instruction) -> bool {
    instruction
        .opcode
        .iter()
        .any(|part| part.starts_with("shared"))
}

/// The state space that the instruction names, as LLVM's address space: which accesses may meet is known by it.
fn space(instruction: &Instruction) -> &'static str {
    if is_shared(instruction) {
        " addrspace(3)"
    } else if instruction.has("global") {
        " addrspace(1)"
    } else {
        ""
    }
}

/// The address that an operand names, with its type.
pub(super) fn typed_address(
    emitter: &mut Emitter,
    instruction: &Instruction,
    operand: &Operand,
) -> Option<String> {
    let address = emitter.address(operand, is_shared(instruction))?;
    let ty = format!("ptr{}", space(instruction));
    if ty == "ptr" {
        return Some(format!("ptr {address}"));
    }
    let address = emitter.op(&format!("addrspacecast ptr {address} to {ty}"));
    Some(format!("{ty} {address}"))
}

/// The parts of an access: its qualifier, and the type of each of its elements.
struct Access {
    ty: Ty,
    count: usize,
    qualifier: &'static str,
}

impl Access {
    fn of(instruction: &Instruction) -> Option<Access> {
        let ty = Ty::of(instruction.opcode.last()?)?;
        // The bits are all that counts; the sign extends them.
        let ty = if ty.is_float() {
            unsigned(ty.size())
        } else {
            ty
        };
        let count = match ["v2", "v4", "v8"]
            .into_iter()
            .find(|form| instruction.has(form))
        {
            Some(form) => form[1..].parse().ok()?,
            None => 1,
        };
        let qualifiers = ["volatile", "acquire", "release", "relaxed"];
        let qualifier = qualifiers.into_iter().find(|name| instruction.has(name));
        // The value that memory has: caches do not matter, but the compiler may not keep an older one.
        let qualifier = qualifier.or_else(|| instruction.has("cv").then_some("volatile"));
        Some(Access {
            ty,
            count,
            qualifier: qualifier.unwrap_or_default(),
        })
    }

    /// The words of LLVM's instruction, before the type and behind the address.
    fn words(&self) -> (&'static str, &'static str) {
        match self.qualifier {
            "volatile" => ("volatile ", ""),
            "acquire" => ("atomic ", " acquire"),
            "release" => ("atomic ", " release"),
            "relaxed" => ("atomic ", " monotonic"),
            _ => ("", ""),
        }
    }

    fn align(&self) -> u32 {
        self.ty.bits / 8
    }

    /// The type of all elements together, in bits, where the access has to be one: a strong access to a vector. The
    /// PTX ISA ("Vector Data-types", of the memory model) calls it several accesses of unknown order; GPUs make one of
    /// it, and CUB's look-back reads a tile's state and its sum so. CPUs have none that is wider than 128 bits.
    fn whole(&self) -> Option<u32> {
        let bits = self.ty.bits * self.count as u32;
        (self.count > 1 && !self.qualifier.is_empty() && bits <= 128).then_some(bits)
    }

    /// The words of LLVM's instruction for all elements together. A volatile one is relaxed, of the system's scope.
    fn words_of_whole(&self) -> (&'static str, &'static str) {
        match self.words() {
            ("volatile ", _) => ("atomic volatile ", " monotonic"),
            words => words,
        }
    }
}

/// The operands of a vector, or the one.
pub(super) fn elements(operand: &Operand) -> Vec<&Operand> {
    match operand {
        Operand::Tuple(parts) => parts.iter().collect(),
        one => vec![one],
    }
}

/// The address of an element, with the type that the base has.
fn element_address(emitter: &mut Emitter, base: &str, index: usize, access: &Access) -> String {
    let address = emitter.op(&format!(
        "getelementptr i8, {base}, i64 {}",
        index as u32 * access.align()
    ));
    let ty = base.rsplit_once(' ').map_or("ptr", |(ty, _)| ty);
    format!("{ty} {address}")
}

fn load(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    from: &Operand,
) -> Option<()> {
    let access = Access::of(instruction)?;
    let base = typed_address(emitter, instruction, from)?;
    let targets = elements(to);
    if targets.len() != access.count {
        return None;
    }
    let mut values = Vec::new();
    if let Some(bits) = access.whole() {
        let (before, after) = access.words_of_whole();
        let whole = emitter.op(&format!(
            "load {before}i{bits}, {base}{after}, align {}",
            bits / 8
        ));
        for index in 0..access.count as u32 {
            let shift = index * access.ty.bits;
            let low = emitter.op(&format!("lshr i{bits} {whole}, {shift}"));
            values.push(emitter.resize(&low, bits, access.ty.bits, false));
        }
    }
    let (before, after) = access.words();
    let (llvm, align) = (access.ty.llvm(), access.align());
    for index in values.len()..access.count {
        let address = element_address(emitter, &base, index, &access);
        values.push(emitter.op(&format!(
            "load {before}{llvm}, {address}{after}, align {align}"
        )));
    }
    for (target, value) in targets.into_iter().zip(&values) {
        emitter.assign(target, access.ty, value)?;
    }
    Some(())
}

pub(super) fn store(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    value: &Operand,
) -> Option<()> {
    let access = Access::of(instruction)?;
    let base = typed_address(emitter, instruction, to)?;
    let sources = elements(value);
    if sources.len() != access.count {
        return None;
    }
    if let Some(bits) = access.whole() {
        return store_whole(emitter, &access, &base, &sources, bits);
    }
    let (before, after) = access.words();
    let (llvm, align) = (access.ty.llvm(), access.align());
    for (index, source) in sources.into_iter().enumerate() {
        let value = emitter.value(source, access.ty)?;
        let address = element_address(emitter, &base, index, &access);
        emitter.line(&format!(
            "  store {before}{llvm} {value}, {address}{after}, align {align}"
        ));
    }
    Some(())
}

/// Stores a vector by one instruction.
fn store_whole(
    emitter: &mut Emitter,
    access: &Access,
    base: &str,
    sources: &[&Operand],
    bits: u32,
) -> Option<()> {
    let mut whole = "0".to_owned();
    for (index, source) in sources.iter().enumerate() {
        let value = emitter.value(source, access.ty)?;
        let value = emitter.resize(&value, access.ty.bits, bits, false);
        let shift = index as u32 * access.ty.bits;
        let value = emitter.op(&format!("shl i{bits} {value}, {shift}"));
        whole = emitter.op(&format!("or i{bits} {whole}, {value}"));
    }
    let (before, after) = access.words_of_whole();
    emitter.line(&format!(
        "  store {before}i{bits} {whole}, {base}{after}, align {}",
        bits / 8
    ));
    Some(())
}

/// `cp.async`: copies are done at once, so that waiting for them is nothing.
fn copy(emitter: &mut Emitter, instruction: &Instruction, operands: &[Operand]) -> Option<()> {
    if ["commit_group", "wait_group", "wait_all"]
        .into_iter()
        .any(|form| instruction.has(form))
    {
        return Some(());
    }
    let [to, from, size, rest @ ..] = operands else {
        return None;
    };
    if instruction.has("bulk") || instruction.has("mbarrier") || rest.len() > 1 {
        return None;
    }
    let size = emitter
        .constant(size)
        .filter(|bytes| matches!(bytes, 4 | 8 | 16))?;
    let (to, from) = (emitter.address(to, true)?, emitter.address(from, false)?);
    let mut length = size.to_string();
    if let [part] = rest {
        let part = emitter.value(part, unsigned(32))?;
        let part = emitter.resize(&part, 32, 64, false);
        let limits = [("i64".to_owned(), part), ("i64".to_owned(), length)];
        length = emitter.call("i64", "llvm.umin.i64", &limits);
        // With a source size, the rest of the destination becomes zero.
        let zeros = [
            ("ptr", to.as_str()),
            ("i8", "0"),
            ("i64", &size.to_string()),
            ("i1", "false"),
        ];
        emitter.call(
            "void",
            "llvm.memset.p0.i64",
            &zeros.map(|(ty, value)| (ty.to_owned(), value.to_owned())),
        );
    }
    let copied = [
        ("ptr", to.as_str()),
        ("ptr", from.as_str()),
        ("i64", length.as_str()),
        ("i1", "false"),
    ];
    emitter.call(
        "void",
        "llvm.memcpy.p0.p0.i64",
        &copied.map(|(ty, value)| (ty.to_owned(), value.to_owned())),
    );
    Some(())
}

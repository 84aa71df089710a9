//! Texture fetches and queries (PTX ISA, "Texture Instructions"): calls of `devicertl/textures`, which the pass
//! `textures` links. An object of the program's is the address of its descriptor.

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{Kind, Ty, unsigned};

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    match instruction.opcode[0].as_str() {
        "tex" => fetch(emitter, instruction),
        "tld4" => gather(emitter, instruction),
        "txq" | "suq" => query(emitter, instruction),
        _ => None,
    }
}

/// Numbers in single precision.
const FLOAT: Ty = Ty {
    kind: Kind::Float,
    bits: 32,
    elements: 1,
};

/// How an instruction addresses: the number of the shape in `devicertl/textures`, whether a layer comes first, and how
/// many coordinates there are.
#[derive(Clone, Copy)]
pub struct Geometry {
    pub shape: u32,
    pub layered: bool,
    pub axes: usize,
}

impl Geometry {
    /// The geometry of an opcode.
    pub fn of(instruction: &Instruction) -> Option<Geometry> {
        let known = [
            ("1d", 1, false, 1),
            ("2d", 2, false, 2),
            ("3d", 3, false, 3),
            ("cube", 4, false, 3),
            ("a1d", 1, true, 1),
            ("a2d", 2, true, 2),
            ("acube", 4, true, 3),
        ];
        let (_, shape, layered, axes) =
            known.into_iter().find(|(name, ..)| instruction.has(name))?;
        Some(Geometry {
            shape,
            layered,
            axes,
        })
    }
}

/// An argument of a call.
pub type Argument = (String, String);

/// A number as an argument.
pub fn number(value: u32) -> Argument {
    ("i32".to_owned(), value.to_string())
}

/// The descriptor of a texture or surface.
pub fn descriptor(emitter: &mut Emitter, object: &Operand) -> Option<Argument> {
    let bits = emitter.value(object, unsigned(64))?;
    let address = emitter.op(&format!("inttoptr i64 {bits} to ptr"));
    // The functions do not check the address: what is no object is a fault here, with the program's line.
    emitter.op(&format!("load volatile i8, ptr {address}"));
    Some(("ptr".to_owned(), address))
}

/// The layer, and three coordinates of a type.
pub fn place(
    emitter: &mut Emitter,
    geometry: Geometry,
    at: &[Operand],
    ty: Ty,
) -> Option<Vec<Argument>> {
    let mut parts = at.iter();
    let layer = match geometry.layered {
        true => (
            "i32".to_owned(),
            emitter.value(parts.next()?, unsigned(32))?,
        ),
        false => number(0),
    };
    let mut arguments = vec![layer];
    arguments.extend(vector(emitter, geometry.axes, parts, ty)?);
    Some(arguments)
}

/// Three numbers, of which the first so many are given.
fn vector<'a>(
    emitter: &mut Emitter,
    axes: usize,
    mut parts: impl Iterator<Item = &'a Operand>,
    ty: Ty,
) -> Option<Vec<Argument>> {
    let zero = if ty.is_float() { "0.0" } else { "0" };
    let mut values = Vec::new();
    for axis in 0..3 {
        let value = match axis < axes {
            true => emitter.value(parts.next()?, ty)?,
            false => zero.to_owned(),
        };
        values.push((ty.llvm(), value));
    }
    Some(values)
}

/// `tex{.level,.grad}.geom.v4.dtype.ctype d[|p], [a, c]{, lod}{, dPdx, dPdy}`. The texture says what the bits of the
/// result are. Every texel is there.
fn fetch(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let geometry = Geometry::of(instruction)?;
    let [to, Operand::Texel(object, at), rest @ ..] = instruction.operands.as_slice() else {
        return None;
    };
    let texture = descriptor(emitter, object)?;
    let coordinates = Ty::of(instruction.opcode.last()?)?;
    let place = place(emitter, geometry, at, coordinates)?;
    let mut arguments = vec![texture.clone(), number(geometry.shape)];
    arguments.extend(place);
    let name = match coordinates.is_float() {
        true => {
            arguments.push(detail(emitter, instruction, geometry, texture, rest)?);
            "sample"
        }
        false => {
            let level = match (instruction.has("level"), rest) {
                (true, [level]) => emitter.value(level, unsigned(32))?,
                (false, []) => "0".to_owned(),
                _ => return None,
            };
            arguments.push(("i32".to_owned(), level));
            "fetch"
        }
    };
    four(emitter, instruction, to, name, arguments)
}

/// The level of detail of a fetch.
fn detail(
    emitter: &mut Emitter,
    instruction: &Instruction,
    geometry: Geometry,
    texture: Argument,
    rest: &[Operand],
) -> Option<Argument> {
    let value = match rest {
        [] => "0.0".to_owned(),
        [level] if instruction.has("level") => emitter.value(level, FLOAT)?,
        [dx, dy] if instruction.has("grad") => {
            let mut arguments = vec![texture, number(geometry.shape)];
            for step in [dx, dy] {
                let Operand::Tuple(parts) = step else {
                    return None;
                };
                arguments.extend(vector(emitter, geometry.axes, parts.iter(), FLOAT)?);
            }
            emitter.call("float", "__omptarget_texture_detail", &arguments)
        }
        _ => return None,
    };
    Some(("float".to_owned(), value))
}

/// `tld4.comp.2d.v4.dtype.f32 d[|p], [a, c]`
fn gather(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let geometry = Geometry::of(instruction).filter(|geometry| geometry.shape == 2)?;
    let [to, Operand::Texel(object, at)] = instruction.operands.as_slice() else {
        return None;
    };
    let component = instruction.opcode.get(1)?;
    let channel = ["r", "g", "b", "a"]
        .iter()
        .position(|name| name == component)?;
    let mut arguments = vec![descriptor(emitter, object)?, number(geometry.shape)];
    arguments.extend(place(emitter, geometry, at, FLOAT)?);
    // The function takes two coordinates.
    arguments.pop();
    arguments.push(number(channel as u32));
    four(emitter, instruction, to, "gather", arguments)
}

/// Calls a function that writes four words, and gives them to the instruction's destination.
fn four(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    name: &str,
    mut arguments: Vec<Argument>,
) -> Option<()> {
    let (to, resident) = match to {
        Operand::Pair(to, resident) => (&**to, Some(&**resident)),
        to => (to, None),
    };
    let Operand::Tuple(targets) = to else {
        return None;
    };
    let halves = instruction.has("f16") || instruction.has("f16x2");
    let per_target = if instruction.has("f16x2") { 2 } else { 1 };
    if targets.len() * per_target != 4 {
        return None;
    }
    let room = emitter.room(4);
    arguments.insert(0, ("ptr".to_owned(), room.clone()));
    emitter.call("void", &format!("__omptarget_texture_{name}"), &arguments);
    let words = [0, 1, 2, 3].map(|index| {
        let address = emitter.op(&format!("getelementptr i32, ptr {room}, i32 {index}"));
        emitter.op(&format!("load i32, ptr {address}"))
    });
    for (target, words) in targets.iter().zip(words.chunks(per_target)) {
        match halves {
            true => assign_halves(emitter, target, words)?,
            false => emitter.assign(target, unsigned(32), &words[0])?,
        }
    }
    match resident {
        Some(resident) => emitter.assign(resident, super::types::PREDICATE, "true"),
        None => Some(()),
    }
}

/// Gives a target one number in half precision, or two, of words in single precision.
fn assign_halves(emitter: &mut Emitter, target: &Operand, words: &[String]) -> Option<()> {
    let size = 16 * words.len() as u32;
    let mut whole = "0".to_owned();
    for (index, word) in words.iter().enumerate() {
        let number = emitter.op(&format!("bitcast i32 {word} to float"));
        let half = emitter.op(&format!("fptrunc float {number} to half"));
        let bits = emitter.op(&format!("bitcast half {half} to i16"));
        let bits = emitter.resize(&bits, 16, size, false);
        let placed = emitter.op(&format!("shl i{size} {bits}, {}", 16 * index));
        whole = emitter.op(&format!("or i{size} {whole}, {placed}"));
    }
    emitter.assign(target, unsigned(size), &whole)
}

/// `txq{.level}.query.b32 d, [a]{, lod}`
fn query(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let questions = [
        ("width", 0),
        ("height", 1),
        ("depth", 2),
        ("num_mipmap_levels", 3),
        ("array_size", 4),
        ("normalized_coords", 5),
    ];
    let (_, question) = questions
        .into_iter()
        .find(|(name, _)| instruction.has(name))?;
    let [to, Operand::Address(object, 0), rest @ ..] = instruction.operands.as_slice() else {
        return None;
    };
    let level = match rest {
        [] => "0".to_owned(),
        [level] => emitter.value(level, unsigned(32))?,
        _ => return None,
    };
    let texture = descriptor(emitter, object)?;
    let arguments = [texture, number(question), ("i32".to_owned(), level)];
    let answer = emitter.call("i32", "__omptarget_texture_query", &arguments);
    emitter.assign(to, unsigned(32), &answer)
}

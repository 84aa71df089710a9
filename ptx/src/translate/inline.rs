//! Instructions that are handed on as inline PTX: registers become operands of the constraints.

use super::debug::escaped;
use super::function::Translator;
use super::symbol::Symbol;
use crate::syntax::{Instruction, Operand, Type};

/// Instructions without a result, whose first operand may be a register.
const WITHOUT_RESULT: [&str; 20] = [
    "st",
    "red",
    "bar",
    "barrier",
    "nanosleep",
    "prefetch",
    "prefetchu",
    "membar",
    "fence",
    "cp",
    "trap",
    "brkpt",
    "pmevent",
    "setmaxnreg",
    "griddepcontrol",
    "discard",
    "applypriority",
    "sust",
    "sured",
    "stmatrix",
];

/// An instruction under construction.
#[derive(Default)]
struct Call<'a> {
    /// Registers that get results.
    outputs: Vec<(Operand<'a>, Type)>,
    /// Typed values.
    inputs: Vec<(u32, String)>,
    /// Whether an address has been described.
    has_address: bool,
}

impl Call<'_> {
    /// Adds a typed value; gives its name in the text. The results are all known by then.
    fn input(&mut self, bits: u32, value: String) -> String {
        self.inputs.push((bits, value));
        format!("${}", self.outputs.len() + self.inputs.len() - 1)
    }
}

/// Hands an instruction on.
pub fn emit<'a>(translator: &mut Translator<'_, '_, 'a>, instruction: &Instruction<'a>) {
    let mut call = Call::default();
    let text = described(translator, &mut call, instruction);
    let Some(text) = text else {
        refuse(translator, instruction);
        return;
    };
    let types: Vec<_> = call.outputs.iter().map(|(_, ty)| ty.llvm()).collect();
    let result = match types.as_slice() {
        [] => "void".to_owned(),
        [one] => one.clone(),
        many => format!("{{ {} }}", many.join(", ")),
    };
    let constraints: Vec<_> = (call.outputs.iter().map(|_| "=r"))
        .chain(call.inputs.iter().map(|_| "r"))
        .collect();
    let arguments: Vec<_> = call
        .inputs
        .iter()
        .map(|(bits, value)| format!("i{bits} {value}"))
        .collect();
    let assembly = format!(
        "call {result} asm sideeffect \"{}\", \"{}\"({}) #1",
        escaped(&text),
        constraints.join(","),
        arguments.join(", ")
    );
    if types.is_empty() {
        translator.out.line(&assembly);
        return;
    }
    let whole = translator.out.op(&assembly);
    for (index, (operand, ty)) in call.outputs.iter().enumerate() {
        let value = match types.len() {
            1 => whole.clone(),
            _ => translator
                .out
                .op(&format!("extractvalue {result} {whole}, {index}")),
        };
        translator.assign(operand, &value, ty.bits, false);
    }
}

/// What stands before the name of an instruction that is handed on to be refused.
pub const UNKNOWN: &str = "unknown.";

/// Hands on a name that no compiler knows: the kernel is refused when it is launched.
pub fn refuse(translator: &mut Translator<'_, '_, '_>, instruction: &Instruction<'_>) {
    let text = escaped(&format!("{UNKNOWN}{}", instruction.name()));
    translator
        .out
        .line(&format!("call void asm sideeffect \"{text} ;\", \"\"() #1"));
}

fn described<'a>(
    translator: &mut Translator<'_, '_, 'a>,
    call: &mut Call<'a>,
    instruction: &Instruction<'a>,
) -> Option<String> {
    let mut operands = instruction.operands.iter();
    let mut texts = Vec::new();
    if !WITHOUT_RESULT.contains(&instruction.opcode) || instruction.has("red") {
        let is_result =
            |operand: &Operand<'a>| !matches!(operand, Operand::Address(_) | Operand::Element(..));
        if let Some(first) = instruction
            .operands
            .first()
            .filter(|first| is_result(first))
        {
            texts.push(result(translator, call, first)?);
            operands.next();
        }
    }
    // What a cache is to keep stands last.
    let hinted = instruction
        .modifiers
        .iter()
        .any(|word| word.ends_with("::cache_hint"));
    let count = operands.len().saturating_sub(usize::from(hinted));
    for operand in operands.take(count) {
        texts.push(source(translator, call, instruction, operand)?);
    }
    // The compiler's own type rules make words of wider ones.
    Some(format!("{} {};", instruction.name(), texts.join(", ")))
}

fn result<'a>(
    translator: &mut Translator<'_, '_, 'a>,
    call: &mut Call<'a>,
    operand: &Operand<'a>,
) -> Option<String> {
    Some(match operand {
        Operand::Name("_", None) => "_".to_owned(),
        Operand::Pair(value, predicate) => {
            let value = result(translator, call, value)?;
            format!("{value}|{}", result(translator, call, predicate)?)
        }
        Operand::Tuple(parts) => {
            let parts: Option<Vec<_>> = parts
                .iter()
                .map(|part| result(translator, call, part))
                .collect();
            format!("{{{}}}", parts?.join(", "))
        }
        Operand::Name(name, Some(part)) if is_part(part) => {
            let register = result(translator, call, &Operand::Name(name, None))?;
            format!("{register}.{part}")
        }
        _ => match translator.elements(operand).as_slice() {
            [_] => {
                let register = translator.as_register(operand)?;
                call.outputs.push((operand.clone(), register.ty));
                format!("${}", call.outputs.len() - 1)
            }
            many => result(translator, call, &Operand::Tuple(many.to_vec()))?,
        },
    })
}

fn source<'a>(
    translator: &mut Translator<'_, '_, 'a>,
    call: &mut Call<'a>,
    instruction: &Instruction<'a>,
    operand: &Operand<'a>,
) -> Option<String> {
    let single = instruction.modifiers.last().is_some_and(|ty| *ty == "f32");
    Some(match operand {
        Operand::Integer(number) => number.to_string(),
        Operand::Single(bits) => format!("0f{bits:08X}"),
        Operand::Double(bits) if single => {
            format!("0f{:08X}", (f64::from_bits(*bits) as f32).to_bits())
        }
        Operand::Double(bits) => format!("0d{bits:016X}"),
        Operand::Address(parts) => {
            let mut texts = Vec::new();
            for (index, part) in parts.iter().enumerate() {
                let is_first = index == 0 && !call.has_address;
                call.has_address = true;
                if is_first && let Some(address) = offset(translator, call, instruction, part) {
                    texts.push(address);
                    continue;
                }
                texts.push(in_address(translator, call, instruction, part)?);
            }
            format!("[{}]", texts.join(", "))
        }
        Operand::Element(..) => format!("[{}]", input(translator, call, operand, 64)?),
        Operand::Tuple(parts) => {
            let parts: Option<Vec<_>> = parts
                .iter()
                .map(|part| source(translator, call, instruction, part))
                .collect();
            format!("{{{}}}", parts?.join(", "))
        }
        Operand::Pair(..) | Operand::List(_) => return None,
        Operand::Negative(inner) if instruction.opcode == "vmad" => {
            format!("-{}", source(translator, call, instruction, inner)?)
        }
        Operand::Name(name, Some(part)) if is_part(part) => {
            let register = source(translator, call, instruction, &Operand::Name(name, None))?;
            format!("{register}.{part}")
        }
        Operand::Not(inner) => format!("!{}", source(translator, call, instruction, inner)?),
        Operand::Name(name, component) if is_defined(translator, name) => match component {
            Some(component) => format!("{name}.{component}"),
            None => (*name).to_owned(),
        },
        _ => match translator.elements(operand).as_slice() {
            [_] => {
                let bits = translator
                    .as_register(operand)
                    .map_or(64, |register| register.ty.bits);
                input(translator, call, operand, bits)?
            }
            many => source(
                translator,
                call,
                instruction,
                &Operand::Tuple(many.to_vec()),
            )?,
        },
    })
}

/// The first address, if it is an offset into shared memory.
fn offset<'a>(
    translator: &mut Translator<'_, '_, 'a>,
    call: &mut Call<'a>,
    instruction: &Instruction<'a>,
    part: &Operand<'a>,
) -> Option<String> {
    let (base, addend) = match part {
        Operand::Sum(name, addend) => (&Operand::Name(name, None), Some(addend)),
        part => (part, None),
    };
    let address = translator.shared_offset(instruction, base)?;
    let text = call.input(64, address);
    Some(match addend {
        Some(addend) => format!("{text}+{addend}"),
        None => text,
    })
}

/// A part of an address: a register with an addend stays one.
fn in_address<'a>(
    translator: &mut Translator<'_, '_, 'a>,
    call: &mut Call<'a>,
    instruction: &Instruction<'a>,
    part: &Operand<'a>,
) -> Option<String> {
    match part {
        Operand::Sum(name, addend)
            if translator.as_register(&Operand::Name(name, None)).is_some() =>
        {
            let register = source(translator, call, instruction, &Operand::Name(name, None))?;
            Some(format!("{register}+{addend}"))
        }
        Operand::Integer(_) => input(translator, call, part, 64),
        _ => source(translator, call, instruction, part),
    }
}

fn input<'a>(
    translator: &mut Translator<'_, '_, 'a>,
    call: &mut Call<'a>,
    operand: &Operand<'a>,
    bits: u32,
) -> Option<String> {
    let value = translator.value(operand, bits, false)?;
    Some(call.input(bits, value))
}

/// Whether what stands behind a register names bytes or halves of it (`b0`, `h10`), as video instructions have them.
fn is_part(component: &str) -> bool {
    let digits = component.strip_prefix(['b', 'h']).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// Whether PTX defines a name: a special register, `WARP_SZ`.
fn is_defined(translator: &Translator<'_, '_, '_>, name: &str) -> bool {
    let own = translator
        .scopes
        .find(name)
        .is_some_and(|(symbol, _)| !matches!(symbol, Symbol::Label(_)));
    !own && (name.starts_with('%') || name == "WARP_SZ")
}

//! Integer instructions that inline assembly does not have (PTX ISA, "Integer Arithmetic Instructions", "Logic and
//! Shift Instructions", "Comparison and Selection Instructions").

use super::function::Translator;
use crate::syntax::{Instruction, Kind, Operand, Type};

impl<'a> Translator<'_, '_, 'a> {
    /// Translates an instruction of this family.
    pub fn integers(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        let (to, sources) = instruction.operands.split_first()?;
        if let ("prmt", [a, b, c], [_, mode]) = (
            instruction.opcode,
            sources,
            instruction.modifiers.as_slice(),
        ) {
            return self.permute(mode, to, [a, b, c]);
        }
        let last = *instruction.modifiers.last()?;
        let ty = Type::of(last)
            .filter(|ty| matches!(ty.kind, Kind::Bits | Kind::Unsigned | Kind::Signed))?;
        match (instruction.opcode, sources) {
            ("add" | "sub", [a, b]) if instruction.has("sat") => {
                let letter = if ty.kind == Kind::Signed { 's' } else { 'u' };
                let name = format!("llvm.{letter}{}.sat", instruction.opcode);
                self.binary(to, ty, &format!("{name}.i{}", ty.bits), &ty.llvm(), a, b)
            }
            ("mad", [a, b, c]) if instruction.has("sat") && instruction.has("hi") => {
                self.high_sum(to, ty, a, b, c)
            }
            ("add" | "min" | "max", [a, b]) if last.ends_with("x2") => {
                self.pairs(instruction, last, to, a, b)
            }
            ("min" | "max", [a, b]) if instruction.has("relu") => {
                let name = format!("llvm.s{}.i32", instruction.opcode);
                let (a, b) = (self.value(a, 32, false)?, self.value(b, 32, false)?);
                let value = self.out.call("i32", &name, &[("i32", &a), ("i32", &b)]);
                let value = self
                    .out
                    .call("i32", "llvm.smax.i32", &[("i32", &value), ("i32", "0")]);
                self.assign(to, &value, 32, true)
            }
            ("cnot", [a]) => {
                let llvm = ty.llvm();
                let a = self.value(a, ty.bits, false)?;
                let zero = self.out.op(&format!("icmp eq {llvm} {a}, 0"));
                let value = self.out.op(&format!("zext i1 {zero} to {llvm}"));
                self.assign(to, &value, ty.bits, false)
            }
            ("bfind", [a]) if ty.kind == Kind::Signed => self.highest_other(instruction, to, ty, a),
            ("slct", [a, b, c]) if instruction.modifiers.len() >= 2 => {
                let made = instruction.modifiers[instruction.modifiers.len() - 2];
                let c = self.value(c, 32, false)?;
                let chosen = self.out.op(&format!("icmp sge i32 {c}, 0"));
                self.choose(to, Type::of(made)?, &chosen, a, b)
            }
            ("mul24" | "mad24", [a, b, rest @ ..]) => {
                self.of_24_bits(instruction, to, ty, [a, b], rest.first())
            }
            ("dp4a" | "dp2a", [a, b, c]) => self.dot(instruction, to, [a, b, c]),
            ("szext" | "bmsk", [a, b]) => {
                let edge = if instruction.has("wrap") {
                    "wrap"
                } else {
                    "clamp"
                };
                let name = match (instruction.opcode, ty.kind) {
                    ("bmsk", _) => "bmsk",
                    (_, Kind::Signed) => "sext",
                    _ => "zext",
                };
                self.words(to, &format!("llvm.nvvm.{name}.{edge}"), &[a, b])
            }
            ("fns", [mask, base, offset]) => self.words(to, "llvm.nvvm.fns", &[mask, base, offset]),
            _ => None,
        }
    }

    /// `prmt` in the modes that derive the bytes from the lower two bits of the last operand.
    fn permute(
        &mut self,
        mode: &str,
        to: &Operand<'a>,
        [a, b, c]: [&Operand<'a>; 3],
    ) -> Option<()> {
        let name = format!("llvm.nvvm.prmt.{mode}");
        match mode {
            "f4e" | "b4e" => self.words(to, &name, &[a, b, c]),
            "rc8" | "ecl" | "ecr" | "rc16" => self.words(to, &name, &[a, c]),
            _ => None,
        }
    }

    /// Calls an intrinsic of words.
    fn words(&mut self, to: &Operand<'a>, name: &str, sources: &[&Operand<'a>]) -> Option<()> {
        let mut values = Vec::new();
        for source in sources {
            values.push(self.value(source, 32, false)?);
        }
        let arguments: Vec<_> = values.iter().map(|value| ("i32", value.as_str())).collect();
        let value = self.out.call("i32", name, &arguments);
        self.assign(to, &value, 32, false)
    }

    /// Calls an intrinsic of two values of a type.
    fn binary(
        &mut self,
        to: &Operand<'a>,
        ty: Type,
        name: &str,
        llvm: &str,
        a: &Operand<'a>,
        b: &Operand<'a>,
    ) -> Option<()> {
        let (a, b) = (
            self.value(a, ty.bits, false)?,
            self.value(b, ty.bits, false)?,
        );
        let value = self.out.call(llvm, name, &[(llvm, &a), (llvm, &b)]);
        self.assign(to, &value, ty.bits, ty.kind == Kind::Signed)
    }

    /// `mad.hi.sat.s32`: the sum is clamped, the product is not.
    fn high_sum(
        &mut self,
        to: &Operand<'a>,
        ty: Type,
        a: &Operand<'a>,
        b: &Operand<'a>,
        c: &Operand<'a>,
    ) -> Option<()> {
        let (a, b, c) = (
            self.value(a, 32, false)?,
            self.value(b, 32, false)?,
            self.value(c, 32, false)?,
        );
        let (a, b) = (
            self.out.resize(&a, 32, 64, true),
            self.out.resize(&b, 32, 64, true),
        );
        let product = self.out.op(&format!("mul i64 {a}, {b}"));
        let high = self.out.op(&format!("lshr i64 {product}, 32"));
        let high = self.out.resize(&high, 64, 32, false);
        let value = self
            .out
            .call("i32", "llvm.sadd.sat.i32", &[("i32", &high), ("i32", &c)]);
        self.assign(to, &value, ty.bits, true)
    }

    /// `add.u16x2`, `min.s16x2`, …: two halves.
    fn pairs(
        &mut self,
        instruction: &Instruction<'a>,
        ty: &str,
        to: &Operand<'a>,
        a: &Operand<'a>,
        b: &Operand<'a>,
    ) -> Option<()> {
        let mut values = Vec::new();
        for operand in [a, b] {
            let value = self.value(operand, 32, false)?;
            values.push(self.out.op(&format!("bitcast i32 {value} to <2 x i16>")));
        }
        let letter = if ty.starts_with('s') { 's' } else { 'u' };
        let pair = "<2 x i16>";
        let mut value = match instruction.opcode {
            "add" => self
                .out
                .op(&format!("add {pair} {}, {}", values[0], values[1])),
            name => {
                let name = format!("llvm.{letter}{name}.v2i16");
                self.out
                    .call(pair, &name, &[(pair, &values[0]), (pair, &values[1])])
            }
        };
        if instruction.has("relu") {
            value = self.out.call(
                pair,
                "llvm.smax.v2i16",
                &[(pair, &value), (pair, "zeroinitializer")],
            );
        }
        let value = self.out.op(&format!("bitcast {pair} {value} to i32"));
        self.assign(to, &value, 32, false)
    }

    /// `bfind` of a number with a sign: the highest bit that differs from the sign.
    fn highest_other(
        &mut self,
        instruction: &Instruction<'a>,
        to: &Operand<'a>,
        ty: Type,
        a: &Operand<'a>,
    ) -> Option<()> {
        let llvm = ty.llvm();
        let a = self.value(a, ty.bits, false)?;
        let sign = self.out.op(&format!("ashr {llvm} {a}, {}", ty.bits - 1));
        let other = self.out.op(&format!("xor {llvm} {a}, {sign}"));
        let name = format!("llvm.ctlz.{llvm}");
        let above = self
            .out
            .call(&llvm, &name, &[(&llvm, &other), ("i1", "false")]);
        let place = match instruction.has("shiftamt") {
            true => above,
            false => self.out.op(&format!("sub {llvm} {}, {above}", ty.bits - 1)),
        };
        let place = self.out.resize(&place, ty.bits, 32, false);
        let none = self.out.op(&format!("icmp eq {llvm} {other}, 0"));
        let value = self
            .out
            .op(&format!("select i1 {none}, i32 -1, i32 {place}"));
        self.assign(to, &value, 32, false)
    }

    /// One of two values.
    pub fn choose(
        &mut self,
        to: &Operand<'a>,
        ty: Type,
        condition: &str,
        a: &Operand<'a>,
        b: &Operand<'a>,
    ) -> Option<()> {
        let llvm = ty.llvm();
        let (a, b) = (
            self.value(a, ty.bits, false)?,
            self.value(b, ty.bits, false)?,
        );
        let value = self
            .out
            .op(&format!("select i1 {condition}, {llvm} {a}, {llvm} {b}"));
        self.assign(to, &value, ty.bits, ty.kind == Kind::Signed)
    }

    /// `mul24`, `mad24`: the 48 bits of a product of 24 bits each, the upper or the lower 32 of them.
    fn of_24_bits(
        &mut self,
        instruction: &Instruction<'a>,
        to: &Operand<'a>,
        ty: Type,
        factors: [&Operand<'a>; 2],
        added: Option<&Operand<'a>>,
    ) -> Option<()> {
        let signed = ty.kind == Kind::Signed;
        let mut values = Vec::new();
        for factor in factors {
            let value = self.value(factor, 32, false)?;
            let narrow = self.out.resize(&value, 32, 24, false);
            values.push(self.out.resize(&narrow, 24, 64, signed));
        }
        let mut value = self
            .out
            .op(&format!("mul i64 {}, {}", values[0], values[1]));
        if instruction.has("hi") {
            value = self.out.op(&format!("lshr i64 {value}, 16"));
        }
        let mut value = self.out.resize(&value, 64, 32, false);
        if let Some(added) = added {
            let added = self.value(added, 32, false)?;
            value = match instruction.has("sat") {
                true => self.out.call(
                    "i32",
                    "llvm.sadd.sat.i32",
                    &[("i32", &value), ("i32", &added)],
                ),
                false => self.out.op(&format!("add i32 {value}, {added}")),
            };
        }
        self.assign(to, &value, 32, signed)
    }

    /// `dp4a.u32.s32`, `dp2a.lo.u32.s32`: the types are those of the first two factors.
    fn dot(
        &mut self,
        instruction: &Instruction<'a>,
        to: &Operand<'a>,
        sources: [&Operand<'a>; 3],
    ) -> Option<()> {
        let [.., first, second] = instruction.modifiers.as_slice() else {
            return None;
        };
        let letter = |ty: &str| if ty.starts_with('s') { 's' } else { 'u' };
        let (first, second) = (letter(first), letter(second));
        let mut values = Vec::new();
        for source in sources {
            values.push(self.value(source, 32, false)?);
        }
        let [a, b, c] = [0, 1, 2].map(|index: usize| ("i32", values[index].as_str()));
        let value = if instruction.opcode == "dp4a" {
            self.out.call(
                "i32",
                &format!("llvm.nvvm.idp4a.{first}.{second}"),
                &[a, b, c],
            )
        } else {
            let high = if instruction.has("hi") {
                "true"
            } else {
                "false"
            };
            let name = format!("llvm.nvvm.idp2a.{first}.{second}");
            self.out.call("i32", &name, &[a, b, ("i1", high), c])
        };
        self.assign(to, &value, 32, false)
    }
}

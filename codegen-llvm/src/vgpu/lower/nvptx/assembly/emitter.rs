//! LLVM assembly under construction, and the registers of the inline assembly that it stands for.
//!
//! A register is a local variable, so that guards and labels need no phi nodes. LLVM puts it into a register.

use std::collections::HashMap;

use super::syntax::Operand;
use super::types::{Kind, PREDICATE, Ty, unsigned};

/// The block's shared memory that cooperative groups have for their own (`%reserved_smem_offset_1`).
pub const RESERVED_SHARED: &str = "vgpu.reserved_shared";

/// A function's text.
#[derive(Default)]
pub struct Emitter {
    /// Local variables, which the entry block makes.
    variables: String,
    /// Instructions.
    text: String,
    /// Declarations of intrinsics.
    pub declarations: Vec<String>,
    /// Size and variable of each register.
    registers: HashMap<String, (u32, String)>,
    /// Operands that the program gives as numbers.
    constants: HashMap<String, u64>,
    count: usize,
}

impl Emitter {
    /// The body so far, with the variables in front.
    pub fn body(&self) -> String {
        format!("{}  br label %begin\nbegin:\n{}", self.variables, self.text)
    }

    /// A name that nothing has.
    pub fn fresh(&mut self) -> String {
        self.count += 1;
        format!("%t{}", self.count)
    }

    /// Adds an instruction without a result, or a label.
    pub fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    /// Adds an instruction; gives its result.
    pub fn op(&mut self, text: &str) -> String {
        let name = self.fresh();
        self.text += &format!("  {name} = {text}\n");
        name
    }

    /// Calls an intrinsic of LLVM's. `arguments` have their types.
    pub fn call(&mut self, result: &str, name: &str, arguments: &[(String, String)]) -> String {
        let typed: Vec<_> = arguments
            .iter()
            .map(|(ty, value)| format!("{ty} {value}"))
            .collect();
        let types: Vec<_> = arguments.iter().map(|(ty, _)| ty.as_str()).collect();
        let declaration = format!("declare {result} @{name}({})\n", types.join(", "));
        if !self.declarations.contains(&declaration) {
            self.declarations.push(declaration);
        }
        let call = format!("call {result} @{name}({})", typed.join(", "));
        if result == "void" {
            self.line(&format!("  {call}"));
            return String::new();
        }
        self.op(&call)
    }

    /// Operands of 32 bits, as arguments of [`Emitter::call`].
    pub fn words<'a>(
        &mut self,
        operands: impl IntoIterator<Item = &'a Operand>,
    ) -> Option<Vec<(String, String)>> {
        let typed = |operand| Some(("i32".to_owned(), self.value(operand, unsigned(32))?));
        operands.into_iter().map(typed).collect()
    }

    /// Makes a register. A name that exists is another register from here on.
    pub fn register(&mut self, name: &str, bits: u32) {
        let variable = self.fresh();
        self.variables += &format!("  {variable} = alloca i{bits}\n");
        self.registers.insert(name.to_owned(), (bits, variable));
    }

    /// Makes room for so many words.
    pub fn room(&mut self, words: usize) -> String {
        let variable = self.fresh();
        self.variables += &format!("  {variable} = alloca [{words} x i32]\n");
        variable
    }

    /// Repeats what `body` emits for every `step`-th number from 0 on that is less than `limit`, of 64 bits.
    pub fn repeat(
        &mut self,
        limit: &str,
        step: u32,
        body: impl FnOnce(&mut Emitter, &str) -> Option<()>,
    ) -> Option<()> {
        let [counter, head, inside, after] = [(); 4].map(|()| self.fresh());
        self.variables += &format!("  {counter} = alloca i64\n");
        self.line(&format!("  store i64 0, ptr {counter}\n  br label {head}"));
        self.line(&format!("{}:", &head[1..]));
        let now = self.op(&format!("load i64, ptr {counter}"));
        let goes_on = self.op(&format!("icmp ult i64 {now}, {limit}"));
        self.line(&format!("  br i1 {goes_on}, label {inside}, label {after}"));
        self.line(&format!("{}:", &inside[1..]));
        body(self, &now)?;
        let next = self.op(&format!("add i64 {now}, {step}"));
        self.line(&format!(
            "  store i64 {next}, ptr {counter}\n  br label {head}"
        ));
        self.line(&format!("{}:", &after[1..]));
        Some(())
    }

    /// Makes `name` another name of a register.
    pub fn alias(&mut self, name: &str, register: &str) {
        if let Some(known) = self.registers.get(register).cloned() {
            self.registers.insert(name.to_owned(), known);
        }
    }

    /// Notes that an operand is a number.
    pub fn set_constant(&mut self, name: &str, number: u64) {
        self.constants.insert(name.to_owned(), number);
    }

    /// The number that an operand is.
    pub fn constant(&self, operand: &Operand) -> Option<u64> {
        match operand {
            Operand::Number(number) => Some(*number),
            Operand::Name(name) => self.constants.get(name).copied(),
            _ => None,
        }
    }

    /// The bits of a register.
    pub fn load(&mut self, name: &str) -> Option<(u32, String)> {
        let (bits, variable) = self.registers.get(name).cloned()?;
        Some((bits, self.op(&format!("load i{bits}, ptr {variable}"))))
    }

    /// Sets the bits of a register.
    pub fn store(&mut self, name: &str, value: &str) -> Option<()> {
        let (bits, variable) = self.registers.get(name).cloned()?;
        self.line(&format!("  store i{bits} {value}, ptr {variable}"));
        Some(())
    }

    /// Another type of the same or another size for an integer.
    pub fn resize(&mut self, value: &str, from: u32, to: u32, signed: bool) -> String {
        let operation = match (from.cmp(&to), signed) {
            (std::cmp::Ordering::Equal, _) => return value.to_owned(),
            (std::cmp::Ordering::Greater, _) => "trunc",
            (_, true) => "sext",
            (_, false) => "zext",
        };
        self.op(&format!("{operation} i{from} {value} to i{to}"))
    }

    /// An operand as a value of a type. A wider register gives its lower bits.
    pub fn value(&mut self, operand: &Operand, ty: Ty) -> Option<String> {
        let size = ty.size();
        let bits = match operand {
            Operand::Number(number) if ty.kind == Kind::Predicate => {
                return Some((number & 1).to_string());
            }
            Operand::Number(number) => {
                let number = match size {
                    64.. => *number,
                    _ => number & ((1 << size) - 1),
                };
                number.to_string()
            }
            Operand::Name(name) if name == "WARP_SZ" => "32".to_owned(),
            Operand::Name(name) => {
                let (bits, value) = self.load(name)?;
                self.resize(&value, bits, size, ty.is_signed())
            }
            Operand::Special(name) => {
                let (bits, value) = match self.registers.contains_key(name) {
                    true => self.load(name)?,
                    false => self.special(name)?,
                };
                self.resize(&value, bits, size, false)
            }
            Operand::Tuple(parts) => self.packed(parts, size)?,
            Operand::Not(inner) => {
                let value = self.value(inner, PREDICATE)?;
                return Some(self.op(&format!("xor i1 {value}, true")));
            }
            Operand::Address(..)
            | Operand::Pair(..)
            | Operand::Texel(..)
            | Operand::Negative(..) => return None,
        };
        Some(match ty.is_float() {
            true => self.op(&format!("bitcast i{size} {bits} to {}", ty.llvm())),
            false => bits,
        })
    }

    /// Gives a register a value. A wider register gets the value extended.
    pub fn assign(&mut self, operand: &Operand, ty: Ty, value: &str) -> Option<()> {
        let size = ty.size();
        let bits = match ty.is_float() {
            true => self.op(&format!("bitcast {} {value} to i{size}", ty.llvm())),
            false => value.to_owned(),
        };
        match operand {
            Operand::Name(name) if name == "_" => Some(()),
            Operand::Name(name) | Operand::Special(name) => {
                let (wide, _) = self.registers.get(name).cloned()?;
                let resized = self.resize(&bits, size, wide, ty.is_signed());
                self.store(name, &resized)
            }
            Operand::Tuple(parts) => self.unpack(parts, size, &bits),
            _ => None,
        }
    }

    fn packed(&mut self, parts: &[Operand], size: u32) -> Option<String> {
        let each = size.checked_div(parts.len() as u32)?;
        let mut whole = "0".to_owned();
        for (index, part) in parts.iter().enumerate() {
            let value = self.value(part, unsigned(each))?;
            let wide = self.resize(&value, each, size, false);
            let placed = self.op(&format!("shl i{size} {wide}, {}", each * index as u32));
            whole = self.op(&format!("or i{size} {whole}, {placed}"));
        }
        Some(whole)
    }

    fn unpack(&mut self, parts: &[Operand], size: u32, bits: &str) -> Option<()> {
        let each = size.checked_div(parts.len() as u32)?;
        for (index, part) in parts.iter().enumerate() {
            let shifted = self.op(&format!("lshr i{size} {bits}, {}", each * index as u32));
            let value = self.resize(&shifted, size, each, false);
            self.assign(part, unsigned(each), &value)?;
        }
        Some(())
    }

    /// The bits of a special register.
    fn special(&mut self, name: &str) -> Option<(u32, String)> {
        if name == "reserved_smem_offset_1" {
            // The lower half of the address: `shared_address` finds the rest.
            let constant = format!(
                "ptrtoint (ptr addrspacecast (ptr addrspace(3) @{RESERVED_SHARED} to ptr) to i32)"
            );
            return Some((32, constant));
        }
        if name == "is_explicit_cluster" {
            return Some((1, "false".to_owned()));
        }
        if let Some(whole) = name.strip_suffix("_hi") {
            let whole = if whole == "clock" { "clock64" } else { whole };
            let (bits, value) =
                (whole == "clock64" || whole == "globaltimer").then(|| self.special(whole))??;
            let upper = self.op(&format!("lshr i{bits} {value}, 32"));
            return Some((32, self.resize(&upper, bits, 32, false)));
        }
        let register = match name {
            "dynamic_smem_size" | "total_smem_size" | "aggr_smem_size" => name.to_owned(),
            _ => name.replace('_', "."),
        };
        let bits = if matches!(name, "clock64" | "globaltimer") {
            64
        } else {
            32
        };
        let intrinsic = format!("llvm.nvvm.read.ptx.sreg.{register}");
        Some((bits, self.call(&format!("i{bits}"), &intrinsic, &[])))
    }

    /// The address that an operand names, as `ptr`. Addresses of shared memory may be their lower 32 bits.
    pub fn address(&mut self, operand: &Operand, shared: bool) -> Option<String> {
        let Operand::Address(base, offset) = operand else {
            return None;
        };
        let Operand::Name(name) = base.as_ref() else {
            return None;
        };
        let (bits, value) = self.load(name)?;
        let mut address = match (bits, shared) {
            (64, _) => value,
            (32, true) => self.shared_address(&value),
            _ => return None,
        };
        if *offset != 0 {
            address = self.op(&format!("add i64 {address}, {offset}"));
        }
        Some(self.op(&format!("inttoptr i64 {address} to ptr")))
    }

    /// The address in the block's shared memory whose lower half is given.
    pub fn shared_address(&mut self, low: &str) -> String {
        let base = self.op("call ptr @vgpu.shared_base()");
        let base = self.op(&format!("ptrtoint ptr {base} to i64"));
        let base_low = self.op(&format!("trunc i64 {base} to i32"));
        let distance = self.op(&format!("sub i32 {low}, {base_low}"));
        let distance = self.op(&format!("zext i32 {distance} to i64"));
        self.op(&format!("add i64 {base}, {distance}"))
    }
}

//! LLVM assembly of a function under construction.

use std::collections::BTreeSet;

/// A function's text.
#[derive(Default)]
pub struct Assembler {
    /// Local variables, which the entry block makes.
    variables: String,
    text: String,
    count: usize,
    /// What is put behind each instruction: its place.
    suffix: String,
    /// Declarations of intrinsics.
    pub declarations: BTreeSet<String>,
    /// Whether the block has ended.
    ended: bool,
}

impl Assembler {
    /// The body: the variables, then the instructions.
    pub fn body(&self) -> String {
        format!("{}  br label %begin\nbegin:\n{}", self.variables, self.text)
    }

    /// Sets what is put behind each instruction.
    pub fn set_suffix(&mut self, suffix: String) {
        self.suffix = suffix;
    }

    /// A name that nothing has.
    pub fn fresh(&mut self) -> String {
        self.count += 1;
        format!("%t{}", self.count)
    }

    /// Makes a local variable.
    pub fn variable(&mut self, ty: &str, align: u64) -> String {
        let name = self.fresh();
        self.variables += &format!("  {name} = alloca {ty}, align {align}\n");
        name
    }

    /// Adds an instruction without a result.
    pub fn line(&mut self, text: &str) {
        if self.ended {
            // What follows a jump has no label, so nothing gets there.
            let dead = self.fresh();
            self.label(&dead[1..]);
        }
        self.text += &format!("  {text}{}\n", self.suffix);
    }

    /// Adds an instruction; gives its result.
    pub fn op(&mut self, text: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {text}"));
        name
    }

    /// Adds the block's last instruction.
    pub fn end(&mut self, text: &str) {
        self.line(text);
        self.ended = true;
    }

    /// Begins a block. The one before goes on there.
    pub fn label(&mut self, name: &str) {
        if !self.ended {
            self.text += &format!("  br label %\"{name}\"{}\n", self.suffix);
        }
        self.ended = false;
        self.text += &format!("\"{name}\":\n");
    }

    /// Whether the block has ended.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Calls an intrinsic. `arguments` have their types.
    pub fn call(&mut self, result: &str, name: &str, arguments: &[(&str, &str)]) -> String {
        let types: Vec<_> = arguments.iter().map(|(ty, _)| *ty).collect();
        let declaration = format!("declare {result} @{name}({})", types.join(", "));
        self.declarations.insert(declaration);
        let typed: Vec<_> = arguments
            .iter()
            .map(|(ty, value)| format!("{ty} {value}"))
            .collect();
        let call = format!("call {result} @{name}({})", typed.join(", "));
        if result == "void" {
            self.line(&call);
            return String::new();
        }
        self.op(&call)
    }

    /// An integer with another number of bits.
    pub fn resize(&mut self, value: &str, from: u32, to: u32, signed: bool) -> String {
        let operation = match (from.cmp(&to), signed) {
            (std::cmp::Ordering::Equal, _) => return value.to_owned(),
            (std::cmp::Ordering::Greater, _) => "trunc",
            (_, true) => "sext",
            (_, false) => "zext",
        };
        self.op(&format!("{operation} i{from} {value} to i{to}"))
    }
}

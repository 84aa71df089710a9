//! Functions: their types, their registers and variables, their statements.

use std::collections::HashMap;
use std::rc::Rc;

use super::assembler::Assembler;
use super::module::{self, Context};
use super::symbol::Symbol;
use super::{inline, names, space};
use crate::checker::{Scopes, labels};
use crate::syntax::{Function, Local, Space, Statement, StatementKind, Type, Variable};

/// A function under translation.
pub struct Translator<'c, 'm, 'a> {
    /// Its module.
    pub context: &'c mut Context<'m, 'a>,
    /// The function.
    pub function: &'m Function<'a>,
    /// What its names stand for.
    pub scopes: Scopes<'a, Symbol<'a>>,
    /// Its text.
    pub out: Assembler,
    /// The variable of each register: of its declaration, and its name.
    registers: HashMap<(usize, &'a str, Option<&'a str>), String>,
    /// The variable of the result.
    pub result: Option<(Type, String)>,
    declarations: usize,
    subprogram: Option<usize>,
    /// The place in the user's source, if one was said.
    place: Option<usize>,
}

/// How a value is passed to functions and returned by them.
pub enum Passing {
    /// In a register.
    Value(Type),
    /// In memory of the caller's.
    Memory,
}

impl Passing {
    /// That of a parameter.
    pub fn of(variable: &Variable<'_>) -> Passing {
        match variable.is_scalar() {
            true => Passing::Value(variable.ty),
            false => Passing::Memory,
        }
    }

    /// LLVM's type.
    pub fn llvm(&self) -> String {
        match self {
            Passing::Value(ty) => ty.llvm(),
            Passing::Memory => "ptr".to_owned(),
        }
    }
}

/// LLVM's types of results and parameters. A result in memory is the first parameter.
pub fn signature(results: &[Variable<'_>], parameters: &[Variable<'_>]) -> (String, Vec<String>) {
    let mut types = Vec::new();
    let result = match results.first().map(Passing::of) {
        Some(Passing::Value(ty)) => ty.llvm(),
        Some(Passing::Memory) => {
            types.push("ptr".to_owned());
            "void".to_owned()
        }
        None => "void".to_owned(),
    };
    types.extend(
        parameters
            .iter()
            .map(|parameter| Passing::of(parameter).llvm()),
    );
    (result, types)
}

/// A function with its body.
pub fn definition<'a>(context: &mut Context<'_, 'a>, function: &Function<'a>) -> String {
    let function = context.functions[function.name];
    let body = function.body.as_deref().unwrap_or_default();
    let mut translator = Translator {
        context,
        function,
        scopes: Scopes::new(),
        out: Assembler::default(),
        registers: HashMap::new(),
        result: None,
        declarations: 0,
        subprogram: None,
        place: None,
    };
    translator.begin(body);
    let parameters = translator.parameters();
    translator.body(body);
    translator.finish(&parameters)
}

impl<'m, 'a> Translator<'_, 'm, 'a> {
    fn begin(&mut self, body: &[Statement<'a>]) {
        let first = body.iter().find_map(|statement| match statement.kind {
            StatementKind::Location(file, line, _) if line != 0 => Some((file, line)),
            _ => None,
        });
        if let Some((file, line)) = first {
            self.subprogram = self
                .context
                .debug
                .subprogram(self.function.name, file, line);
            self.locate(file, line, 0);
        }
    }

    /// Makes variables of the parameters; gives their texts.
    fn parameters(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        if let Some(result) = self.function.results.first() {
            match Passing::of(result) {
                Passing::Value(ty) => {
                    let variable = self.parameter(result, &ty.llvm());
                    self.result = Some((ty, variable));
                }
                Passing::Memory => {
                    texts.push("ptr %result".to_owned());
                    self.declare_memory(result, "%result".to_owned());
                }
            }
        }
        for (index, parameter) in self.function.parameters.iter().enumerate() {
            texts.push(match Passing::of(parameter) {
                Passing::Value(ty) => self.scalar(index, parameter, ty),
                Passing::Memory => {
                    self.declare_memory(parameter, format!("%p{index}"));
                    match self.function.kernel {
                        true => format!(
                            "ptr byval([{} x i8]) align {} %p{index}",
                            parameter.bytes(),
                            parameter.align
                        ),
                        false => format!("ptr %p{index}"),
                    }
                }
            });
        }
        texts
    }

    fn scalar(&mut self, index: usize, parameter: &Variable<'a>, ty: Type) -> String {
        let pointer = self.function.kernel && parameter.pointer && ty.bits == 64;
        let llvm = if pointer { "ptr".to_owned() } else { ty.llvm() };
        let variable = self.parameter(parameter, &llvm);
        self.out
            .line(&format!("store {llvm} %p{index}, ptr {variable}"));
        format!("{llvm} %p{index}")
    }

    /// The variable of a parameter that is passed in a register.
    fn parameter(&mut self, parameter: &Variable<'a>, llvm: &str) -> String {
        let variable = self
            .out
            .variable(llvm, parameter.align.max(parameter.ty.bytes()));
        if parameter.space == Space::Register {
            let declaration = self.declaration();
            self.registers
                .insert((declaration, parameter.name, None), variable.clone());
            let symbol = Symbol::Register {
                ty: parameter.ty,
                vector: 1,
                declaration,
            };
            self.declare(parameter.name, symbol);
        } else {
            self.declare_memory(parameter, variable.clone());
        }
        variable
    }

    fn declaration(&mut self) -> usize {
        self.declarations += 1;
        self.declarations
    }

    fn declare(&mut self, name: &'a str, symbol: Symbol<'a>) {
        self.scopes.declare(name, symbol);
    }

    fn declare_memory(&mut self, variable: &Variable<'a>, address: String) {
        let element = variable.ty.bytes() * variable.vector;
        self.declare(variable.name, Symbol::Memory { address, element });
    }

    fn body(&mut self, body: &[Statement<'a>]) {
        // The checker has seen them.
        let mut labels = labels(body).unwrap_or_default();
        let own = labels.remove(&None).unwrap_or_default();
        own.into_iter().for_each(|name| self.declare_label(name));
        for (index, statement) in body.iter().enumerate() {
            match &statement.kind {
                StatementKind::Open => {
                    self.scopes.open();
                    let own = labels.remove(&Some(index)).unwrap_or_default();
                    own.into_iter().for_each(|name| self.declare_label(name));
                }
                StatementKind::Close => self.scopes.close(),
                StatementKind::Label(name) => self.label(name),
                StatementKind::Local(local) => self.local(local),
                StatementKind::Location(file, line, column) => self.locate(*file, *line, *column),
                StatementKind::Instruction(instruction) => {
                    self.at_line(instruction.position.line);
                    self.instruction(instruction);
                }
            }
        }
        if !self.out.has_ended() {
            self.ret();
        }
    }

    fn declare_label(&mut self, name: &'a str) {
        let block = format!("{name}.{}", self.out.fresh().trim_start_matches('%'));
        self.declare(name, Symbol::Label(block));
    }

    fn label(&mut self, name: &str) {
        if let Some((Symbol::Label(block), _)) = self.scopes.find(name) {
            self.out.label(&block);
        }
    }

    fn local(&mut self, local: &Local<'a>) {
        match local {
            Local::Registers {
                ty,
                vector,
                name,
                count,
            } => {
                let symbol = Symbol::Register {
                    ty: *ty,
                    vector: *vector,
                    declaration: self.declaration(),
                };
                match count {
                    Some(count) => self.scopes.declare_range(name, *count, symbol),
                    None => self.scopes.declare(name, symbol),
                };
            }
            Local::Variable(variable) => self.variable(variable),
            // Their names are labels so far.
            Local::Prototype(name, prototype) => {
                self.declare(name, Symbol::Prototype(Rc::new(prototype.clone())));
            }
            Local::Targets(name, targets) => {
                self.declare(name, Symbol::Targets(Rc::new(targets.clone())));
            }
        }
    }

    fn variable(&mut self, variable: &Variable<'a>) {
        let address = match variable.space {
            Space::Global | Space::Constant | Space::Shared => {
                let index = self.declaration();
                // The runtime's variables keep their names, by which they are known.
                let name = match variable.name.starts_with("omptarget") {
                    true => names::global(variable.name),
                    false => {
                        names::global(&format!("{}.{}.{index}", self.function.name, variable.name))
                    }
                };
                let text = module::global(self.context, &name, variable);
                self.context.statics.insert(text);
                space::generic(&name, variable.space)
            }
            Space::Local | Space::Parameter | Space::Register => {
                let bytes = variable.bytes();
                self.out
                    .variable(&format!("[{bytes} x i8]"), variable.align)
            }
        };
        self.declare_memory(variable, address);
    }

    fn locate(&mut self, file: u64, line: u64, column: u64) {
        if let Some(subprogram) = self.subprogram {
            self.place = self.context.debug.location(subprogram, file, line, column);
        }
    }

    /// Says where the instructions that follow come from.
    fn at_line(&mut self, line: u32) {
        let line = self.context.debug.line(line);
        let place = self
            .place
            .map(|place| format!(", !dbg !{place}"))
            .unwrap_or_default();
        self.out.set_suffix(format!("{place}, !ptx.line !{line}"));
    }

    /// The variable of a register.
    pub fn register(
        &mut self,
        declaration: usize,
        name: &'a str,
        component: Option<&'a str>,
        ty: Type,
    ) -> String {
        let key = (declaration, name, component);
        if let Some(known) = self.registers.get(&key) {
            return known.clone();
        }
        let variable = self.out.variable(&ty.llvm(), ty.bytes());
        self.registers.insert(key, variable.clone());
        variable
    }

    fn finish(mut self, parameters: &[String]) -> String {
        let function = self.function;
        let (result, _) = signature(&function.results, &[]);
        let head = match function.kernel {
            true => "define ptx_kernel void",
            false => &format!("define internal {result}"),
        };
        let mut bounds = String::new();
        let threads = [
            ("maxntid", function.bounds.threads),
            ("reqntid", function.bounds.block),
        ];
        for (name, extents) in threads {
            if let Some([x, y, z]) = extents {
                bounds += &format!(" \"nvvm.{name}\"=\"{x},{y},{z}\"");
            }
        }
        if let Some(blocks) = function.bounds.blocks {
            bounds += &format!(" \"nvvm.minctasm\"=\"{blocks}\"");
        }
        let place = self
            .subprogram
            .map(|node| format!(" !dbg !{node}"))
            .unwrap_or_default();
        self.context.declarations.append(&mut self.out.declarations);
        format!(
            "{head} {}({}) #0{bounds}{place} {{\n{}}}\n",
            names::global(function.name),
            parameters.join(", "),
            self.out.body()
        )
    }

    /// An instruction that is not known here is known to the compiler, or refuses the kernel.
    fn instruction(&mut self, instruction: &crate::syntax::Instruction<'a>) {
        let after = self.guard(instruction);
        let families = [
            Self::control,
            Self::calls,
            Self::memory,
            Self::carries,
            Self::barriers,
            Self::integers,
            Self::floats,
            Self::conversions,
            Self::hints,
        ];
        let known = families
            .iter()
            .any(|family| family(self, instruction).is_some());
        if !known {
            inline::emit(self, instruction);
        }
        if let Some(after) = after {
            self.out.label(&after);
        }
    }
}

//! A declaration whose result is not the definition's. NVIDIA's linker does not compare results, and compilers rely on
//! it: Numba declares each function of C as one that returns a value. Such a module calls a function of our making,
//! which has the declaration's type and calls the one that is meant.

use crate::syntax::{Function, Space, Variable};

/// What a function takes and returns.
pub struct Shape<'a> {
    results: Vec<Variable<'a>>,
    parameters: Vec<Variable<'a>>,
}

impl<'a> Shape<'a> {
    /// That of a function.
    pub fn of(function: &Function<'a>) -> Shape<'a> {
        Shape {
            results: function.results.clone(),
            parameters: function.parameters.clone(),
        }
    }

    /// Whether calls of it, as declared, need an adapter to a definition: only one of them returns something.
    pub fn needs_adapter(&self, definition: &Shape<'_>) -> bool {
        let variables = |shape: &Shape<'_>| {
            let all = shape.parameters.iter().chain(&shape.results);
            all.map(|one| (one.space, one.bytes(), one.is_scalar()))
                .collect::<Vec<_>>()
        };
        let parameters = self.parameters.len();
        let (own, other) = (variables(self), variables(definition));
        let is_in_memory = |(space, ..): &(Space, u64, bool)| *space == Space::Parameter;
        self.results.len() != definition.results.len()
            && parameters == definition.parameters.len()
            && own[..parameters] == other[..parameters]
            && own.iter().chain(&other).all(is_in_memory)
    }

    /// The adapter's text.
    pub fn adapter(&self, name: &str, callee: &str, definition: &Shape<'_>) -> String {
        let declared = |variables: &[Variable<'_>], kind: &str| {
            let variables = variables.iter().enumerate();
            let each = variables.map(|(index, one)| declaration(one, &format!("${kind}{index}")));
            each.collect::<Vec<_>>()
        };
        let own = |variables, kind| format!("({})", declared(variables, kind).join(", "));
        let result = match self.results.is_empty() {
            true => String::new(),
            false => own(&self.results, "result") + " ",
        };
        let parameters = own(&self.parameters, "given");
        let mut text = format!(".func {result}{name}{parameters} {{\n");
        text += ".reg .b16 %b8, %b16;\n.reg .b32 %b32;\n.reg .b64 %b64;\n";
        let locals = declared(&definition.parameters, "passed").into_iter();
        for local in locals.chain(declared(&definition.results, "dropped")) {
            text += &format!("{local};\n");
        }
        for (index, one) in self.parameters.iter().enumerate() {
            for (bits, at) in pieces(one) {
                text += &format!("ld.param.b{bits} %b{bits}, [$given{index}{at}];\n");
                text += &format!("st.param.b{bits} [$passed{index}{at}], %b{bits};\n");
            }
        }
        let passed = (0..self.parameters.len()).map(|index| format!("$passed{index}"));
        let passed = passed.collect::<Vec<_>>().join(", ");
        let dropped = match definition.results.is_empty() {
            true => "",
            false => "($dropped0), ",
        };
        text += &format!("call {dropped}{callee}, ({passed});\n");
        for (index, one) in self.results.iter().enumerate() {
            for (bits, at) in pieces(one) {
                text += &format!("st.param.b{bits} [$result{index}{at}], 0;\n");
            }
        }
        text + "ret;\n}\n"
    }
}

/// A parameter's declaration by another name.
fn declaration(variable: &Variable<'_>, name: &str) -> String {
    match variable.is_scalar() {
        true => format!(".param .b{} {name}", variable.ty.bytes() * 8),
        false => {
            let (align, bytes) = (variable.align, variable.bytes());
            format!(".param .align {align} .b8 {name}[{bytes}]")
        }
    }
}

/// The pieces in which a parameter is copied: their bits, and where they are, behind its name.
fn pieces(variable: &Variable<'_>) -> impl Iterator<Item = (u64, String)> {
    let (align, bytes) = (variable.align.max(1), variable.bytes());
    let fits = |size: &u64| bytes.is_multiple_of(*size) && align.is_multiple_of(*size);
    let size = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
    (0..bytes / size).map(move |number| {
        let at = match number {
            0 => String::new(),
            _ => format!("+{}", number * size),
        };
        (size * 8, at)
    })
}

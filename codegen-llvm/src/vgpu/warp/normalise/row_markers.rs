//! Calls that stand for what is known only when the warp form is written, and calls that mark places until LLVM has
//! split the phis.

use crate::ir::{Builder, Context, Module, Type, Value};
use crate::vgpu::warp::analysis::callee;

/// The place before the first active lane's values are computed.
pub const START: &str = "vgpu.row.start";
/// The place behind them. Arguments: see [`Entry`].
pub const ENTER: &str = "vgpu.row.enter";
/// The place before the end of the block that leaves the code.
pub const END: &str = "vgpu.row.end";
/// A value in the code, and what it is in a row.
pub const CHOICE: &str = "vgpu.row.choice";

/// The marker functions of a module.
pub struct Markers {
    context: Context,
    first: [Value; 2],
    choice: [Value; 2],
    /// The number of lanes of a subgroup, 32 bits.
    pub lanes: Value,
    /// A condition that LLVM does not see to be its argument.
    pub same: Value,
    start: Value,
    enter: Value,
    end: Value,
}

/// What [`ENTER`] tells.
pub struct Entry {
    /// Whether the row's values are certain.
    pub certain: Value,
    /// The lanes in the row, from the first active one on, 64 bits.
    pub length: Value,
    /// Whether rows are long enough to be run one after the other.
    pub long: Value,
    /// The thread id and the first active lane's, 32 bits.
    pub id: Value,
    pub first_id: Value,
}

impl Markers {
    /// Declares the markers.
    pub fn new(module: &Module) -> Markers {
        let context = module.context;
        let int = |bits| Type::int(context, bits);
        let void = Type::void(context);
        let both = |name: &str, arguments: usize| {
            [32, 64].map(|bits| {
                let ty = Type::function(int(bits), &vec![int(bits); arguments]);
                module.declare(&format!("{name}.i{bits}"), ty)
            })
        };
        let first = both(callee::FIRST, 1);
        // The result depends on which lanes are active, so calls must stay where they are.
        let same = module.declare(callee::SAME, Type::function(int(1), &[int(1)]));
        for function in first.into_iter().chain([same]) {
            function.set_effects_unseen(context);
            for name in ["convergent", "nounwind", "willreturn"] {
                function.add_attribute(context, name);
            }
        }
        let enter = [int(1), int(64), int(1), int(32), int(32)];
        Markers {
            context,
            first,
            choice: both(CHOICE, 2),
            lanes: module.declare(callee::LANES, Type::function(int(32), &[])),
            same,
            start: module.declare(START, Type::function(void, &[])),
            enter: module.declare(ENTER, Type::function(void, &enter)),
            end: module.declare(END, Type::function(void, &[])),
        }
    }

    /// The first active lane's value of a 32-bit or 64-bit integer.
    pub fn first(&self, builder: &Builder, value: Value) -> Value {
        builder.call_function(self.of_width(self.first, value), &[value])
    }

    /// Makes all users of a value choose between it and what it is in a row.
    pub fn choose(&self, value: Value, in_row: Value) {
        let Some(next) = value.next() else {
            return;
        };
        let builder = Builder::before(self.context, next);
        let function = self.of_width(self.choice, value);
        let choice = builder.call_function(function, &[in_row, in_row]);
        value.replace_all_uses(choice);
        choice.set_operand(0, value);
    }

    fn of_width(&self, functions: [Value; 2], value: Value) -> Value {
        functions[usize::from(value.ty().int_width() == 64)]
    }

    /// Marks the place before the first active lane's values.
    pub fn start(&self, builder: &Builder) {
        builder.call_function(self.start, &[]);
    }

    /// Marks the place behind them.
    pub fn enter(&self, builder: &Builder, entry: &Entry) {
        let arguments = [
            entry.certain,
            entry.length,
            entry.long,
            entry.id,
            entry.first_id,
        ];
        builder.call_function(self.enter, &arguments);
    }

    /// Marks the end.
    pub fn end(&self, builder: &Builder) {
        builder.call_function(self.end, &[]);
    }
}

impl Entry {
    /// What a call of [`ENTER`] tells.
    pub fn of(call: Value) -> Entry {
        Entry {
            certain: call.operand(0),
            length: call.operand(1),
            long: call.operand(2),
            id: call.operand(3),
            first_id: call.operand(4),
        }
    }
}

/// Whether an instruction is a marker of this name.
pub fn is(instruction: Value, name: &str) -> bool {
    let called = instruction.called_function();
    called.is_some_and(|called| called.name().starts_with(name))
}

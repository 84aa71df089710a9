//! Random kernels as trees, and the rules for where a statement may stand. The interpreter and the emitter both
//! skip statements that break a rule.

use serde::{Deserialize, Serialize};

/// Variables of a function.
pub const VARIABLES: usize = 4;
/// Words of a thread's private array.
pub const PRIVATE: u32 = 8;
/// Words that a thread writes to the output while it runs. Its variables follow.
pub const SLOTS: u32 = 4;
/// Words of the input that any index may reach. More follow for tiles ([`Tile::ELEMENTS`]).
pub const INPUTS: u32 = 64;
/// Counters per atomic operation.
pub const COUNTERS: u32 = 4;
/// Functions that may be called from anywhere. Later ones call earlier ones. The one after them synchronises.
pub const FUNCTIONS: usize = 2;
/// Blocks of a launch.
pub const BLOCKS: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operation {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Divide,
    Remainder,
    /// Arithmetic on the operands' low bytes as floats: a * b + 0.5.
    Float,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Relation {
    Equal,
    Below,
    SignedLess,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expression {
    Constant(u32),
    Variable(u8),
    Thread,
    Lane,
    Warp,
    Block,
    Input(Box<Expression>),
    Private(Box<Expression>),
    Interleaved(InterleavedAccess, Box<Expression>),
    /// Reads the input element of the thread in a tile.
    InTile(Tile),
    /// The number of threads of the block.
    Threads,
    Binary(Operation, Box<(Expression, Expression)>),
    Select(Box<(Condition, Expression, Expression)>),
}

/// A tile of threads: rows of a power of two of columns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tile {
    /// Binary logarithm of the columns, 1 to 4.
    pub columns: u32,
    /// Elements from column to column.
    pub across: u32,
    /// Elements from row to row.
    pub down: u32,
}

impl Tile {
    /// The element of a thread.
    pub fn element(self, thread: u32) -> u32 {
        let (row, column) = (thread >> self.columns, thread & ((1 << self.columns) - 1));
        row * self.down + column * self.across
    }

    /// The greatest number of elements from column to column, and from row to row.
    pub const MOST: u32 = 20;
    /// Elements of the tiles of 128 threads.
    pub const ELEMENTS: u32 = (64 + 16) * Tile::MOST;
}

/// Reads consecutive elements of the input as the digits of a number to base 3.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterleavedAccess {
    /// At most [`InterleavedAccess::MAX_WORDS`] words.
    pub elements: u32,
    /// Whether an element has two words, which are combined with XOR.
    pub wide: bool,
}

impl InterleavedAccess {
    /// Most words.
    pub const MAX_WORDS: u32 = 12;
    /// Bound of the index of the first word.
    pub const STARTS: u32 = 32;
}

const _: () = assert!(InterleavedAccess::STARTS + InterleavedAccess::MAX_WORDS <= INPUTS);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    pub relation: Relation,
    pub left: Expression,
    pub right: Expression,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Atomic {
    Add,
    Max,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Vote {
    All,
    Any,
    Ballot,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Statement {
    Set(u8, Expression),
    /// Sets the variable to the first operand divided by the second, in threads where the second is not 0.
    DivideIfPossible(u8, Expression, Expression),
    StorePrivate(Expression, Expression),
    Output(Expression, Expression),
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// At most four iterations. The expression's low bits give the number.
    Repeat(Expression, Vec<Statement>),
    Break(Condition),
    Continue(Condition),
    Return(Condition),
    Count(Atomic, Expression, Expression),
    Call(u8, u8, Expression, Expression),
    CallIndirectly(u8, Expression, Expression),
    CallSynchronising(u8, Expression),
    Barrier,
    /// One barrier at two places. The variable grows by one before it, or doubles after it.
    DivergentBarrier(u8, Condition),
    /// Counts the threads in which the condition holds.
    CountAtBarrier(u8, Condition),
    /// Sets the variable to that of another thread, a given distance further, through shared memory.
    Exchange(u8, u8),
    /// Writes the variable to the thread's place in a tile in shared memory, and reads that of the thread a column
    /// further. In blocks of whole warps.
    Tile(u8, u32),
    Shuffle(Shuffle, u8, Expression, Expression),
    Vote(Vote, u8, Condition),
    /// Sum over the lanes.
    Reduce(u8, Expression),
    Match(u8, Expression),
    MatchAll(u8, Expression),
    /// The lanes for which the condition holds run the body, with the mask that a ballot gave.
    Among(Condition, Vec<Statement>),
    /// The active lanes.
    ActiveMask(u8),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    pub threads: u32,
    /// Whether the kernel states a bound of its threads: the next multiple of the warp size.
    #[serde(default)]
    pub bounded: bool,
    /// Whether to keep barriers, warp operations and calls.
    pub barriers: bool,
    pub warps: bool,
    pub calls: bool,
    /// Whether functions must not be inlined.
    pub noinline: bool,
    pub body: Vec<Statement>,
    pub functions: [Vec<Statement>; FUNCTIONS + 1],
}

/// The threads that are certainly converged at a place.
#[derive(Clone, Copy, PartialEq)]
pub enum Converged {
    /// None.
    None,
    /// The lanes in a known mask.
    Lanes,
    /// The block's threads that have not ended.
    Block,
}

/// Which statements may stand at a place.
#[derive(Clone, Copy)]
pub struct Place {
    pub converged: Converged,
    /// Whether `activemask` gives the same lanes as on a GPU in lockstep.
    pub active_mask: bool,
    pub in_loop: bool,
    /// Functions that may be called.
    pub callable: usize,
    /// Whether this is the kernel itself.
    pub kernel: bool,
    /// Whether some threads may leave the function before others.
    pub may_return: bool,
}

impl Place {
    pub const KERNEL: Place = Place {
        converged: Converged::Block,
        active_mask: true,
        in_loop: false,
        callable: FUNCTIONS,
        kernel: true,
        may_return: true,
    };

    /// The place of the body of function `index`.
    pub fn function(index: usize) -> Place {
        let synchronises = index == FUNCTIONS;
        Place {
            converged: match synchronises {
                true => Converged::Block,
                false => Converged::None,
            },
            active_mask: false,
            in_loop: false,
            callable: index.min(FUNCTIONS),
            kernel: false,
            may_return: !synchronises,
        }
    }

    /// The place inside a branch on a condition with this uniformity.
    pub fn under(self, uniform: Uniform) -> Place {
        Place {
            converged: match (uniform, self.converged) {
                (Uniform::Block, converged) => converged,
                (Uniform::Warp, Converged::Block | Converged::Lanes) => Converged::Lanes,
                _ => Converged::None,
            },
            // In a loop that is not unrolled, fibers that took the other branch reach a place in their next
            // iteration while others still wait there in this one.
            active_mask: self.active_mask && (uniform != Uniform::No || !self.in_loop),
            ..self
        }
    }

    /// Inside of a loop.
    pub fn within(self, uniform: Uniform, body: &[Statement]) -> Place {
        let lockstep = uniform != Uniform::No && !leaves(body);
        let place = self.under(if lockstep { uniform } else { Uniform::No });
        Place {
            in_loop: true,
            active_mask: place.active_mask && lockstep,
            ..place
        }
    }

    /// Whether the statement may stand here.
    pub fn admits(self, program: &Program, statement: &Statement) -> bool {
        let block = self.converged == Converged::Block;
        let warp = program.warps && self.converged != Converged::None;
        match statement {
            Statement::Break(_) | Statement::Continue(_) => self.in_loop,
            Statement::Return(_) => self.may_return,
            Statement::Call(_, function, ..) => {
                program.calls && usize::from(*function) < self.callable
            }
            Statement::CallIndirectly(..) => program.calls && self.callable == FUNCTIONS,
            Statement::CallSynchronising(..) => {
                program.calls && program.barriers && block && self.kernel
            }
            Statement::Barrier
            | Statement::DivergentBarrier(..)
            | Statement::CountAtBarrier(..)
            | Statement::Exchange(..) => program.barriers && block,
            Statement::Tile(..) => program.barriers && block && program.threads.is_multiple_of(32),
            Statement::Shuffle(..)
            | Statement::Vote(..)
            | Statement::Reduce(..)
            | Statement::Match(..)
            | Statement::MatchAll(..)
            | Statement::Among(..) => warp,
            Statement::ActiveMask(_) => program.warps && self.active_mask,
            _ => true,
        }
    }
}

/// Whether some lanes may leave an iteration of the loop with this body earlier than others.
fn leaves(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Break(_) | Statement::Continue(_) => true,
        Statement::If(_, then, otherwise) => leaves(then) || leaves(otherwise),
        Statement::Among(_, body) => leaves(body),
        _ => false,
    })
}

/// The threads that certainly have the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Uniform {
    No,
    Warp,
    Block,
}

impl Expression {
    pub fn uniform(&self) -> Uniform {
        match self {
            Expression::Constant(_) | Expression::Block | Expression::Threads => Uniform::Block,
            Expression::Warp => Uniform::Warp,
            Expression::Variable(_)
            | Expression::Thread
            | Expression::Lane
            | Expression::InTile(_)
            | Expression::Private(_) => Uniform::No,
            Expression::Input(index) | Expression::Interleaved(_, index) => index.uniform(),
            Expression::Binary(_, operands) => operands.0.uniform().min(operands.1.uniform()),
            Expression::Select(parts) => {
                let values = parts.1.uniform().min(parts.2.uniform());
                parts.0.uniform().min(values)
            }
        }
    }
}

impl Condition {
    pub fn uniform(&self) -> Uniform {
        // `if (threadIdx.x < 32)` does not make a warp diverge.
        if let (Relation::Below, Expression::Thread, Expression::Constant(bound)) =
            (self.relation, &self.left, &self.right)
            && bound.is_multiple_of(32)
        {
            return Uniform::Warp;
        }
        self.left.uniform().min(self.right.uniform())
    }
}

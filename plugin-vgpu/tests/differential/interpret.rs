//! Runs a program statement by statement, each for all active threads of the block. It is slow and does not use
//! LLVM.

use std::collections::HashMap;

use crate::program::*;

/// Words of the output per thread.
pub const OUTPUTS: u32 = SLOTS + VARIABLES as u32;

/// The results of a launch: the output and the counters.
pub struct Memory {
    pub output: Vec<u32>,
    pub counters: Vec<u32>,
}

/// The counters of all operations, before the launch and after.
pub const ALL_COUNTERS: u32 = 3 * COUNTERS;

/// A thread's view of a function.
#[derive(Clone, Default)]
struct Frame {
    variables: [u32; VARIABLES],
    private: [u32; PRIVATE as usize],
}

/// A set of threads.
type Set = Vec<bool>;

struct Block<'a> {
    program: &'a Program,
    input: &'a [u32],
    number: u32,
    memory: &'a mut Memory,
    /// Threads that have ended.
    ended: Set,
}

/// A function that is running.
struct Activation {
    frames: Vec<Frame>,
    /// Threads that have returned.
    returned: Set,
    result: Vec<u32>,
}

/// The threads that have left the iteration, and those that have left the loop.
#[derive(Clone)]
struct Iteration {
    continued: Set,
    broken: Set,
}

pub fn interpret(program: &Program, input: &[u32]) -> Memory {
    let threads = program.threads;
    let mut memory = Memory {
        output: vec![0; (BLOCKS * threads * OUTPUTS) as usize],
        counters: vec![0; ALL_COUNTERS as usize],
    };
    for number in 0..BLOCKS {
        let mut block = Block {
            program,
            input,
            number,
            memory: &mut memory,
            ended: vec![false; threads as usize],
        };
        block.kernel();
    }
    memory
}

impl Block<'_> {
    fn kernel(&mut self) {
        let all = vec![true; self.ended.len()];
        let mut kernel = self.activation(|thread| [thread, 1, 2, 3]);
        self.run(&self.program.body, &all, &mut kernel, Place::KERNEL, None);
        for (thread, frame) in kernel.frames.iter().enumerate() {
            // A thread that returned early has also stored its variables.
            for (index, &value) in frame.variables.iter().enumerate() {
                let at = self.output_at(thread, SLOTS + index as u32);
                self.memory.output[at] = value;
            }
        }
    }

    fn activation(&self, variables: impl Fn(u32) -> [u32; VARIABLES]) -> Activation {
        let threads = self.ended.len();
        let frame = |thread| Frame {
            variables: variables(thread as u32),
            ..Frame::default()
        };
        Activation {
            frames: (0..threads).map(frame).collect(),
            returned: vec![false; threads],
            result: vec![0; threads],
        }
    }

    fn output_at(&self, thread: usize, slot: u32) -> usize {
        ((self.number * self.program.threads + thread as u32) * OUTPUTS + slot) as usize
    }

    fn run(
        &mut self,
        body: &[Statement],
        active: &Set,
        to: &mut Activation,
        place: Place,
        mut iteration: Option<&mut Iteration>,
    ) {
        for statement in body {
            if !place.admits(self.program, statement) {
                continue;
            }
            let left = |thread: usize| {
                let left_iteration = iteration.as_ref().is_some_and(|iteration| {
                    iteration.continued[thread] || iteration.broken[thread]
                });
                self.ended[thread] || to.returned[thread] || left_iteration
            };
            let here: Set = (0..active.len())
                .map(|thread| active[thread] && !left(thread))
                .collect();
            if here.contains(&true) {
                self.step(statement, &here, to, place, iteration.as_deref_mut());
            }
        }
    }

    fn step(
        &mut self,
        statement: &Statement,
        here: &Set,
        to: &mut Activation,
        place: Place,
        iteration: Option<&mut Iteration>,
    ) {
        let value = |block: &Self, to: &Activation, expression: &Expression, thread: usize| {
            block.value(expression, thread, &to.frames[thread])
        };
        match statement {
            Statement::Set(variable, expression) => {
                for thread in members(here) {
                    to.frames[thread].variables[usize::from(*variable)] =
                        value(self, to, expression, thread);
                }
            }
            Statement::DivideIfPossible(variable, left, right) => {
                for thread in members(here) {
                    let left = value(self, to, left, thread);
                    if let Some(quotient) = left.checked_div(value(self, to, right, thread)) {
                        to.frames[thread].variables[usize::from(*variable)] = quotient;
                    }
                }
            }
            Statement::StorePrivate(index, expression) => {
                for thread in members(here) {
                    let index = value(self, to, index, thread) % PRIVATE;
                    to.frames[thread].private[index as usize] = value(self, to, expression, thread);
                }
            }
            Statement::Output(slot, expression) => {
                for thread in members(here) {
                    let at = self.output_at(thread, value(self, to, slot, thread) % SLOTS);
                    self.memory.output[at] = value(self, to, expression, thread);
                }
            }
            Statement::If(condition, then, otherwise) => {
                let holds = self.holding(condition, here, to);
                let inside = place.under(condition.uniform());
                let mut iteration = iteration;
                self.run(then, &holds, to, inside, iteration.as_deref_mut());
                let fails = here
                    .iter()
                    .zip(&holds)
                    .map(|(&here, &holds)| here && !holds);
                self.run(otherwise, &fails.collect(), to, inside, iteration);
            }
            Statement::Repeat(count, body) => {
                let counts: Vec<u32> = (0..here.len())
                    .map(|thread| value(self, to, count, thread) & 3)
                    .collect();
                self.repeat(&counts, body, here, to, place.within(count.uniform(), body));
            }
            Statement::Break(condition) => {
                let holds = self.holding(condition, here, to);
                let iteration = iteration.expect("only in loops");
                members(&holds).for_each(|thread| iteration.broken[thread] = true);
            }
            Statement::Continue(condition) => {
                let holds = self.holding(condition, here, to);
                let iteration = iteration.expect("only in loops");
                members(&holds).for_each(|thread| iteration.continued[thread] = true);
            }
            Statement::Return(condition) => {
                let holds = self.holding(condition, here, to);
                for thread in members(&holds) {
                    to.returned[thread] = true;
                    to.result[thread] = to.frames[thread].variables[0];
                    self.ended[thread] |= place.kernel;
                }
            }
            Statement::Count(operation, index, operand) => {
                for thread in members(here) {
                    let index = value(self, to, index, thread) % COUNTERS;
                    let operand = value(self, to, operand, thread);
                    let counter =
                        &mut self.memory.counters[(*operation as u32 * COUNTERS + index) as usize];
                    *counter = match operation {
                        Atomic::Add => counter.wrapping_add(operand),
                        Atomic::Max => (*counter).max(operand),
                        Atomic::Xor => *counter ^ operand,
                    };
                }
            }
            Statement::Call(variable, function, left, right) => {
                self.call(*variable, usize::from(*function), (left, right), here, to);
            }
            Statement::CallIndirectly(variable, selector, argument) => {
                let chosen: Vec<usize> = (0..here.len())
                    .map(|thread| value(self, to, selector, thread) as usize % FUNCTIONS)
                    .collect();
                for function in 0..FUNCTIONS {
                    let callers = (0..here.len())
                        .map(|thread| here[thread] && chosen[thread] == function)
                        .collect();
                    self.call(*variable, function, (argument, argument), &callers, to);
                }
            }
            Statement::CallSynchronising(variable, argument) => {
                self.call(*variable, FUNCTIONS, (argument, argument), here, to);
            }
            Statement::Barrier => {}
            Statement::DivergentBarrier(variable, condition) => {
                let holds = self.holding(condition, here, to);
                for thread in members(here) {
                    let value = &mut to.frames[thread].variables[usize::from(*variable)];
                    *value = match holds[thread] {
                        true => value.wrapping_add(1),
                        false => value.wrapping_mul(2),
                    };
                }
            }
            Statement::CountAtBarrier(variable, condition) => {
                let holds = self.holding(condition, here, to);
                let count = members(&holds).count() as u32;
                for thread in members(here) {
                    to.frames[thread].variables[usize::from(*variable)] = count;
                }
            }
            Statement::Exchange(variable, distance) => {
                let variable = usize::from(*variable);
                let mut shared = vec![0; here.len()];
                for thread in members(here) {
                    shared[thread] = to.frames[thread].variables[variable];
                }
                for thread in members(here) {
                    let from = (thread + usize::from(*distance)) % here.len();
                    // A thread that has ended wrote nothing.
                    to.frames[thread].variables[variable] = shared[from];
                }
            }
            Statement::Tile(variable, columns) => {
                let (variable, last) = (usize::from(*variable), (1 << columns) - 1);
                let mut shared = vec![0; here.len()];
                for thread in members(here) {
                    shared[thread] = to.frames[thread].variables[variable];
                }
                for thread in members(here) {
                    let from = thread & !last | (thread + 1) & last;
                    to.frames[thread].variables[variable] = shared[from];
                }
            }
            Statement::Shuffle(mode, variable, expression, operand) => {
                let given: Vec<u32> = (0..here.len())
                    .map(|thread| value(self, to, expression, thread))
                    .collect();
                for thread in members(here) {
                    let operand = (value(self, to, operand, thread) & 31) as i32;
                    let lane = (thread % 32) as i32;
                    let source = match mode {
                        Shuffle::Up => lane - operand,
                        Shuffle::Down => lane + operand,
                        Shuffle::Butterfly => lane ^ operand,
                        Shuffle::Index => operand,
                    };
                    let from = (thread as i32 - lane + source) as usize;
                    let takes_part =
                        (0..32).contains(&source) && here.get(from).copied().unwrap_or(false);
                    to.frames[thread].variables[usize::from(*variable)] =
                        given[if takes_part { from } else { thread }];
                }
            }
            Statement::Vote(vote, variable, condition) => {
                let holds = self.holding(condition, here, to);
                for thread in members(here) {
                    let (lanes, yes) = (warp_mask(here, thread), warp_mask(&holds, thread));
                    to.frames[thread].variables[usize::from(*variable)] = match vote {
                        Vote::All => u32::from(lanes == yes),
                        Vote::Any => u32::from(yes != 0),
                        Vote::Ballot => yes,
                    };
                }
            }
            Statement::Reduce(variable, expression) => {
                let mut sums: HashMap<usize, u32> = HashMap::new();
                for thread in members(here) {
                    let sum = sums.entry(thread / 32).or_default();
                    *sum = sum.wrapping_add(value(self, to, expression, thread));
                }
                for thread in members(here) {
                    to.frames[thread].variables[usize::from(*variable)] = sums[&(thread / 32)];
                }
            }
            Statement::Match(variable, expression) => {
                let given: Vec<u32> = (0..here.len())
                    .map(|thread| value(self, to, expression, thread))
                    .collect();
                for thread in members(here) {
                    let equal: Set = (0..here.len())
                        .map(|other| here[other] && given[other] == given[thread])
                        .collect();
                    to.frames[thread].variables[usize::from(*variable)] = warp_mask(&equal, thread);
                }
            }
            Statement::MatchAll(variable, expression) => {
                let given: Vec<u32> = (0..here.len())
                    .map(|thread| value(self, to, expression, thread))
                    .collect();
                for thread in members(here) {
                    let mut warp = members(here).filter(|other| other / 32 == thread / 32);
                    let all = warp.all(|other| given[other] == given[thread]);
                    to.frames[thread].variables[usize::from(*variable)] = match all {
                        true => warp_mask(here, thread),
                        false => 0,
                    };
                }
            }
            Statement::Among(condition, body) => {
                let holds = self.holding(condition, here, to);
                let among = Place {
                    converged: Converged::Lanes,
                    ..place
                };
                self.run(body, &holds, to, among, iteration);
            }
            Statement::ActiveMask(variable) => {
                for thread in members(here) {
                    to.frames[thread].variables[usize::from(*variable)] = warp_mask(here, thread);
                }
            }
        }
    }

    fn repeat(
        &mut self,
        counts: &[u32],
        body: &[Statement],
        here: &Set,
        to: &mut Activation,
        place: Place,
    ) {
        let mut broken = vec![false; here.len()];
        for round in 0..3 {
            let inside: Set = (0..here.len())
                .map(|thread| here[thread] && counts[thread] > round && !broken[thread])
                .collect();
            let mut iteration = Iteration {
                continued: vec![false; here.len()],
                broken,
            };
            self.run(body, &inside, to, place, Some(&mut iteration));
            broken = iteration.broken;
        }
    }

    fn call(
        &mut self,
        variable: u8,
        function: usize,
        (left, right): (&Expression, &Expression),
        here: &Set,
        to: &mut Activation,
    ) {
        let mut callee = self.activation(|thread| {
            let frame = &to.frames[thread as usize];
            let argument = |expression| self.value(expression, thread as usize, frame);
            [argument(left), argument(right), 0, 0]
        });
        let body = &self.program.functions[function];
        self.run(body, here, &mut callee, Place::function(function), None);
        for thread in members(here) {
            let result = match callee.returned[thread] {
                true => callee.result[thread],
                false => callee.frames[thread].variables[0],
            };
            to.frames[thread].variables[usize::from(variable)] = result;
        }
    }

    fn holding(&self, condition: &Condition, here: &Set, to: &Activation) -> Set {
        (0..here.len())
            .map(|thread| here[thread] && self.holds(condition, thread, &to.frames[thread]))
            .collect()
    }

    fn holds(&self, condition: &Condition, thread: usize, frame: &Frame) -> bool {
        let left = self.value(&condition.left, thread, frame);
        let right = self.value(&condition.right, thread, frame);
        match condition.relation {
            Relation::Equal => left == right,
            Relation::Below => left < right,
            Relation::SignedLess => (left as i32) < right as i32,
        }
    }

    fn value(&self, expression: &Expression, thread: usize, frame: &Frame) -> u32 {
        match expression {
            Expression::Constant(value) => *value,
            Expression::Variable(variable) => frame.variables[usize::from(*variable)],
            Expression::Thread => thread as u32,
            Expression::Lane => thread as u32 % 32,
            Expression::Warp => thread as u32 / 32,
            Expression::Block => self.number,
            Expression::Threads => self.program.threads,
            Expression::InTile(tile) => self.input[tile.element(thread as u32) as usize],
            Expression::Input(index) => {
                self.input[(self.value(index, thread, frame) % INPUTS) as usize]
            }
            Expression::Private(index) => {
                frame.private[(self.value(index, thread, frame) % PRIVATE) as usize]
            }
            Expression::Interleaved(access, index) => {
                let first = self.value(index, thread, frame) % InterleavedAccess::STARTS;
                let word = |at: u32| self.input[(first + at) as usize];
                let elements = (0..access.elements).map(|at| match access.wide {
                    true => word(2 * at) ^ word(2 * at + 1),
                    false => word(at),
                });
                elements.fold(0, |sum: u32, element| {
                    sum.wrapping_mul(3).wrapping_add(element)
                })
            }
            Expression::Binary(operation, operands) => {
                let left = self.value(&operands.0, thread, frame);
                let right = self.value(&operands.1, thread, frame);
                binary(*operation, left, right)
            }
            Expression::Select(parts) => match self.holds(&parts.0, thread, frame) {
                true => self.value(&parts.1, thread, frame),
                false => self.value(&parts.2, thread, frame),
            },
        }
    }
}

fn binary(operation: Operation, left: u32, right: u32) -> u32 {
    match operation {
        Operation::Add => left.wrapping_add(right),
        Operation::Sub => left.wrapping_sub(right),
        Operation::Mul => left.wrapping_mul(right),
        Operation::And => left & right,
        Operation::Or => left | right,
        Operation::Xor => left ^ right,
        Operation::ShiftLeft => left << (right & 31),
        Operation::ShiftRight => left >> (right & 31),
        Operation::Divide => left / (right | 1),
        Operation::Remainder => left % (right | 1),
        Operation::Float => ((left & 255) as f32 * (right & 255) as f32 + 0.5) as u32,
    }
}

fn members(set: &Set) -> impl Iterator<Item = usize> {
    set.iter()
        .enumerate()
        .filter(|(_, there)| **there)
        .map(|(thread, _)| thread)
}

/// The lanes of `thread`'s warp that are in the set.
fn warp_mask(set: &Set, thread: usize) -> u32 {
    let first = thread / 32 * 32;
    members(set)
        .filter(|other| other / 32 * 32 == first)
        .fold(0, |mask, other| mask | 1 << (other - first))
}

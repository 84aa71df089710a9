//! Emits a program as LLVM assembly for nvptx64.

use std::fmt::Write;

use crate::interpret::OUTPUTS;
use crate::program::*;

/// Declarations that all kernels use.
pub const PRELUDE: &str = "\
target triple = \"nvptx64-nvidia-cuda\"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.activemask()
";

/// The kernel `@k<number>(input, output, counters)` and the functions that it calls.
pub fn emit(program: &Program, number: usize) -> String {
    let mut text = String::new();
    let attribute = if program.noinline { " noinline" } else { "" };
    let shared = format!("@s{number} = internal addrspace(3) global [1024 x i32] undef\n");
    text.push_str(&shared);
    for function in 0..FUNCTIONS + 1 {
        let mut writer = Writer::new(program, number);
        writer.body(
            &program.functions[function],
            Place::function(function),
            "-1",
            None,
        );
        writer.line("br label %return");
        let _ = write!(
            text,
            "define internal i32 @f{number}_{function}(ptr %in, ptr %out, ptr %counters, i32 %v0, i32 %v1){attribute} {{\nentry:\n\
             {ALLOCATIONS}  store i32 %v0, ptr %a0\n  store i32 %v1, ptr %a1\n  store i32 0, ptr %a2\n  store i32 0, ptr %a3\n{}\
             return:\n  %result = load i32, ptr %a0\n  ret i32 %result\n}}\n\n",
            writer.text
        );
    }
    let bound = match program.bounded {
        true => format!(
            " \"nvvm.maxntid\"=\"{}\"",
            program.threads.next_multiple_of(32)
        ),
        false => String::new(),
    };
    let mut writer = Writer::new(program, number);
    writer.body(&program.body, Place::KERNEL, "-1", None);
    writer.line("br label %return");
    let _ = write!(
        text,
        "define ptx_kernel void @k{number}(ptr %in, ptr %out, ptr %counters){bound} {{\nentry:\n\
         {ALLOCATIONS}  store i32 %tid, ptr %a0\n  store i32 1, ptr %a1\n  store i32 2, ptr %a2\n  store i32 3, ptr %a3\n{}return:\n",
        writer.text
    );
    for variable in 0..VARIABLES {
        let _ = write!(
            text,
            "  %last{variable} = load i32, ptr %a{variable}\n\
             \x20 %slot{variable} = getelementptr i32, ptr %own, i32 {}\n  store i32 %last{variable}, ptr %slot{variable}\n",
            SLOTS + variable as u32
        );
    }
    text.push_str("  ret void\n}\n\n");
    text
}

/// The start of every function: the thread's index, its variables and its part of the output.
const ALLOCATIONS: &str = "  %a0 = alloca i32\n  %a1 = alloca i32\n  %a2 = alloca i32\n  %a3 = alloca i32\n  %private = alloca [8 x i32]\n\
     \x20 store [8 x i32] zeroinitializer, ptr %private\n\
     \x20 %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n\
     \x20 %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()\n\
     \x20 %warp = lshr i32 %tid, 5\n  %before = mul i32 %block, %ntid\n  %global = add i32 %before, %tid\n\
     \x20 %words = mul i32 %global, 8\n  %own = getelementptr i32, ptr %out, i32 %words\n";

const _: () = assert!(OUTPUTS == 8 && PRIVATE == 8 && VARIABLES == 4);

struct Writer<'a> {
    program: &'a Program,
    number: usize,
    text: String,
    next: u32,
}

/// The targets of `continue` and `break`.
#[derive(Clone, Copy)]
struct Labels {
    latch: u32,
    end: u32,
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program, number: usize) -> Writer<'a> {
        Writer {
            program,
            number,
            text: String::new(),
            next: 0,
        }
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn label(&mut self, label: u32) {
        let _ = writeln!(self.text, "l{label}:");
    }

    /// Writes a line that defines a value.
    fn define(&mut self, what: &str) -> String {
        let name = format!("%t{}", self.fresh());
        self.line(&format!("{name} = {what}"));
        name
    }

    fn set(&mut self, variable: u8, value: &str) {
        self.line(&format!("store i32 {value}, ptr %a{variable}"));
    }

    fn body(&mut self, body: &[Statement], place: Place, mask: &str, labels: Option<Labels>) {
        for statement in body {
            if place.admits(self.program, statement) {
                self.statement(statement, place, mask, labels);
            }
        }
    }

    fn branch(&mut self, condition: &Condition, then: u32, otherwise: u32) {
        let holds = self.condition(condition);
        self.line(&format!(
            "br i1 {holds}, label %l{then}, label %l{otherwise}"
        ));
    }

    /// Threads for which the condition holds go to `label`.
    fn leave(&mut self, condition: &Condition, label: &str) {
        let (holds, stay) = (self.condition(condition), self.fresh());
        self.line(&format!("br i1 {holds}, label %{label}, label %l{stay}"));
        self.label(stay);
    }

    fn statement(
        &mut self,
        statement: &Statement,
        place: Place,
        mask: &str,
        labels: Option<Labels>,
    ) {
        match statement {
            Statement::Set(variable, expression) => {
                let value = self.expression(expression);
                self.set(*variable, &value);
            }
            Statement::DivideIfPossible(variable, left, right) => {
                let (left, right) = (self.expression(left), self.expression(right));
                let (divide, end) = (self.fresh(), self.fresh());
                let possible = self.define(&format!("icmp ne i32 {right}, 0"));
                self.line(&format!(
                    "br i1 {possible}, label %l{divide}, label %l{end}"
                ));
                self.label(divide);
                let quotient = self.define(&format!("udiv i32 {left}, {right}"));
                self.set(*variable, &quotient);
                self.line(&format!("br label %l{end}"));
                self.label(end);
            }
            Statement::StorePrivate(index, expression) => {
                let (index, value) = (self.index(index, PRIVATE), self.expression(expression));
                let at = self.define(&format!("getelementptr i32, ptr %private, i32 {index}"));
                self.line(&format!("store i32 {value}, ptr {at}"));
            }
            Statement::Output(slot, expression) => {
                let (slot, value) = (self.index(slot, SLOTS), self.expression(expression));
                let at = self.define(&format!("getelementptr i32, ptr %own, i32 {slot}"));
                self.line(&format!("store i32 {value}, ptr {at}"));
            }
            Statement::If(condition, then, otherwise) => {
                let (yes, no, end) = (self.fresh(), self.fresh(), self.fresh());
                let inside = place.under(condition.uniform());
                self.branch(condition, yes, no);
                self.label(yes);
                self.body(then, inside, mask, labels);
                self.line(&format!("br label %l{end}"));
                self.label(no);
                self.body(otherwise, inside, mask, labels);
                self.line(&format!("br label %l{end}"));
                self.label(end);
            }
            Statement::Repeat(count, body) => self.repeat(count, body, place, mask),
            Statement::Break(condition) => {
                let end = labels.expect("only in loops").end;
                self.leave(condition, &format!("l{end}"));
            }
            Statement::Continue(condition) => {
                let latch = labels.expect("only in loops").latch;
                self.leave(condition, &format!("l{latch}"));
            }
            Statement::Return(condition) => self.leave(condition, "return"),
            Statement::Count(operation, index, operand) => {
                let (index, operand) = (self.index(index, COUNTERS), self.expression(operand));
                let first = *operation as u32 * COUNTERS;
                let index = self.define(&format!("add i32 {index}, {first}"));
                let at = self.define(&format!("getelementptr i32, ptr %counters, i32 {index}"));
                let operation = match operation {
                    Atomic::Add => "add",
                    Atomic::Max => "umax",
                    Atomic::Xor => "xor",
                };
                self.define(&format!(
                    "atomicrmw {operation} ptr {at}, i32 {operand} monotonic"
                ));
            }
            Statement::Call(variable, function, left, right) => {
                let (left, right) = (self.expression(left), self.expression(right));
                let callee = format!("@f{}_{function}", self.number);
                self.call(*variable, &callee, &left, &right);
            }
            Statement::CallIndirectly(variable, selector, argument) => {
                let (number, odd) = (self.number, self.index(selector, FUNCTIONS as u32));
                let argument = self.expression(argument);
                let odd = self.define(&format!("trunc i32 {odd} to i1"));
                let callee = self.define(&format!(
                    "select i1 {odd}, ptr @f{number}_1, ptr @f{number}_0"
                ));
                self.call(*variable, &callee, &argument, &argument);
            }
            Statement::CallSynchronising(variable, argument) => {
                let argument = self.expression(argument);
                let callee = format!("@f{}_{FUNCTIONS}", self.number);
                self.call(*variable, &callee, &argument, &argument);
            }
            Statement::Barrier => self.barrier(),
            Statement::DivergentBarrier(variable, condition) => {
                let (yes, no, end) = (self.fresh(), self.fresh(), self.fresh());
                self.branch(condition, yes, no);
                self.label(yes);
                let old = self.define(&format!("load i32, ptr %a{variable}"));
                let more = self.define(&format!("add i32 {old}, 1"));
                self.set(*variable, &more);
                self.line("call void @llvm.nvvm.barrier.cta.sync.all(i32 0)");
                self.line(&format!("br label %l{end}"));
                self.label(no);
                self.line("call void @llvm.nvvm.barrier.cta.sync.all(i32 0)");
                let old = self.define(&format!("load i32, ptr %a{variable}"));
                let twice = self.define(&format!("mul i32 {old}, 2"));
                self.set(*variable, &twice);
                self.line(&format!("br label %l{end}"));
                self.label(end);
            }
            Statement::CountAtBarrier(variable, condition) => {
                let holds = self.condition(condition);
                let count = self.define(&format!(
                    "call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 {holds})"
                ));
                self.set(*variable, &count);
            }
            Statement::Exchange(variable, distance) => self.exchange(*variable, *distance),
            Statement::Tile(variable, columns) => self.tile(*variable, *columns),
            Statement::Shuffle(mode, variable, expression, operand) => {
                let (value, operand) = (self.expression(expression), self.index(operand, 32));
                let (mode, bound) = match mode {
                    Shuffle::Up => ("up", 0),
                    Shuffle::Down => ("down", 31),
                    Shuffle::Butterfly => ("bfly", 31),
                    Shuffle::Index => ("idx", 31),
                };
                let value = self.define(&format!(
                    "call i32 @llvm.nvvm.shfl.sync.{mode}.i32(i32 {mask}, i32 {value}, i32 {operand}, i32 {bound})"
                ));
                self.set(*variable, &value);
            }
            Statement::Vote(vote, variable, condition) => {
                let holds = self.condition(condition);
                let vote = match vote {
                    Vote::All => "i1 @llvm.nvvm.vote.all.sync",
                    Vote::Any => "i1 @llvm.nvvm.vote.any.sync",
                    Vote::Ballot => "i32 @llvm.nvvm.vote.ballot.sync",
                };
                let mut value = self.define(&format!("call {vote}(i32 {mask}, i1 {holds})"));
                if vote.starts_with("i1") {
                    value = self.define(&format!("zext i1 {value} to i32"));
                }
                self.set(*variable, &value);
            }
            Statement::Reduce(variable, expression) => {
                let value = self.expression(expression);
                let sum = self.define(&format!(
                    "call i32 @llvm.nvvm.redux.sync.add(i32 {value}, i32 {mask})"
                ));
                self.set(*variable, &sum);
            }
            Statement::Match(variable, expression) => {
                let value = self.expression(expression);
                let equal = self.define(&format!(
                    "call i32 @llvm.nvvm.match.any.sync.i32(i32 {mask}, i32 {value})"
                ));
                self.set(*variable, &equal);
            }
            Statement::MatchAll(variable, expression) => {
                let value = self.expression(expression);
                let both = self.define(&format!(
                    "call {{ i32, i1 }} @llvm.nvvm.match.all.sync.i32p(i32 {mask}, i32 {value})"
                ));
                let equal = self.define(&format!("extractvalue {{ i32, i1 }} {both}, 0"));
                self.set(*variable, &equal);
            }
            Statement::Among(condition, body) => {
                let (inside, end) = (self.fresh(), self.fresh());
                let holds = self.condition(condition);
                let among = self.define(&format!(
                    "call i32 @llvm.nvvm.vote.ballot.sync(i32 {mask}, i1 {holds})"
                ));
                let place = Place {
                    converged: Converged::Lanes,
                    ..place
                };
                self.line(&format!("br i1 {holds}, label %l{inside}, label %l{end}"));
                self.label(inside);
                self.body(body, place, &among, labels);
                self.line(&format!("br label %l{end}"));
                self.label(end);
            }
            Statement::ActiveMask(variable) => {
                let active = self.define("call i32 @llvm.nvvm.activemask()");
                self.set(*variable, &active);
            }
        }
    }

    fn repeat(&mut self, count: &Expression, body: &[Statement], place: Place, mask: &str) {
        let (head, inside, latch, end) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        let within = place.within(count.uniform(), body);
        let (count, before) = (self.index(count, 4), self.fresh());
        self.line(&format!("br label %l{before}"));
        self.label(before);
        self.line(&format!("br label %l{head}"));
        self.label(head);
        self.line(&format!(
            "%round{head} = phi i32 [ 0, %l{before} ], [ %next{head}, %l{latch} ]"
        ));
        let again = self.define(&format!("icmp ult i32 %round{head}, {count}"));
        self.line(&format!("br i1 {again}, label %l{inside}, label %l{end}"));
        self.label(inside);
        self.body(body, within, mask, Some(Labels { latch, end }));
        self.line(&format!("br label %l{latch}"));
        self.label(latch);
        self.line(&format!("%next{head} = add i32 %round{head}, 1"));
        self.line(&format!("br label %l{head}"));
        self.label(end);
    }

    fn call(&mut self, variable: u8, callee: &str, left: &str, right: &str) {
        let result = self.define(&format!(
            "call i32 {callee}(ptr %in, ptr %out, ptr %counters, i32 {left}, i32 {right})"
        ));
        self.set(variable, &result);
    }

    fn barrier(&mut self) {
        self.line("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)");
    }

    fn exchange(&mut self, variable: u8, distance: u8) {
        let shared = format!("getelementptr i32, ptr addrspace(3) @s{}", self.number);
        let own = self.define(&format!("{shared}, i32 %tid"));
        let further = self.define(&format!("add i32 %tid, {distance}"));
        let further = self.define(&format!("urem i32 {further}, %ntid"));
        let other = self.define(&format!("{shared}, i32 {further}"));
        self.swap(variable, &own, &other);
    }

    fn tile(&mut self, variable: u8, columns: u32) {
        let last = (1 << columns) - 1;
        let row = self.define(&format!("lshr i32 %tid, {columns}"));
        let before = self.define(&format!("mul i32 {row}, {}", last + 2));
        let column = self.define(&format!("and i32 %tid, {last}"));
        let further = self.define("add i32 %tid, 1");
        let further = self.define(&format!("and i32 {further}, {last}"));
        let [own, other] = [column, further].map(|column| {
            let element = self.define(&format!("add i32 {before}, {column}"));
            let shared = format!("getelementptr i32, ptr addrspace(3) @s{}", self.number);
            self.define(&format!("{shared}, i32 {element}"))
        });
        self.swap(variable, &own, &other);
    }

    /// The variable's value goes to the thread's own place in shared memory; what the neighbour left in the other place
    /// comes back.
    fn swap(&mut self, variable: u8, own: &str, other: &str) {
        let value = self.define(&format!("load i32, ptr %a{variable}"));
        // A thread that has ended writes nothing, so its neighbour clears its place first.
        self.barrier();
        self.line(&format!("store i32 0, ptr addrspace(3) {other}"));
        self.barrier();
        self.line(&format!("store i32 {value}, ptr addrspace(3) {own}"));
        self.barrier();
        let got = self.define(&format!("load i32, ptr addrspace(3) {other}"));
        self.set(variable, &got);
    }

    /// `expression` modulo a power of two.
    fn index(&mut self, expression: &Expression, bound: u32) -> String {
        let value = self.expression(expression);
        self.define(&format!("and i32 {value}, {}", bound - 1))
    }

    fn condition(&mut self, condition: &Condition) -> String {
        let (left, right) = (
            self.expression(&condition.left),
            self.expression(&condition.right),
        );
        let relation = match condition.relation {
            Relation::Equal => "eq",
            Relation::Below => "ult",
            Relation::SignedLess => "slt",
        };
        self.define(&format!("icmp {relation} i32 {left}, {right}"))
    }

    fn expression(&mut self, expression: &Expression) -> String {
        match expression {
            Expression::Constant(value) => value.to_string(),
            Expression::Variable(variable) => self.define(&format!("load i32, ptr %a{variable}")),
            Expression::Thread => "%tid".to_owned(),
            Expression::Lane => "%lane".to_owned(),
            Expression::Warp => "%warp".to_owned(),
            Expression::Block => "%block".to_owned(),
            Expression::Threads => "%ntid".to_owned(),
            Expression::InTile(tile) => {
                let row = self.define(&format!("lshr i32 %tid, {}", tile.columns));
                let column = self.define(&format!("and i32 %tid, {}", (1 << tile.columns) - 1));
                let down = self.define(&format!("mul i32 {row}, {}", tile.down));
                let across = self.define(&format!("mul i32 {column}, {}", tile.across));
                let element = self.define(&format!("add i32 {down}, {across}"));
                let at = self.define(&format!("getelementptr i32, ptr %in, i32 {element}"));
                self.define(&format!("load i32, ptr {at}"))
            }
            Expression::Input(index) => {
                let index = self.index(index, INPUTS);
                let at = self.define(&format!("getelementptr i32, ptr %in, i32 {index}"));
                self.define(&format!("load i32, ptr {at}"))
            }
            Expression::Private(index) => {
                let index = self.index(index, PRIVATE);
                let at = self.define(&format!("getelementptr i32, ptr %private, i32 {index}"));
                self.define(&format!("load i32, ptr {at}"))
            }
            Expression::Interleaved(access, index) => {
                let first = self.index(index, InterleavedAccess::STARTS);
                self.interleaved(*access, &first)
            }
            Expression::Binary(operation, operands) => {
                let (left, right) = (self.expression(&operands.0), self.expression(&operands.1));
                self.binary(*operation, &left, &right)
            }
            Expression::Select(parts) => {
                let holds = self.condition(&parts.0);
                let (yes, no) = (self.expression(&parts.1), self.expression(&parts.2));
                self.define(&format!("select i1 {holds}, i32 {yes}, i32 {no}"))
            }
        }
    }

    fn interleaved(&mut self, access: InterleavedAccess, first: &str) -> String {
        let mut sum = "0".to_owned();
        for at in 0..access.elements {
            let word = if access.wide { 2 * at } else { at };
            let index = self.define(&format!("add nuw nsw i32 {first}, {word}"));
            let address = self.define(&format!("getelementptr i32, ptr %in, i32 {index}"));
            let element = match access.wide {
                true => {
                    let both = self.define(&format!("load i64, ptr {address}, align 4"));
                    let high = self.define(&format!("lshr i64 {both}, 32"));
                    let mixed = self.define(&format!("xor i64 {both}, {high}"));
                    self.define(&format!("trunc i64 {mixed} to i32"))
                }
                false => self.define(&format!("load i32, ptr {address}")),
            };
            let more = self.define(&format!("mul i32 {sum}, 3"));
            sum = self.define(&format!("add i32 {more}, {element}"));
        }
        sum
    }

    fn binary(&mut self, operation: Operation, left: &str, right: &str) -> String {
        let name = match operation {
            Operation::Add => "add",
            Operation::Sub => "sub",
            Operation::Mul => "mul",
            Operation::And => "and",
            Operation::Or => "or",
            Operation::Xor => "xor",
            Operation::ShiftLeft => "shl",
            Operation::ShiftRight => "lshr",
            Operation::Divide => "udiv",
            Operation::Remainder => "urem",
            Operation::Float => return self.float(left, right),
        };
        let right = match operation {
            Operation::ShiftLeft | Operation::ShiftRight => {
                self.define(&format!("and i32 {right}, 31"))
            }
            Operation::Divide | Operation::Remainder => self.define(&format!("or i32 {right}, 1")),
            _ => right.to_owned(),
        };
        self.define(&format!("{name} i32 {left}, {right}"))
    }

    fn float(&mut self, left: &str, right: &str) -> String {
        let mut convert = |value: &str| {
            let byte = self.define(&format!("and i32 {value}, 255"));
            self.define(&format!("uitofp i32 {byte} to float"))
        };
        let (left, right) = (convert(left), convert(right));
        let product = self.define(&format!("fmul float {left}, {right}"));
        let sum = self.define(&format!("fadd float {product}, 5.000000e-01"));
        self.define(&format!("fptoui float {sum} to i32"))
    }
}

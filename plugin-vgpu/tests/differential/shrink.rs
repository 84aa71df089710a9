//! Shrinks programs. proptest's own shrinking goes leaf by leaf. That would take thousands of attempts, each of
//! which costs a compilation.

use crate::program::*;

/// Programs that are one step smaller, the most promising first.
pub fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Program)| {
        let mut other = program.clone();
        change(&mut other);
        if other != *program {
            all.push(other);
        }
    };
    with(&|program| program.calls = false);
    with(&|program| program.warps = false);
    with(&|program| program.barriers = false);
    with(&|program| program.noinline = false);
    with(&|program| program.bounded = false);
    with(&|program| program.threads = 1);
    with(&|program| program.threads = program.threads.min(32));
    for index in 0..program.functions.len() {
        with(&|program| program.functions[index].clear());
        for body in bodies(&program.functions[index]) {
            with(&|program| program.functions[index] = body.clone());
        }
    }
    for body in bodies(&program.body) {
        with(&|program| program.body = body.clone());
    }
    all
}

/// A list of statements with one of them removed, replaced by its body, or shrunk.
fn bodies(body: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    for (at, statement) in body.iter().enumerate() {
        let mut with = |instead: Vec<Statement>| {
            let mut other = body.to_vec();
            other.splice(at..=at, instead);
            all.push(other);
        };
        with(Vec::new());
        match statement {
            Statement::If(_, then, otherwise) => {
                with(then.clone());
                with(otherwise.clone());
            }
            Statement::Repeat(_, body) | Statement::Among(_, body) => with(body.clone()),
            _ => {}
        }
        statements(statement)
            .into_iter()
            .for_each(|statement| with(vec![statement]));
    }
    all
}

fn statements(statement: &Statement) -> Vec<Statement> {
    use Statement::*;
    match statement.clone() {
        Set(to, value) => expressions(&value).map(|value| Set(to, value)).collect(),
        StorePrivate(index, value) => pairs(&index, &value, StorePrivate),
        Output(slot, value) => pairs(&slot, &value, Output),
        If(test, then, otherwise) => {
            let mut all: Vec<_> = conditions(&test)
                .map(|test| If(test, then.clone(), otherwise.clone()))
                .collect();
            all.extend(
                bodies(&then)
                    .into_iter()
                    .map(|then| If(test.clone(), then, otherwise.clone())),
            );
            all.extend(
                bodies(&otherwise)
                    .into_iter()
                    .map(|no| If(test.clone(), then.clone(), no)),
            );
            all
        }
        Repeat(count, body) => {
            let mut all: Vec<_> = expressions(&count)
                .map(|count| Repeat(count, body.clone()))
                .collect();
            all.extend(
                bodies(&body)
                    .into_iter()
                    .map(|body| Repeat(count.clone(), body)),
            );
            all
        }
        Among(test, body) => {
            let mut all: Vec<_> = conditions(&test)
                .map(|test| Among(test, body.clone()))
                .collect();
            all.extend(
                bodies(&body)
                    .into_iter()
                    .map(|body| Among(test.clone(), body)),
            );
            all
        }
        Break(test) => conditions(&test).map(Break).collect(),
        Continue(test) => conditions(&test).map(Continue).collect(),
        Return(test) => conditions(&test).map(Return).collect(),
        Count(op, index, value) => pairs(&index, &value, |index, value| Count(op, index, value)),
        Call(to, function, left, right) => {
            pairs(&left, &right, |left, right| Call(to, function, left, right))
        }
        CallIndirectly(to, selector, value) => pairs(&selector, &value, |selector, value| {
            CallIndirectly(to, selector, value)
        }),
        CallSynchronising(to, value) => expressions(&value)
            .map(|value| CallSynchronising(to, value))
            .collect(),
        Shuffle(mode, to, value, operand) => pairs(&value, &operand, |value, operand| {
            Shuffle(mode, to, value, operand)
        }),
        Vote(vote, to, test) => conditions(&test).map(|test| Vote(vote, to, test)).collect(),
        Reduce(to, value) => expressions(&value).map(|value| Reduce(to, value)).collect(),
        Match(to, value) => expressions(&value).map(|value| Match(to, value)).collect(),
        MatchAll(to, value) => expressions(&value)
            .map(|value| MatchAll(to, value))
            .collect(),
        DivergentBarrier(to, test) => conditions(&test)
            .map(|test| DivergentBarrier(to, test))
            .collect(),
        CountAtBarrier(to, test) => conditions(&test)
            .map(|test| CountAtBarrier(to, test))
            .collect(),
        DivideIfPossible(to, left, right) => pairs(&left, &right, |left, right| {
            DivideIfPossible(to, left, right)
        }),
        Barrier | Exchange(..) | Tile(..) | ActiveMask(_) => Vec::new(),
    }
}

fn pairs(
    left: &Expression,
    right: &Expression,
    make: impl Fn(Expression, Expression) -> Statement,
) -> Vec<Statement> {
    let mut all: Vec<_> = expressions(left)
        .map(|left| make(left, right.clone()))
        .collect();
    all.extend(expressions(right).map(|right| make(left.clone(), right)));
    all
}

fn conditions(condition: &Condition) -> impl Iterator<Item = Condition> {
    let (left, right) = (condition.left.clone(), condition.right.clone());
    let (relation, same) = (condition.relation, left.clone());
    let lefts = expressions(&left).map(move |left| Condition {
        relation,
        left,
        right: right.clone(),
    });
    let rights = expressions(&condition.right).map(move |right| Condition {
        relation,
        left: same.clone(),
        right,
    });
    lefts.chain(rights).collect::<Vec<_>>().into_iter()
}

/// Parts of an expression, and the smallest ones.
fn expressions(expression: &Expression) -> impl Iterator<Item = Expression> {
    let mut all = match expression {
        Expression::Constant(0) => Vec::new(),
        Expression::Constant(_) => vec![Expression::Constant(0)],
        Expression::Variable(_) | Expression::Thread | Expression::Lane => {
            vec![Expression::Constant(0), Expression::Constant(1)]
        }
        Expression::Warp | Expression::Block | Expression::Threads | Expression::InTile(_) => {
            vec![Expression::Constant(1)]
        }
        Expression::Input(index)
        | Expression::Private(index)
        | Expression::Interleaved(_, index) => {
            vec![(**index).clone()]
        }
        Expression::Binary(_, operands) => vec![operands.0.clone(), operands.1.clone()],
        Expression::Select(parts) => vec![parts.1.clone(), parts.2.clone()],
    };
    if !matches!(
        expression,
        Expression::Constant(_) | Expression::Variable(_) | Expression::Thread | Expression::Lane
    ) {
        all.push(Expression::Thread);
    }
    all.into_iter()
}

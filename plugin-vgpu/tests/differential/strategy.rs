//! The proptest strategy for random programs.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::program::*;

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        Just(Operation::Add),
        Just(Operation::Sub),
        Just(Operation::Mul),
        Just(Operation::And),
        Just(Operation::Or),
        Just(Operation::Xor),
        Just(Operation::ShiftLeft),
        Just(Operation::ShiftRight),
        Just(Operation::Divide),
        Just(Operation::Remainder),
        Just(Operation::Float),
    ]
}

fn relation() -> impl Strategy<Value = Relation> {
    prop_oneof![
        Just(Relation::Below),
        Just(Relation::Equal),
        Just(Relation::SignedLess),
    ]
}

fn variable() -> impl Strategy<Value = u8> {
    0..VARIABLES as u8
}

fn leaf() -> impl Strategy<Value = Expression> {
    prop_oneof![
        3 => (0u32..8).prop_map(Expression::Constant),
        1 => any::<u32>().prop_map(Expression::Constant),
        4 => variable().prop_map(Expression::Variable),
        2 => Just(Expression::Thread),
        2 => Just(Expression::Lane),
        1 => Just(Expression::Warp),
        1 => Just(Expression::Block),
        1 => Just(Expression::Threads),
        2 => tile().prop_map(Expression::InTile),
        1 => (1u32..5).prop_map(|by| of_thread(Operation::ShiftRight, by)),
        1 => (1u32..5).prop_map(|by| of_thread(Operation::And, (1 << by) - 1)),
    ]
}

/// A row or a column of a tile.
fn of_thread(operation: Operation, constant: u32) -> Expression {
    let operands = (Expression::Thread, Expression::Constant(constant));
    Expression::Binary(operation, Box::new(operands))
}

fn tile() -> impl Strategy<Value = Tile> {
    let across = prop_oneof![3 => Just(1), 2 => Just(0), 1 => 2..=Tile::MOST];
    (1u32..5, across, 0..=Tile::MOST).prop_map(|(columns, across, down)| Tile {
        columns,
        across,
        down,
    })
}

fn interleaved() -> BoxedStrategy<InterleavedAccess> {
    let of = |wide| move |elements| InterleavedAccess { elements, wide };
    prop_oneof![
        2 => (2..=InterleavedAccess::MAX_WORDS).prop_map(of(false)),
        1 => (2..=InterleavedAccess::MAX_WORDS / 2).prop_map(of(true)),
    ]
    .boxed()
}

fn expression() -> BoxedStrategy<Expression> {
    leaf()
        .prop_recursive(3, 12, 2, |inner| {
            let test = (relation(), inner.clone(), inner.clone());
            let test = test.prop_map(|(relation, left, right)| Condition {
                relation,
                left,
                right,
            });
            prop_oneof![
                5 => (operation(), inner.clone(), inner.clone())
                    .prop_map(|(op, left, right)| Expression::Binary(op, Box::new((left, right)))),
                2 => inner.clone().prop_map(|index| Expression::Input(Box::new(index))),
                1 => inner.clone().prop_map(|index| Expression::Private(Box::new(index))),
                1 => (interleaved(), inner.clone())
                    .prop_map(|(access, index)| Expression::Interleaved(access, Box::new(index))),
                1 => (test, inner.clone(), inner)
                    .prop_map(|(test, yes, no)| Expression::Select(Box::new((test, yes, no)))),
            ]
        })
        .boxed()
}

/// Values that are uniform in the block, or in the warp.
fn uniform() -> BoxedStrategy<Expression> {
    let value = prop_oneof![
        (0u32..8).prop_map(Expression::Constant),
        Just(Expression::Block),
        Just(Expression::Warp),
    ];
    prop_oneof![
        value.clone(),
        value.prop_map(|index| Expression::Input(Box::new(index))),
    ]
    .boxed()
}

fn condition() -> BoxedStrategy<Condition> {
    let of = |relation, left, right| Condition {
        relation,
        left,
        right,
    };
    prop_oneof![
        4 => (relation(), expression(), expression())
            .prop_map(move |(relation, left, right)| of(relation, left, right)),
        2 => (relation(), uniform(), uniform())
            .prop_map(move |(relation, left, right)| of(relation, left, right)),
        1 => (0u32..4).prop_map(move |warps| {
            of(Relation::Below, Expression::Thread, Expression::Constant(32 * warps))
        }),
        // One thread, or one of each warp.
        1 => (prop_oneof![Just(Expression::Thread), Just(Expression::Lane)], uniform())
            .prop_map(move |(number, which)| of(Relation::Equal, number, which)),
    ]
    .boxed()
}

fn simple() -> BoxedStrategy<Statement> {
    let atomic = prop_oneof![Just(Atomic::Add), Just(Atomic::Max), Just(Atomic::Xor)];
    let shuffle = prop_oneof![
        Just(Shuffle::Up),
        Just(Shuffle::Down),
        Just(Shuffle::Butterfly),
        Just(Shuffle::Index),
    ];
    let vote = prop_oneof![Just(Vote::All), Just(Vote::Any), Just(Vote::Ballot)];
    prop_oneof![
        8 => (variable(), expression()).prop_map(|(to, value)| Statement::Set(to, value)),
        2 => (variable(), expression(), expression())
            .prop_map(|(to, left, right)| Statement::DivideIfPossible(to, left, right)),
        2 => (expression(), expression())
            .prop_map(|(index, value)| Statement::StorePrivate(index, value)),
        2 => (expression(), expression()).prop_map(|(slot, value)| Statement::Output(slot, value)),
        2 => condition().prop_map(Statement::Break),
        2 => condition().prop_map(Statement::Continue),
        1 => condition().prop_map(Statement::Return),
        2 => (atomic, expression(), expression())
            .prop_map(|(op, index, value)| Statement::Count(op, index, value)),
        1 => (variable(), 0..FUNCTIONS as u8, expression(), expression())
            .prop_map(|(to, function, left, right)| Statement::Call(to, function, left, right)),
        1 => (variable(), expression(), expression())
            .prop_map(|(to, selector, value)| Statement::CallIndirectly(to, selector, value)),
        1 => (variable(), expression())
            .prop_map(|(to, value)| Statement::CallSynchronising(to, value)),
        1 => Just(Statement::Barrier),
        1 => (variable(), condition())
            .prop_map(|(to, condition)| Statement::DivergentBarrier(to, condition)),
        1 => (variable(), condition())
            .prop_map(|(to, condition)| Statement::CountAtBarrier(to, condition)),
        3 => (variable(), 1u8..40).prop_map(|(of, distance)| Statement::Exchange(of, distance)),
        2 => (variable(), 1u32..5).prop_map(|(of, columns)| Statement::Tile(of, columns)),
        // Lanes that all look equally far have an instruction of their own.
        3 => (shuffle, variable(), expression(), prop_oneof![expression(), uniform()])
            .prop_map(|(mode, to, value, operand)| Statement::Shuffle(mode, to, value, operand)),
        2 => (vote, variable(), condition())
            .prop_map(|(vote, to, condition)| Statement::Vote(vote, to, condition)),
        1 => (variable(), expression()).prop_map(|(to, value)| Statement::Reduce(to, value)),
        1 => (variable(), expression()).prop_map(|(to, value)| Statement::Match(to, value)),
        // Values that are uniform in the warp make "all equal" likely.
        1 => (variable(), prop_oneof![expression(), uniform()])
            .prop_map(|(to, value)| Statement::MatchAll(to, value)),
        1 => variable().prop_map(Statement::ActiveMask),
    ]
    .boxed()
}

fn statement() -> BoxedStrategy<Statement> {
    simple().prop_recursive(4, 24, 4, |inner| {
        let body = || vec(inner.clone(), 1..4);
        let count = prop_oneof![uniform(), expression()];
        prop_oneof![
            3 => inner.clone(),
            3 => (condition(), body(), vec(inner.clone(), 0..3))
                .prop_map(|(condition, then, otherwise)| Statement::If(condition, then, otherwise)),
            3 => (count, body()).prop_map(|(count, body)| Statement::Repeat(count, body)),
            1 => (condition(), body()).prop_map(|(condition, body)| Statement::Among(condition, body)),
        ]
    }).boxed()
}

pub fn program() -> impl Strategy<Value = Program> {
    let threads = prop_oneof![
        3 => Just(64u32),
        1 => Just(1),
        1 => Just(7),
        2 => Just(32),
        2 => Just(33),
        2 => Just(100),
        1 => Just(128),
    ];
    let function = || vec(simple(), 0..4);
    (
        threads,
        any::<(bool, bool, bool, bool, bool)>(),
        vec(statement(), 1..8),
        [function(), function(), function()],
    )
        .prop_map(
            |(threads, (bounded, barriers, warps, calls, noinline), body, functions)| Program {
                threads,
                bounded,
                barriers,
                warps,
                calls,
                noinline,
                body,
                functions,
            },
        )
}

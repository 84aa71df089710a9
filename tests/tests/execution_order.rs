//! `OMPTARGET_VGPU_SCHEDULE`: programs that are right by chance fail in another order, others do not.

use e2e::{Binary, Build, Mode};

fn compiled(source: &str) -> Binary {
    Build::new(&[&format!("tests/programs/{source}")]).compile(Mode::Offload("-O2"))
}

/// What a program prints in an order.
fn printed(program: &Binary, engine: &str, order: &str) -> String {
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMPTARGET_VGPU_SMS", "1"),
        ("OMPTARGET_VGPU_ENGINE", engine),
        ("OMPTARGET_VGPU_SCHEDULE", order),
    ];
    let outcome = program.run_with(&[], &environment);
    outcome.passed(&format!("{engine} {order}")).to_owned()
}

/// A missing barrier between warps, and blocks that count on earlier ones.
#[test]
fn mistakes_show_and_are_reproducible() {
    let program = compiled("execution_order.c");
    for engine in ["auto", "fiber"] {
        let in_order = printed(&program, engine, "in-order");
        let counts: Vec<&str> = in_order.split_whitespace().collect();
        assert_eq!((counts[0], counts[2]), ("0", "0"), "{engine}: {in_order}");
        let random = printed(&program, engine, "random:1");
        assert!(
            random.split_whitespace().all(|count| count != "0"),
            "{engine}: {random}"
        );
        assert_eq!(random, printed(&program, engine, "random:1"), "{engine}");
        assert_ne!(random, printed(&program, engine, "random:2"), "{engine}");
    }
}

/// Barriers, warp operations, locks and reductions work in any order.
#[test]
fn right_programs_are_right_in_any_order() {
    for source in ["sync.c", "private_state.c", "dealt_loops.c"] {
        let program = compiled(source);
        for (engine, order) in [("auto", "random:1"), ("fiber", "random:2")] {
            assert_eq!(
                printed(&program, engine, order),
                "PASS\n",
                "{source} {engine} {order}"
            );
        }
    }
}

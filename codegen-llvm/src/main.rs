//! The compiler process (see the crate `codegen`).

fn main() {}

//! The checker says nothing of programs that are right. A sample; `scripts/check-silence` runs all programs.

use e2e::{root, run};

/// OpenMP with a league's reductions, OpenMP and OpenCL with team-local memory, CUDA with shared memory.
const SAMPLE: &str = "tests/programs/distribute.c,bench/vgpu.d/matmul.c,examples/reduction.cu";

#[test]
fn a_sample_is_silent() {
    let script = root().join("scripts/check-silence");
    let outcome = run(&script, &["--only", SAMPLE], &[]);
    assert_eq!(outcome.passed("check-silence"), "4 silent\n");
}

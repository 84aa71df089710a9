//! Kernels in LLVM assembly, in forms that clang 22 does not emit, on the virtual GPU.

use e2e::ir::{Kernels, Link, Shape};

const LINKS: [Link; 2] = [Link::Plain, Link::Optimised];

/// Team sizes around the warp's, and the largest.
const SIZES: [u32; 8] = [1, 2, 31, 33, 64, 95, 500, 992];

/// What a thread of a team of `size` finds after both regions of paper_fork_join.ll, the second with a
/// `num_threads` clause of `clause`.
fn expected(size: u32, clause: u32, thread: u32) -> u32 {
    let sum = size * (size + 1) / 2;
    let second = clause.min(size);
    if thread >= size {
        0
    } else if thread < second {
        sum + 1000 * second + 10_000_000
    } else {
        sum
    }
}

#[test]
fn the_papers_fork_and_join() {
    const TEAMS: u32 = 3;
    for link in LINKS {
        let kernels = Kernels::load("paper_fork_join.ll", link, 2);
        for kernel in ["released", "published"] {
            for size in SIZES {
                let clause = size / 2 + 1;
                let output = kernels.buffer(&vec![0u32; 1024 * TEAMS as usize]);
                let arguments = [output.argument(), clause.into()];
                kernels
                    .launch(kernel, Shape::generic(TEAMS, size), &arguments)
                    .unwrap_or_else(|error| panic!("{kernel} {link:?} {size}: {error}"));
                for (at, found) in kernels.read::<u32>(output).into_iter().enumerate() {
                    let thread = at as u32 % 1024;
                    assert_eq!(
                        found,
                        expected(size, clause, thread),
                        "{kernel} {link:?}, team of {size}, thread {thread}"
                    );
                }
            }
        }
    }
}

/// Launched like an SPMD kernel, such a kernel says what is wrong.
#[test]
fn the_papers_kernels_need_a_generic_launch() {
    let kernels = Kernels::load("paper_fork_join.ll", Link::Optimised, 1);
    let output = kernels.buffer(&[0u32; 1024]);
    let error = kernels
        .launch("released", Shape::spmd(1, 96), &[output.argument(), 1])
        .expect_err("a kernel in the wrong shape");
    assert!(
        error.to_string().contains("does not extend along y"),
        "{error}"
    );
}

/// Lists of references in shared memory (up to 20) and on the heap, variables on the stack and beyond it.
#[test]
fn the_papers_data_sharing() {
    const THREADS: u32 = 70;
    for link in LINKS {
        let kernels = Kernels::load("paper_sharing.ll", link, 1);
        for count in [0u64, 1, 18, 19, 25, 64, 300] {
            let output = kernels.buffer(&[0u64; 1024]);
            kernels
                .launch(
                    "share",
                    Shape::generic(1, THREADS),
                    &[output.argument(), count],
                )
                .unwrap_or_else(|error| panic!("{link:?}, {count} variables: {error}"));
            let sum: u64 = (0..count).map(|i| 3 * i + 1).sum();
            let found = kernels.read::<u64>(output);
            assert_eq!(
                found[..THREADS as usize],
                [sum; THREADS as usize],
                "{link:?}, {count} variables"
            );
            assert_eq!(
                found[1023],
                2 * sum,
                "{link:?}, {count} variables, the master afterwards"
            );
        }
    }
}

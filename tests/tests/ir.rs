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

/// Launched like an SPMD kernel, such a kernel reports the error.
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

/// A launch environment (docs/abi.md, section 4) with a record of 16 bytes for each team.
fn launch_environment(kernels: &Kernels, teams: u32) -> u64 {
    let records = kernels.buffer(&vec![[0xaaaa_aaaa_u64; 2]; teams as usize]);
    kernels.buffer(&[0u64, records.argument()]).argument()
}

#[test]
fn reductions_across_teams_after_clang_22() {
    for link in LINKS {
        let kernels = Kernels::load("reduce_xteam.ll", link, 2);
        for (teams, threads) in [
            (1, 1),
            (1, 70),
            (2, 33),
            (7, 64),
            (40, 31),
            (5, 1024),
            (1500, 2),
        ] {
            let what = format!("{link:?}, {teams} teams of {threads}");
            let run = |kernel: &str, shape| {
                let output = kernels.buffer(&[0u64; 3]);
                let arguments = [launch_environment(&kernels, teams), output.argument()];
                kernels
                    .launch(kernel, shape, &arguments)
                    .unwrap_or_else(|error| panic!("{kernel}, {what}: {error}"));
                let found = kernels.read::<u64>(output);
                (found[0], f64::from_bits(found[1]), found[2])
            };
            let (t, n) = (u64::from(teams), u64::from(threads));
            let most = f64::from((teams - 1) * 1000 + threads - 1);
            assert_eq!(
                run("spmd", Shape::spmd(teams, threads)),
                (t * n * (n + 1) / 2, most, 1),
                "{what}"
            );
            assert_eq!(
                run("generic", Shape::generic(teams, threads.min(992))),
                (t * (t - 1) / 2, f64::from(teams - 1), 1),
                "{what}, generic"
            );
        }
    }
}

#[test]
fn lanes_that_a_condition_selects_reduce() {
    for link in LINKS {
        let kernels = Kernels::load("reduce_xteam.ll", link, 1);
        for set in [
            0u32,
            1,
            0x8000_0001,
            0x5555_5555,
            0xdead_beef,
            0xffff_fffe,
            !0,
        ] {
            for threads in [32u32, 50, 96] {
                let output = kernels.buffer(&[0u64; 4]);
                let selected = kernels.buffer(&[u64::from(set)]);
                kernels
                    .launch(
                        "split",
                        Shape::spmd(1, threads),
                        &[0, output.argument(), selected.argument()],
                    )
                    .unwrap_or_else(|error| panic!("{link:?} {set:#x} {threads}: {error}"));
                let mut expected = [0u64; 4];
                for thread in 0..threads {
                    let (warp, lane) = (thread / 32, thread % 32);
                    if set >> lane & 1 == 1 {
                        expected[warp as usize] += u64::from(lane);
                    }
                }
                assert_eq!(
                    kernels.read::<u64>(output),
                    expected,
                    "{link:?} {set:#x} {threads}"
                );
            }
        }
    }
}

/// Kernels of LLVM's sources between clang 17 and 18, and of clang 18 to 21 (docs/abi.md, "Releases of clang").
#[test]
fn kernels_of_older_clangs() {
    const LAST: usize = 700;
    for link in LINKS {
        let kernels = Kernels::load("older_clangs.ll", link, 2);
        for threads in [1, 31, 64, 100, 992] {
            for (kernel, shape) in [
                ("generic17", Shape::generic(1, threads)),
                ("spmd17", Shape::spmd(1, threads)),
                ("generic18", Shape::generic(1, threads)),
                ("spmd18", Shape::spmd(1, threads)),
            ] {
                let output = kernels.buffer(&[0u32; LAST + 2]);
                let half = u64::from(threads / 2 + 1);
                kernels
                    .launch(kernel, shape, &[0, output.argument(), LAST as u64, half])
                    .unwrap_or_else(|error| panic!("{kernel} {link:?} {threads}: {error}"));
                let found = kernels.read::<u32>(output);
                let (mine, beyond) = found.split_at(LAST + 1);
                let right = mine.iter().all(|&value| value == 18) && beyond == [0];
                assert!(right, "{kernel} {link:?}, {threads} threads: {found:?}");
            }
        }
    }
}

/// The runtime's own loops with and without the argument that clang 21 added.
#[test]
fn loops_of_older_clangs() {
    const TEAMS: u32 = 5;
    const COUNT: u32 = 64 * TEAMS;
    for link in LINKS {
        let kernels = Kernels::load("older_clangs.ll", link, 2);
        for (kernel, shape, expected) in [
            ("loops", Shape::spmd(TEAMS, 48), 4),
            ("distribute", Shape::generic(TEAMS, 32), 2),
        ] {
            let output = kernels.buffer(&[0u32; COUNT as usize]);
            kernels
                .launch(kernel, shape, &[0, output.argument(), COUNT.into()])
                .unwrap_or_else(|error| panic!("{kernel} {link:?}: {error}"));
            let found = kernels.read::<u32>(output);
            assert_eq!(found, [expected; COUNT as usize], "{kernel} {link:?}");
        }
    }
}

/// Code that cannot be served says so instead of hanging.
#[test]
fn kernels_of_clang_17_say_what_is_wrong() {
    for link in LINKS {
        let kernels = Kernels::load("older_clangs.ll", link, 1);
        let output = kernels.buffer(&[0u32]);
        let error = kernels
            .launch(
                "generic_with_ident",
                Shape::generic(1, 32),
                &[output.argument()],
            )
            .expect_err("a kernel of clang 17");
        assert!(error.to_string().contains("clang 17"), "{link:?}: {error}");
    }
}

/// The `realloc` that PTX gets. The virtual GPU has its own.
#[test]
fn realloc_of_ptx() {
    const THREADS: u32 = 70;
    let library = Some("codegen-llvm/src/device/realloc.ll");
    for link in LINKS {
        let kernels = Kernels::load_with("realloc.ll", library, link, 2);
        let output = kernels.buffer(&[u32::MAX; 2 * THREADS as usize]);
        kernels
            .launch("grow", Shape::spmd(1, THREADS), &[output.argument()])
            .unwrap_or_else(|error| panic!("{link:?}: {error}"));
        let found = kernels.read::<u32>(output);
        let (mistakes, sums) = found.split_at(THREADS as usize);
        assert_eq!(mistakes, [0; THREADS as usize], "{link:?}");
        for (thread, &sum) in (0..THREADS).zip(sums) {
            assert_eq!(sum, 499_500 + 1000 * thread, "{link:?}, thread {thread}");
        }
    }
}

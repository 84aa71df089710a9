//! The programs in `tests/programs` that check themselves: one topic each, compiled at `-O2` and in one of three other
//! ways, or in all of them ([`first_and_another`]).

use e2e::{Build, Mode, WAVE64, first_and_another};

const MODES: [Mode; 4] = [
    Mode::Offload("-O2"),
    Mode::Offload("-O0"),
    Mode::NoOpenMpOpt,
    Mode::Amd(WAVE64, "-O1"),
];

fn check(sources: &[&str]) {
    check_with(sources, &[]);
}

fn check_with(sources: &[&str], flags: &[&str]) {
    let sources: Vec<String> = sources
        .iter()
        .map(|source| format!("tests/programs/{source}"))
        .collect();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    for mode in first_and_another(&MODES, &format!("{sources:?} {flags:?}")) {
        check_mode(&sources, flags, mode);
    }
}

fn check_mode(sources: &[&str], flags: &[&str], mode: Mode) {
    let outcome = Build::new(sources).flags(flags).compile(mode).run(&[]);
    assert_eq!(
        outcome.passed(&format!("{sources:?} {flags:?} {mode:?}")),
        "PASS\n"
    );
}

/// A program on the virtual GPU as for a CPU without AVX.
fn check_without_avx(source: &str) {
    let level = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMPTARGET_VGPU_CPU", "x86-64-v2"),
    ];
    let source = format!("tests/programs/{source}");
    let binary = Build::new(&[&source]).compile(Mode::Offload("-O2"));
    binary.run_with(&[], &level).passed(&source);
}

/// The engine for kernels without a warp form runs all other kernels, too.
#[test]
fn thread_by_thread() {
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMPTARGET_VGPU_ENGINE", "fiber"),
    ];
    for source in ["heap.c", "private_state.c", "sync.c"] {
        let source = format!("tests/programs/{source}");
        let binary = Build::new(&[&source]).compile(Mode::Offload("-O2"));
        let outcome = binary.run_with(&[], &environment);
        assert_eq!(outcome.passed(&source), "PASS\n");
    }
}

#[test]
fn map() {
    check(&["map.c"]);
}

/// A region may use a constant that no clause names. What a clause asks to copy back must be writable.
#[test]
fn constants() {
    check(&["constants.c"]);
    for mode in [Mode::Offload("-O1"), Mode::HostDevice] {
        let outcome = Build::new(&["tests/programs/constant_from.c"])
            .flags(&["-g"])
            .compile(mode)
            .run(&[]);
        outcome.failed_with(
            &format!("constant_from.c {mode:?}"),
            &[
                "'numbers' (16 bytes",
                "cannot be copied to the host: it is a constant of the program",
                "constant_from.c:9",
                "hint: map it with `to`",
            ],
        );
    }
}

#[test]
fn team_sizes() {
    check(&["team_sizes.c"]);
}

#[test]
fn small_blocks() {
    check(&["small_blocks.c"]);
}

#[test]
fn records() {
    check(&["records.c"]);
}

#[test]
fn row_folds() {
    check(&["row_folds.c"]);
}

/// Loops that say `schedule(static)` are dealt as those that say nothing.
#[test]
fn static_pieces() {
    check(&["static_pieces.c"]);
}

/// So are those of other schedules, if no code asks for the thread.
#[test]
fn any_schedule() {
    check(&["any_schedule.c"]);
}

#[test]
fn lane_loops() {
    check(&["lane_loops.c"]);
}

#[test]
fn small_counters() {
    check(&["small_counters.c"]);
}

/// Also for CPUs without AVX-512, where reductions of vectors have other code.
#[test]
fn shared_places() {
    check(&["shared_places.c"]);
    check_without_avx("shared_places.c");
}

#[test]
fn spaced_elements() {
    check(&["spaced_elements.c"]);
}

#[test]
fn shared_captures() {
    check(&["shared_captures.c"]);
    let sources = ["tests/programs/shared_captures.c"];
    check_mode(&sources, &[], Mode::UnitByUnit("-O2"));
}

#[test]
fn math_intrinsics() {
    check(&["math_intrinsics.c"]);
}

#[test]
fn math_special() {
    check(&["math_special.cpp"]);
    // Without fused multiply-add.
    check_without_avx("math_special.cpp");
}

/// Also for CPUs without masks, where lanes are counted and not compared.
#[test]
fn lane_bounds() {
    check(&["lane_bounds.c"]);
    check_without_avx("lane_bounds.c");
}

#[test]
fn captured_values() {
    check(&["captured_values.cpp"]);
}

#[test]
fn modifiers() {
    check(&["modifiers.c"]);
}

#[test]
fn unified_shared_memory() {
    check(&["usm.c"]);
}

#[test]
fn structs() {
    check(&["structs.c"]);
}

#[test]
fn data() {
    check(&["data.c"]);
}

#[test]
fn link() {
    check(&["link.c", "link_other.c"]);
}

#[test]
fn regions_in_another_unit() {
    check(&["units.c", "units_other.c"]);
}

/// Without `-foffload-lto` clang has another pipeline: openmp-opt sees one unit and no runtime.
#[test]
fn unit_by_unit() {
    let programs: [&[&str]; 8] = [
        &["units.c", "units_other.c"],
        &["link.c", "link_other.c"],
        &["data.c"],
        &["privates.c"],
        &["sync.c"],
        &["queries.c"],
        &["state.c"],
        &["classes.cpp"],
    ];
    for sources in programs {
        let sources: Vec<String> = sources
            .iter()
            .map(|source| format!("tests/programs/{source}"))
            .collect();
        let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
        check_mode(&sources, &[], Mode::UnitByUnit("-O2"));
    }
}

/// What sequential code reads and then changes, in kernels that openmp-opt has made SPMD.
#[test]
fn guards() {
    check(&["guards.c"]);
}

#[test]
fn privates() {
    check(&["privates.c"]);
}

/// At `-O1` clang's device link inlines nothing; what is inlined later must leave a team's variables shared.
#[test]
fn privates_where_the_link_inlines_nothing() {
    check_mode(&["tests/programs/privates.c"], &[], Mode::Offload("-O1"));
}

#[test]
fn mapper() {
    check(&["mapper.c"]);
}

#[test]
fn asynchronous() {
    check(&["async.c"]);
}

/// On the virtual GPU and on the host as a device.
#[test]
fn interop() {
    let flags = ["-fopenmp-version=52"];
    for mode in [Mode::Offload("-O2"), Mode::HostDevice] {
        check_mode(&["tests/programs/interop.c"], &flags, mode);
    }
}

#[test]
fn classes() {
    check(&["classes.cpp"]);
}

/// Functions and objects by the host's pointers.
#[test]
fn host_pointers() {
    check(&["host_pointers.cpp"]);
    let sources = ["tests/programs/host_pointers.cpp"];
    check_mode(&sources, &[], Mode::UnitByUnit("-O2"));
}

#[test]
fn classes_in_unified_shared_memory() {
    check(&["usm_classes.cpp"]);
}

#[test]
fn variables_only() {
    for mode in [Mode::Offload("-O0"), Mode::Amd(WAVE64, "-O1")] {
        check_mode(&["tests/programs/variables_only.c"], &[], mode);
    }
}

/// Features by version of OpenMP (docs/conformance.md).
#[test]
fn features() {
    for (source, version) in [("features_50.cpp", "51"), ("features_60.c", "60")] {
        let flag = format!("-fopenmp-version={version}");
        for mode in [Mode::Offload("-O2"), Mode::Amd(WAVE64, "-O1")] {
            check_mode(&[&format!("tests/programs/{source}")], &[&flag], mode);
        }
    }
}

#[test]
fn math() {
    check(&["math.cpp"]);
}

#[test]
fn types() {
    check(&["types.c"]);
}

#[test]
fn collapsed() {
    check(&["collapsed.c"]);
}

/// Every iteration once, the last one's value, and the threads that their numbers say.
#[test]
fn dealt_loops() {
    check(&["dealt_loops.c"]);
    check_mode(&["tests/programs/dealt_loops.c"], &[], Mode::Offload("-O1"));
}

#[test]
fn schedules() {
    check(&["schedules.c"]);
}

/// What a team gets of a loop: the program's chunks as they are, one piece where it leaves that to the runtime and the
/// optimiser can tell.
#[test]
fn distribute() {
    let modes = [&MODES[..], &[Mode::UnitByUnit("-O2")]].concat();
    for mode in first_and_another(&modes, "distribute") {
        let pieces = match mode {
            Mode::Offload("-O2") | Mode::Amd(..) => "one-piece",
            _ => "any",
        };
        let outcome = Build::new(&["tests/programs/distribute.c"])
            .compile(mode)
            .run(&[pieces]);
        assert_eq!(outcome.passed(&format!("distribute.c {mode:?}")), "PASS\n");
    }
}

#[test]
fn reductions_of_integers() {
    check_with(&["reductions.cpp"], &["-DPART=1"]);
}

#[test]
fn reductions_of_wide_types() {
    check_with(&["reductions.cpp"], &["-DPART=2"]);
    check_with(&["reductions.cpp"], &["-DPART=3"]);
}

#[test]
fn reductions_bitwise() {
    check_with(&["reductions.cpp"], &["-DPART=4"]);
}

#[test]
fn reductions_of_arrays_and_user_defined() {
    check_with(&["reductions.cpp"], &["-DPART=5"]);
    check_with(&["reductions.cpp"], &["-DPART=6"]);
}

#[test]
fn reductions_in_teams_of_every_odd_size() {
    check(&["reduce_sizes.c"]);
}

#[test]
fn reductions_that_both_ways_of_a_branch_come_to() {
    check(&["reduce_apart.c"]);
}

/// Many kinds in one list, compared with the host: in a team, across teams, nested.
#[test]
fn reductions_of_many_kinds_in_a_team() {
    check_with(&["reduce_kinds.cpp"], &["-DPART=1"]);
}

#[test]
fn reductions_of_many_kinds_across_teams() {
    check_with(&["reduce_kinds.cpp"], &["-DPART=2"]);
}

#[test]
fn reductions_of_many_kinds_nested() {
    check_with(&["reduce_kinds.cpp"], &["-DPART=3"]);
}

#[test]
fn sync() {
    check(&["sync.c"]);
}

/// With `-g` clang says of captured variables that no other thread has them, for AMD GPUs alone.
#[test]
fn sync_with_debug_information() {
    let build = Build::new(&["tests/programs/sync.c"]).flags(&["-g"]);
    let says = build.compile(Mode::Amd(WAVE64, "-O2")).run(&[]);
    says.passed("sync.c, -g");
}

#[test]
fn constructs() {
    check_with(&["constructs.c"], &["-fopenmp-version=52"]);
}

#[test]
fn more_constructs() {
    check_with(&["more_constructs.c"], &["-fopenmp-version=60"]);
}

/// clang's calls for complex numbers. On AMD GPUs flang's function of the same name has another type.
#[test]
fn complex_products() {
    let sources = [
        "tests/programs/complex_products.c",
        "tests/programs/complex_unit.c",
    ];
    for mode in [Mode::Offload("-O2"), Mode::Amd(WAVE64, "-O1")] {
        check_mode(&sources, &[], mode);
    }
}

#[test]
fn counting_bounds() {
    check(&["counting_bounds.c"]);
}

#[test]
fn team_loops() {
    check(&["team_loops.c"]);
}

/// A loop of `simd` whose step is not known makes no vectors, and no warnings either.
#[test]
fn loops_of_simd_are_linked_without_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let source = e2e::root().join("tests/programs/team_loops.c");
    for configuration in ["omptarget.cfg", "omptarget-amdgpu.cfg"] {
        let mut with = std::ffi::OsString::from("--config=");
        with.push(e2e::dist("etc").join(configuration));
        let arguments = [with, "-O2".into(), source.clone().into()];
        let outcome = e2e::compiler(false, &arguments, folder.path());
        assert!(
            outcome.code == 0 && outcome.stderr.is_empty(),
            "{}",
            outcome.stderr
        );
    }
}

#[test]
fn critical_lanes() {
    check(&["critical_lanes.c"]);
}

#[test]
fn doacross() {
    check(&["doacross.c"]);
}

#[test]
fn sent() {
    check(&["sent.c"]);
}

#[test]
fn tasks() {
    check_with(&["tasks.c"], &["-fopenmp-version=51"]);
}

/// In programs without events, task reductions and questions the runtime keeps no record of tasks.
#[test]
fn plain_tasks() {
    check_with(&["tasks.c"], &["-fopenmp-version=51", "-DPLAIN"]);
}

#[test]
fn atomics() {
    let flags = ["-fopenmp-version=51", "-Wno-atomic-alignment", "-latomic"];
    check_with(&["atomics.c"], &flags);
}

#[test]
fn library() {
    check(&["library.cpp"]);
}

#[test]
fn ompx() {
    check(&["ompx.cpp"]);
}

#[test]
fn routines() {
    check_with(&["routines.c"], &["-fopenmp-version=51"]);
}

/// In a heap that what one region leaves behind would soon fill.
#[test]
fn private_state() {
    let environment = [
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ("OMPTARGET_VGPU_HEAP", "2M"),
    ];
    for mode in first_and_another(&MODES, "private_state") {
        let outcome = Build::new(&["tests/programs/private_state.c"])
            .flags(&["-fopenmp-version=51"])
            .compile(mode)
            .run_with(&[], &environment);
        assert_eq!(
            outcome.passed(&format!("private_state.c {mode:?}")),
            "PASS\n"
        );
    }
}

#[test]
fn queries() {
    check(&["queries.c"]);
}

/// State buffers, nested levels, large shared variables.
#[test]
fn state() {
    check(&["state.c"]);
}

/// Regions that capture 21 and 129 variables; what fits the list in shared memory is in the examples.
#[test]
fn captures() {
    for mode in [Mode::Offload("-O1"), Mode::Amd(WAVE64, "-O1")] {
        check_mode(&["tests/programs/captures.c"], &[], mode);
    }
}

/// Where the optimiser knows the sizes of the variables, little memory is enough.
#[test]
fn copyprivate() {
    for mode in first_and_another(&MODES, "copyprivate") {
        let heap = if mode == Mode::Offload("-O0") {
            "64M"
        } else {
            "1M"
        };
        let outcome = Build::new(&["tests/programs/copyprivate.cpp"])
            .compile(mode)
            .run_with(&[], &[("OMPTARGET_VGPU_HEAP", heap)]);
        assert_eq!(outcome.passed(&format!("copyprivate {mode:?}")), "PASS\n");
    }
}

#[test]
fn text() {
    check(&["text.c"]);
}

#[test]
fn heap() {
    check(&["heap.c"]);
}

/// Device printf writes what the host's printf writes.
#[test]
fn print() {
    let sources = ["tests/programs/print.c"];
    let expected = Build::new(&sources).compile(Mode::Host).run_with(&[], &[]);
    for mode in first_and_another(&MODES, "print") {
        let outcome = Build::new(&sources).compile(mode).run(&[]);
        assert_eq!(
            outcome.passed(&format!("print.c {mode:?}")),
            expected.passed("the host's run")
        );
    }
}

/// With offload switched off, target regions of the same binary run on the host.
#[test]
fn disabled() {
    let disabled = [("OMP_TARGET_OFFLOAD", "DISABLED")];
    for source in ["map.c", "structs.c", "privates.c", "queries.c"] {
        let outcome = Build::new(&[&format!("tests/programs/{source}")])
            .compile(Mode::Offload("-O1"))
            .run_with(&[], &disabled);
        assert_eq!(outcome.passed(source), "PASS\n");
    }
}

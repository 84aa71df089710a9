//! Fortran: flang as it is, with a configuration file for AMD GPUs, and `omptarget fc` for NVIDIA's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use e2e::{Outcome, dist, root, run};

/// How a program is compiled.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Without offload: the reference.
    Host,
    /// flang itself, for an AMD GPU.
    Stock,
    /// `omptarget fc`, for an NVIDIA GPU.
    Command,
}

impl Way {
    fn compile(self, arguments: &[&str]) -> Outcome {
        let config = format!("--config={}", dist("etc/omptarget-fortran.cfg").display());
        let (program, first) = match self {
            Way::Host => (PathBuf::from("flang-22"), "-fopenmp"),
            Way::Stock => (PathBuf::from("flang-22"), config.as_str()),
            Way::Command => (dist("bin/omptarget"), "fc"),
        };
        run(&program, &[&[first], arguments].concat(), &[])
    }
}

fn source(name: &str) -> String {
    let path = match name {
        "saxpy.f90" => root().join("examples").join(name),
        _ => root().join("tests/programs/fortran").join(name),
    };
    path.to_str().expect("UTF-8").to_owned()
}

/// Compiles sources in one step and runs the program. Module files go to a folder of the test's own.
#[track_caller]
fn passes(names: &[&str], options: &[&str]) {
    for way in [Way::Host, Way::Stock, Way::Command] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let sources: Vec<String> = names.iter().map(|name| source(name)).collect();
        let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let (modules, program) = (text(folder.path()), text(&folder.path().join("program")));
        let mut arguments: Vec<&str> = sources.iter().map(String::as_str).collect();
        arguments.extend(["-J", &modules, "-o", &program]);
        arguments.extend(options);
        way.compile(&arguments)
            .passed(&format!("{way:?} {names:?}"));
        let environment: &[(&str, &str)] = match way {
            Way::Host => &[],
            _ => &[("OMP_TARGET_OFFLOAD", "MANDATORY")],
        };
        let says = run(program.as_ref(), &[], environment);
        assert_eq!(says.passed(&format!("{way:?} {names:?}")), "PASS\n");
    }
}

/// The same output in every way, with optimisation and without it.
#[track_caller]
fn agrees(name: &str, ways: &[Way]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    for level in ["-O0", "-O2"] {
        let outputs = [Way::Host].iter().chain(ways).map(|way| {
            let (program, modules) = (at("program"), at(""));
            let arguments = [level, &source(name), "-J", &modules, "-o", &program];
            way.compile(&arguments).passed(&format!("{way:?} {name}"));
            let mandatory: &[(&str, &str)] = &[("OMP_TARGET_OFFLOAD", "MANDATORY")];
            let environment = if matches!(way, Way::Host) {
                &[]
            } else {
                mandatory
            };
            let says = run(program.as_ref(), &[], environment);
            (way, says.passed(&format!("{way:?} {name}")).to_owned())
        });
        let outputs: Vec<_> = outputs.collect();
        for (way, output) in &outputs[1..] {
            assert_eq!(output, &outputs[0].1, "{way:?} {level} {name}");
        }
    }
}

/// `print *` and `write (*, *)` in device code: the lines are those of the host's run-time library.
#[test]
fn output() {
    agrees("output.f90", &[Way::Stock, Way::Command]);
}

/// What flang leaves to its run-time library, most of it without optimisation.
#[test]
fn assignments_and_allocation() {
    passes(&["assignments.f90"], &["-O0"]);
    passes(&["assignments.f90"], &["-O2"]);
}

#[test]
fn intrinsic_procedures() {
    passes(&["intrinsics.f90"], &["-O0"]);
    passes(&["intrinsics.f90"], &["-O2"]);
}

/// Kernels that openmp-opt does not make SPMD: flang gives workers no function to call.
#[test]
fn generic_kernels() {
    passes(&["generic.f90"], &["-O0"]);
    passes(&["generic.f90"], &["-O2"]);
}

/// Assumed-shape dummies and pointers, whose elements may lie apart.
#[test]
fn strides() {
    passes(&["strides.f90"], &["-O0"]);
    passes(&["strides.f90"], &["-O2"]);
}

/// flang itself does not compile them for NVIDIA GPUs.
#[test]
fn complex_functions() {
    agrees("complex.f90", &[Way::Stock]);
}

#[test]
fn what_is_not_served_is_named() {
    let source = source("formatted_output.f90");
    for way in [Way::Stock, Way::Command] {
        let refused = way.compile(&[&source, "-o", "/dev/null"]);
        let wanted = "device code calls `_FortranAioBeginExternalFormattedOutput`, which neither the program nor";
        assert!(
            refused.code != 0 && refused.stderr.contains(wanted),
            "{refused:?}"
        );
    }
}

#[test]
fn error_stop_ends_the_kernel_with_its_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program").display().to_string();
    for way in [Way::Stock, Way::Command] {
        way.compile(&[&source("error_stop.f90"), "-o", &program])
            .passed("error_stop.f90");
        let ended = run(program.as_ref(), &[], &[]);
        ended.failed_with(
            &format!("{way:?}"),
            &["Fortran ERROR STOP: no solution", "trap"],
        );
    }
}

/// `omptarget run` compiles Fortran as it does C, and leaves no module file.
#[test]
fn one_command_compiles_and_runs() {
    let command = dist("bin/omptarget");
    let says = run(&command, &["run", &source("saxpy.f90")], &[]);
    assert_eq!(says.passed("omptarget run"), "PASS\n");
    let sources = [source("modules.f90"), source("program.f90")];
    for gpu in ["--offload-arch=sm_80", "--offload-arch=gfx90a"] {
        let says = run(
            &command,
            &["run", "-O1", gpu, &sources[0], &sources[1]],
            &[],
        );
        assert_eq!(says.passed("omptarget run, modules"), "PASS\n");
    }
    let nothing = run(&command, &["run", "nonexistent.f90"], &[]);
    assert!(
        nothing.code == 1 && nothing.stderr.contains("nonexistent.f90"),
        "{nothing:?}"
    );
}

#[test]
fn the_example() {
    passes(&["saxpy.f90"], &["-O2"]);
}

#[test]
fn modules_data_and_reductions() {
    passes(&["modules.f90", "program.f90"], &["-O2"]);
}

#[test]
fn arrays_and_derived_types() {
    passes(&["arrays.f90"], &["-O2"]);
}

#[test]
fn threads_and_teams() {
    passes(&["threads.f90"], &["-O2"]);
}

/// `-c`, and a link of the objects by the same command.
#[test]
fn separate_compilation_for_two_gpus() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let gpus = ["--offload-arch=sm_90", "--offload-arch=gfx90a"];
    let modules = folder.path().display().to_string();
    for (unit, object) in [("modules.f90", "a.o"), ("program.f90", "b.o")] {
        let (unit, object) = (source(unit), at(object));
        let arguments = ["-c", "-O1", &unit, "-J", &modules, "-o", &object];
        let compiled = Way::Command.compile(&[&gpus[..], &arguments].concat());
        compiled.passed("omptarget fc -c");
    }
    let (a, b, program) = (at("a.o"), at("b.o"), at("program"));
    let linked = Way::Command.compile(&[&gpus[..], &[&a, &b, "-o", &program]].concat());
    linked.passed("omptarget fc, the link");
    let images = run(&dist("bin/omptarget"), &["image", &program], &[]);
    let images = images.passed("omptarget image");
    assert!(
        images.contains("sm_90") && images.contains("gfx90a"),
        "{images}"
    );
    let says = run(
        program.as_ref(),
        &[],
        &[("OMP_TARGET_OFFLOAD", "MANDATORY")],
    );
    assert_eq!(says.passed("the program"), "PASS\n");
}

#[test]
fn reductions_of_arrays_are_refused() {
    let source = source("array_reduction.f90");
    for way in [Way::Stock, Way::Command] {
        let refused = way.compile(&["-c", "-O2", &source, "-o", "/dev/null"]);
        assert_ne!(refused.code, 0, "{refused:?}");
        let wanted = "flang 22 makes wrong code for the reduction of an array on a GPU";
        assert!(refused.stderr.contains(wanted), "{refused:?}");
    }
}

#[test]
fn mistakes() {
    let missing = run(
        &dist("bin/omptarget"),
        &["fc", "x.f90"],
        &[("OMPTARGET_FLANG", "/nonexistent/flang")],
    );
    assert!(
        missing.code == 1 && missing.stderr.contains("/nonexistent/flang"),
        "{missing:?}"
    );
    let no_file = Way::Command.compile(&["nonexistent.f90"]);
    assert!(
        no_file.code == 1 && no_file.stderr.contains("nonexistent.f90"),
        "{no_file:?}"
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bad: OsString = folder.path().join("bad.f90").into();
    std::fs::write(&bad, "program bad\n  integer : i\nend program\n").expect("a file");
    let bad = bad.to_str().expect("UTF-8");
    let refused = Way::Command.compile(&["-c", bad, "-o", "/dev/null"]);
    assert!(
        refused.code == 1 && refused.stderr.contains("bad.f90:2"),
        "{refused:?}"
    );
}

/// Where flang does all the work itself, it takes the command's place.
#[test]
fn no_temporary_folder_is_left() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let temporary = folder.path().to_str().expect("UTF-8");
    let command = dist("bin/omptarget");
    let asked = run(&command, &["fc", "--version"], &[("TMPDIR", temporary)]);
    assert!(asked.passed("omptarget fc --version").contains("flang"));
    let left = folder.path().read_dir().expect("a folder").count();
    assert_eq!(left, 0);
}

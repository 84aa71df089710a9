//! Requests beyond the limits: a clear message and the defined exit or fallback, without a hang.

use std::sync::LazyLock;

use e2e::{Binary, Build, Mode, line_of};

const SOURCE: &str = "tests/programs/limits.c";
static LIMITS: LazyLock<Binary> = LazyLock::new(|| {
    Build::new(&[SOURCE])
        .flags(&["-g"])
        .compile(Mode::Offload("-O1"))
});

/// The line of the pragma that follows the line with `text`.
fn construct_after(text: &str) -> String {
    format!("limits.c:{}", 1 + line_of(SOURCE, text))
}

#[test]
fn too_many_teams() {
    let place = format!("limits.c:{}", line_of(SOURCE, "num_teams(teams)"));
    LIMITS
        .run(&["num-teams"])
        .failed_with("num_teams(1u << 31)", &["2147483648", &place]);
}

#[test]
fn too_many_threads() {
    let outcome = LIMITS.run(&["thread-limit"]);
    assert!(
        outcome.code == 0 && outcome.stdout == "threads within the limit\n",
        "{outcome:?}"
    );
}

#[test]
fn no_teams() {
    let outcome = LIMITS.run(&["zero-teams"]);
    assert!(
        outcome.code == 0 && outcome.stdout == "iterations 1000\n",
        "{outcome:?}"
    );
}

#[test]
fn not_present() {
    let place = construct_after("\"present\"");
    LIMITS
        .run(&["present"])
        .failed_with("present", &["present", &place]);
    let place = construct_after("\"update-present\"");
    LIMITS
        .run(&["update-present"])
        .failed_with("update-present", &["present", &place]);
}

#[test]
fn extending_a_mapped_section() {
    let place = format!(
        "limits.c:{}",
        line_of(SOURCE, "target map(tofrom : a)\n".trim_end())
    );
    LIMITS.run(&["extend"]).failed_with("extend", &[&place]);
}

#[test]
fn out_of_memory() {
    let small = [
        ("OMPTARGET_VGPU_MEMORY", "64M"),
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
    ];
    let place = format!("limits.c:{}", line_of(SOURCE, "map(alloc : big"));
    LIMITS
        .run_with(&["memory"], &small)
        .failed_with("memory", &["memory", "1073741824", &place]);
    let outcome = LIMITS.run_with(&["alloc"], &small);
    assert!(
        outcome.code == 0 && outcome.stdout == "huge refused, 0 failed\n",
        "{outcome:?}"
    );
}

/// The device heap has no room for a variable that the threads of a region share. (openmp-opt would give it shared
/// memory, of which it is too large as well.)
#[test]
fn out_of_heap_for_shared_variables() {
    let small = [
        ("OMPTARGET_VGPU_HEAP", "1M"),
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
    ];
    let place = format!(
        "limits.c:{}",
        line_of(SOURCE, "target map(tofrom : sink) // too large")
    );
    Build::new(&[SOURCE])
        .flags(&["-g"])
        .compile(Mode::NoOpenMpOpt)
        .run_with(&["shared-variables"], &small)
        .failed_with(
            "shared-variables",
            &[
                "out of device heap",
                "bytes wanted: 2097152",
                "variables that the threads of a team share",
                "OMPTARGET_VGPU_HEAP",
                &place,
            ],
        );
}

/// As many captured variables as a region may have without a state machine, more than with one, and one too many.
/// (Without optimisation: compilers need long for such kernels.)
#[test]
fn captured_variables() {
    let source = "tests/programs/captures.c";
    let binary = Build::new(&[source])
        .flags(&["-g", "-DMANY"])
        .compile(Mode::Offload("-O0"));
    assert_eq!(binary.run(&[]).passed("captures.c -DMANY"), "PASS\n");
    binary.run(&["run by one thread"]).failed_with(
        "captures.c -DMANY alone",
        &[
            "captures more than 512 variables",
            "structure",
            "captures.h:",
        ],
    );
}

/// Clang compiles it in a function, though devices have no such variables: a message, not a wrong value.
#[test]
fn threadprivate() {
    let source = "tests/programs/threadprivate.c";
    let build = Build::new(&[source]).flags(&["-g"]);
    let outcome = build.compile(Mode::Offload("-O1")).run(&[]);
    assert_eq!(outcome.passed("threadprivate"), "PASS\n");
    let place = format!("threadprivate.c:{}", line_of(source, "return ++counter"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program").display().to_string();
    let words = [
        "cc",
        "-g",
        "-O1",
        "-DOFFLOAD",
        "-DCALL",
        source,
        "-o",
        &program,
    ];
    e2e::run(&e2e::dist("bin/omptarget"), &words, &[]).failed_with(
        "threadprivate -DCALL",
        &["a threadprivate variable is used", &place, "firstprivate"],
    );
}

#[test]
fn freed_twice() {
    let outcome = LIMITS.run(&["double-free"]);
    assert!(![124, 139, 135].contains(&outcome.code), "{outcome:?}");
    assert!(outcome.stderr.contains("free"), "{outcome:?}");
}

/// More dynamic shared memory than a block can have.
#[test]
fn too_much_shared_memory() {
    let place = format!(
        "limits.c:{}",
        line_of(SOURCE, "ompx_dyn_cgroup_mem(100000000)")
    );
    let facts = [
        "cannot be launched",
        "shared memory per block",
        "hint: lower",
        &place,
    ];
    LIMITS
        .run(&["shared-memory"])
        .failed_with("ompx_dyn_cgroup_mem", &facts);
}

/// More teams than a buffer has records for, where each has its own.
#[test]
fn too_many_teams_that_reduce() {
    let place = format!("limits.c:{}", line_of(SOURCE, "num_teams(1073741825)"));
    let facts = [
        "cannot be launched: 1073741825 teams reduce",
        "hint: lower num_teams",
        &place,
    ];
    LIMITS
        .run(&["reducing-teams"])
        .failed_with("num_teams(1073741825)", &facts);
}

/// More device memory than there is: a routine returns an error, a construct ends the program.
#[test]
fn copies_to_no_memory() {
    let outcome = LIMITS.run(&["wild-copy"]);
    assert!(
        outcome.code == 0 && outcome.stdout == "refused 1\n",
        "{outcome:?}"
    );
    for fact in ["0x10 leaves every allocation", "hint: check pointer"] {
        assert!(outcome.stderr.contains(fact), "{outcome:?}");
    }
    let place = format!("limits.c:{}", line_of(SOURCE, "target update to(a)"));
    let facts = [
        "'a' (400 bytes",
        "leaves every allocation",
        "hint: ",
        "omp_target_associate_ptr",
        &place,
    ];
    LIMITS
        .run(&["freed-association"])
        .failed_with("freed-association", &facts);
}

#[test]
fn deleted_twice() {
    let outcome = LIMITS.run(&["double-delete"]);
    assert_eq!(outcome.passed("double-delete"), "no effect\n");
}

#[test]
fn no_such_device() {
    let place = format!("limits.c:{}", line_of(SOURCE, "device(1000)"));
    LIMITS
        .run(&["device-number"])
        .failed_with("device(1000)", &["1000", &place]);
}

#[test]
fn no_device_at_all() {
    let none = ("OMPTARGET_DEVICES", "none");
    let outcome = LIMITS.run_with(&["where"], &[none]);
    assert!(
        outcome.code == 0 && outcome.stdout == "host, 0 devices\n",
        "{outcome:?}"
    );
    let outcome = LIMITS.run_with(&["where"], &[none, ("OMP_TARGET_OFFLOAD", "MANDATORY")]);
    outcome.failed_with(
        "MANDATORY without a device",
        &["MANDATORY", "OMPTARGET_DEVICES=none"],
    );
    let outcome = LIMITS.run_with(&["where"], &[("OMP_TARGET_OFFLOAD", "DISABLED")]);
    assert_eq!(outcome.passed("DISABLED"), "host, 0 devices\n");
}

/// A binary whose device image was damaged ends with a message about the image.
#[test]
fn damaged_image() {
    let good = std::fs::read(&LIMITS.path).expect("the binary is readable");
    // The program's descriptor points straight at the bitcode inside the container.
    let start = good
        .windows(4)
        .position(|bytes| bytes == b"BC\xc0\xde")
        .expect("the binary carries bitcode");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let damages = [
        ("magic", 0, 4, 9),
        ("block length", 8, 4, 0x7f),
        ("body", 600, 64, 0x55),
        ("cut off", 200, 800, 0),
    ];
    for (name, offset, length, byte) in damages {
        let mut bad = good.clone();
        bad[start + offset..start + offset + length].fill(byte);
        let path = folder.path().join(name);
        e2e::write_executable(&path, &bad);
        let outcome = e2e::run(&path, &["where"], &[("OMP_TARGET_OFFLOAD", "MANDATORY")]);
        outcome.failed_with(name, &["image"]);
    }
}

/// Few addresses, little stack, and something else where device memory lies at best: the virtual GPU manages.
#[test]
fn cramped_processes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = "#define _GNU_SOURCE\n#include <omp.h>\n#include <stdio.h>\n#include <sys/mman.h>\n\
        int main(int count, char **arguments) {\n\
          char *place = (char *)0x300000001000, *got = place;\n\
          if (count > 1) got = mmap(place, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);\n\
          int sum = 0, host;\n\
          #pragma omp target teams distribute parallel for reduction(+ : sum) map(from : host)\n\
          for (int i = 0; i < 10000; i++) { sum += i % 7; if (i == 0) host = omp_is_initial_device(); }\n\
          printf(\"%d %d %d\\n\", sum, host, got == place);\n}\n";
    std::fs::write(path("cramped.c"), text).expect("written");
    let words = ["cc", "-O2", &path("cramped.c"), "-o", &path("cramped")];
    e2e::run(&e2e::dist("bin/omptarget"), &words, &[]).passed("omptarget cc");
    let program = path("cramped");
    let shell = |script: &str| {
        let script = format!("{script}; exec {program} $0");
        let mandatory = [
            ("OMP_TARGET_OFFLOAD", "MANDATORY"),
            ("OMPTARGET_CACHE", "0"),
        ];
        e2e::run("/bin/sh".as_ref(), &["-c", &script, ""], &mandatory)
    };
    for script in ["ulimit -v 2000000", "ulimit -s 64", ":"] {
        assert_eq!(shell(script).passed(script), "29994 0 1\n", "{script}");
    }
    let elsewhere = e2e::run(
        program.as_ref(),
        &["map"],
        &[("OMP_TARGET_OFFLOAD", "MANDATORY")],
    );
    assert_eq!(elsewhere.passed("something is mapped there"), "29994 0 1\n");
    let least = "raise `ulimit -v` to 2000000";
    shell("ulimit -v 1000000").failed_with("1 GB", &[least]);
}

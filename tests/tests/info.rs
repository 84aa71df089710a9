//! `LIBOMPTARGET_INFO`: what each bit tells, alone, and when; `LIBOMPTARGET_DEBUG`; what LLVM's library tells of the
//! same program.

use std::path::PathBuf;
use std::sync::LazyLock;

use e2e::{Binary, Build, Mode, line_of};

const SOURCE: &str = "tests/programs/info.c";
static INFO: LazyLock<Binary> = LazyLock::new(|| {
    Build::new(&[SOURCE])
        .flags(&["-g"])
        .compile(Mode::Offload("-O1"))
});

/// Bit, and the words of a line of its kind.
const KINDS: [(u32, &str); 7] = [
    (0x01, "info: entering "),
    (0x02, " is mapped already: "),
    (0x04, " mapping table ("),
    (0x08, " mapped at "),
    (0x10, "info: launching kernel "),
    (0x20, "info: copying "),
    (0x40, " has no device counterpart"),
];

fn told(variable: &str, value: &str) -> String {
    let environment = [("OMP_TARGET_OFFLOAD", "MANDATORY"), (variable, value)];
    let outcome = INFO.run_with(&[], &environment);
    assert!(
        outcome.code == 0 && outcome.stdout == "PASS\n",
        "{outcome:?}"
    );
    outcome.stderr
}

fn kinds_in(text: &str) -> u32 {
    let present = |kind: &&(u32, &str)| text.contains(kind.1);
    KINDS.iter().filter(present).map(|(bit, _)| bit).sum()
}

#[test]
fn each_bit_alone() {
    for (bit, _) in KINDS {
        let text = told("LIBOMPTARGET_INFO", &bit.to_string());
        assert_eq!(kinds_in(&text), bit, "bit {bit:#x}:\n{text}");
    }
    assert_eq!(told("LIBOMPTARGET_INFO", "0"), "");
    assert_eq!(kinds_in(&told("LIBOMPTARGET_INFO", "-1")), 0x7f);
}

#[test]
fn occasions() {
    let region = format!("info.c:{}:1 in main", line_of(SOURCE, "// region"));
    let enter = format!("info.c:{}:1 in main", line_of(SOURCE, "// enter"));
    let text = told("LIBOMPTARGET_INFO", "1");
    for fact in [&region, &enter, "firstprivate", "to: 'a[0:10]' (40 bytes"] {
        assert!(text.contains(fact), "{fact} missing:\n{text}");
    }
    // Entering, updating and leaving a mapping find it. The counts are those afterwards.
    let text = told("LIBOMPTARGET_INFO", "2");
    for references in [
        "references 2 hold 0",
        "references 1 hold 0",
        "references 0 hold 0",
    ] {
        assert!(text.contains(references), "{references} missing:\n{text}");
    }
    // After each construct and at the end; both arrays are there after the region.
    let text = told("LIBOMPTARGET_INFO", "4");
    let after = |place: &str| {
        let header = text.split_once(&format!("{place}:\n"));
        let (_, table) = header.unwrap_or_else(|| panic!("no table after {place}:\n{text}"));
        table.split("omptarget").next().unwrap_or("").to_owned()
    };
    let table = after(&region);
    assert!(table.contains(" a\n") && table.contains(" b\n"), "{text}");
    assert!(text.contains(" at the end of the program: empty"), "{text}");
    let text = told("LIBOMPTARGET_INFO", "0x20");
    for fact in [
        "updating 'a[0:10]'",
        "updating 'b'",
        "omp_target_memcpy",
        "attaching",
    ] {
        assert!(text.contains(fact), "{fact} missing:\n{text}");
    }
}

#[test]
fn debugging() {
    let text = told("LIBOMPTARGET_DEBUG", "1");
    assert_eq!(kinds_in(&text), 0x7f, "{text}");
    assert!(text.contains("omptarget debug: registered"), "{text}");
    let text = told("LIBOMPTARGET_DEBUG", "DataTransfer:2,Kernel");
    assert_eq!(kinds_in(&text), 0x31, "{text}");
    let text = told("LIBOMPTARGET_DEBUG", "Init");
    assert!(kinds_in(&text) == 0 && text.contains("debug:"), "{text}");
}

/// The mapped section that a kernel's wild pointer is related to.
#[test]
fn sections_near_a_stray_address() {
    for (argument, fact) in [
        ("host", "lies in the host's copy of 'a'"),
        ("beyond", "bytes beyond the end of the device's copy, [0x"),
    ] {
        let environment = [
            ("OMP_TARGET_OFFLOAD", "MANDATORY"),
            ("LIBOMPTARGET_INFO", "4"),
        ];
        let outcome = INFO.run_with(&[argument], &environment);
        let facts = [
            "section: ",
            fact,
            "at the failure:",
            "hint: ",
            "device: 0 (",
        ];
        outcome.failed_with(argument, &facts);
    }
}

/// LLVM's library prints messages on the same occasions, with its own texts.
#[test]
fn as_many_lines_as_llvm() {
    let folder = e2e::root().join("dist/llvm");
    let library: PathBuf = folder.join("libomptarget.so.22.1");
    assert!(library.exists(), "run scripts/setup first");
    let program = Build::new(&[SOURCE])
        .flags(&["-g"])
        .compile(Mode::HostDevice);
    let lines = |bit: u32, extra: &[(&str, &str)], words: &str| {
        let level = bit.to_string();
        let mut environment = vec![("LIBOMPTARGET_INFO", level.as_str())];
        environment.extend(extra);
        let outcome = program.run_with(&[], &environment);
        assert!(outcome.stdout == "PASS\n", "{outcome:?}");
        let counted = |line: &&str| line.contains(words);
        outcome.stderr.lines().filter(counted).count()
    };
    let path = folder.display().to_string();
    let preload = library.display().to_string();
    let theirs = [
        ("LD_LIBRARY_PATH", path.as_str()),
        ("LD_PRELOAD", preload.as_str()),
    ];
    for (bit, ours_say, theirs_say) in [
        (0x04, " mapping table (", "mappings after block at"),
        (0x08, " mapped at ", "Creating new map entry"),
        (0x08, "removed the mapping", "Removing map entry"),
        (0x10, "launching kernel", "Launching kernel"),
        (
            0x40,
            "no device counterpart",
            "not have a valid device counterpart",
        ),
    ] {
        let (ours, theirs) = (lines(bit, &[], ours_say), lines(bit, &theirs, theirs_say));
        assert!(ours > 0 && theirs > 0, "{bit:#x}: {ours} and {theirs}");
        // Of an empty table LLVM has no such line.
        assert!(ours >= theirs, "{bit:#x}: {ours} lines, LLVM {theirs}");
    }
}

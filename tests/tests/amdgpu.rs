//! LLVM's AMDGPU back end makes code objects from the examples' kernels, for every supported generation of GPUs: from
//! some examples each, or from all ([`every_third`]). The tests print the registers and the memory in their metadata as
//! tables.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use e2e::{Binary, Build, EXAMPLES, Mode, every_third, short_kernel_name};

/// What a code object's metadata says of one kernel.
#[derive(Clone, Debug, Default, PartialEq)]
struct Figures {
    kernel: String,
    vector_registers: u32,
    scalar_registers: u32,
    lds: u32,
    scratch: u32,
    spilled: u32,
    wave: u32,
}

#[test]
fn examples_become_code_objects_for_gfx90a() {
    table("gfx90a", 64);
}

#[test]
fn examples_become_code_objects_for_gfx942() {
    table("gfx942", 64);
}

#[test]
fn examples_become_code_objects_for_gfx1030() {
    table("gfx1030", 32);
}

#[test]
fn examples_become_code_objects_for_gfx1100() {
    table("gfx1100", 32);
}

#[test]
fn examples_become_code_objects_for_gfx9_generic() {
    table("gfx9-generic", 64);
}

#[test]
fn examples_become_code_objects_for_gfx10_3_generic() {
    table("gfx10-3-generic", 32);
}

#[test]
fn examples_become_code_objects_for_gfx11_generic() {
    table("gfx11-generic", 32);
}

/// Streaming kernels need no scratch memory, no LDS and no call.
#[test]
fn saxpy_costs_nothing() {
    for architecture in ["gfx90a", "gfx1100"] {
        let (_binary, object) = code_object(&["examples/saxpy.c"], architecture);
        for f in figures(&object) {
            let nothing = f.scratch == 0 && f.lds == 0 && f.spilled == 0;
            assert!(nothing, "{architecture}: {f:?}");
        }
        let code = tool("llvm-objdump", &["-d".as_ref(), object.as_os_str()]);
        assert!(code.contains("s_endpgm"), "{code}");
        for call in ["s_swappc", "s_setpc", "scratch_", "buffer_store"] {
            assert!(!code.contains(call), "{architecture}: {code}");
        }
    }
}

/// Of the runtime's state, LDS has what is read: LLVM alone leaves 2,052 bytes here.
#[test]
fn what_nobody_reads_has_no_lds() {
    let build = for_one_gpu(
        &["bench/footprint.d/nested.c"],
        "gfx90a",
        &["-shared", "-fPIC"],
    );
    let object = build.folder().join("program.amdgcn.gfx90a.img");
    let _library = build.compile(Mode::WholeProgram("-O2"));
    let all = figures(&object);
    assert!(all.iter().all(|f| f.lds <= 8), "{all:?}");
    assert_eq!(all.len(), 1, "{all:?}");
}

/// Compiles examples for one GPU.
fn table(architecture: &str, wave: u32) {
    let mut table = format!(
        "{:<46} {:>6} {:>6} {:>7} {:>8} {:>7}\n",
        architecture, "VGPRs", "SGPRs", "LDS", "scratch", "spilled"
    );
    for sources in every_third(&EXAMPLES, architecture) {
        let name = Path::new(sources[0])
            .file_stem()
            .expect("a file name")
            .display();
        let (_binary, object) = code_object(sources, architecture);
        let all = figures(&object);
        assert!(!all.is_empty(), "{name}: no kernels");
        for f in all {
            assert_eq!(f.wave, wave, "{name}: lanes per wave");
            table += &format!(
                "{:<46} {:>6} {:>6} {:>7} {:>8} {:>7}\n",
                format!("{name} {}", short_kernel_name(&f.kernel)),
                f.vector_registers,
                f.scalar_registers,
                f.lds,
                f.scratch,
                f.spilled
            );
        }
        let header = tool("llvm-readelf", &["-h".as_ref(), object.as_os_str()]);
        assert!(header.contains(architecture), "{name}: {header}");
        let undefined = tool(
            "llvm-nm",
            &[
                "-D".as_ref(),
                "--undefined-only".as_ref(),
                object.as_os_str(),
            ],
        );
        assert_eq!(undefined.trim(), "", "{name}: undefined symbols");
    }
    println!("{table}");
}

/// A program's code object, made by clang itself.
fn code_object(sources: &[&str], architecture: &str) -> (Binary, PathBuf) {
    let build = for_one_gpu(sources, architecture, &[]);
    let object = build
        .folder()
        .join(format!("program.amdgcn.{architecture}.img"));
    (build.compile(Mode::WholeProgram("-O2")), object)
}

/// A program to compile for one GPU. The files that its links make are kept.
fn for_one_gpu(sources: &[&str], architecture: &str, flags: &[&str]) -> Build {
    let architecture = format!("--offload-arch={architecture}");
    let own = ["--no-offload-arch=sm_80", &architecture, "-save-temps"];
    Build::new(sources).flags(&[&own, flags].concat())
}

/// What one of LLVM's tools says.
fn tool(name: &str, arguments: &[&OsStr]) -> String {
    let folder = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    let output = Command::new(Path::new(&folder).join("bin").join(name))
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn figures(object: &Path) -> Vec<Figures> {
    read_figures(&tool(
        "llvm-readelf",
        &["--notes".as_ref(), object.as_os_str()],
    ))
}

/// Reads the kernels of the metadata note, YAML: a list whose items begin with `- .args:` or `- .agpr_count:`.
fn read_figures(notes: &str) -> Vec<Figures> {
    let mut all: Vec<Figures> = Vec::new();
    for line in notes.lines() {
        // Items of the list of kernels are indented by two, their fields by four, those of arguments by more.
        if line.starts_with("  - .") {
            all.push(Figures::default());
        }
        let Some((key, value)) = line
            .get(4..)
            .filter(|field| field.starts_with('.'))
            .and_then(|field| field.split_once(':'))
        else {
            continue;
        };
        let Some(f) = all.last_mut() else { continue };
        let number = || value.trim().parse().expect("a number");
        match key {
            ".name" => f.kernel = value.trim().to_owned(),
            ".vgpr_count" => f.vector_registers = number(),
            ".sgpr_count" => f.scalar_registers = number(),
            ".group_segment_fixed_size" => f.lds = number(),
            ".private_segment_fixed_size" => f.scratch = number(),
            ".vgpr_spill_count" | ".sgpr_spill_count" => f.spilled += number(),
            ".wavefront_size" => f.wave = number(),
            _ => {}
        }
    }
    all
}

#[test]
fn figures_are_read() {
    let notes = "amdhsa.version:\n  - 1\n  - 2\namdhsa.kernels:\n  - .agpr_count:     0\n    .args:\n      - .name:           x\n        .size:           8\n    \
        .group_segment_fixed_size: 16\n    .name:           k\n    .private_segment_fixed_size: 4\n    .sgpr_count:     20\n    \
        .sgpr_spill_count: 1\n    .vgpr_count:     7\n    .vgpr_spill_count: 2\n    .wavefront_size: 64\n\
        amdhsa.target:   amdgcn-amd-amdhsa--gfx90a\n";
    let expected = Figures {
        kernel: "k".into(),
        vector_registers: 7,
        scalar_registers: 20,
        lds: 16,
        scratch: 4,
        spilled: 3,
        wave: 64,
    };
    assert_eq!(read_figures(notes), [expected]);
}

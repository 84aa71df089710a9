//! The client of crate `codegen` with the real compiler: results, errors, and what a cache hit costs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::{CodeObjectOptions, CompileError, Compiler, PROVENANCE, PtxOptions, VgpuOptions};
use sha2::{Digest as _, Sha256};
use vgpu_abi::summary::ExecutionMode;

const TOOL: &str = env!("CARGO_BIN_EXE_omptarget-codegen");

fn source(name: &str) -> Vec<u8> {
    fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/ll")
            .join(name),
    )
    .unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Writes a script that can be run at once. A process of its own writes it: a child that another test's thread starts
/// meanwhile would inherit a file open for writing, and the kernel would refuse to run the file (ETXTBSY).
fn write_script(path: &Path, text: &str) {
    let written = Command::new("sh")
        .args(["-c", "printf %s \"$0\" >\"$1\" && chmod 755 \"$1\"", text])
        .arg(path)
        .status();
    assert!(written.unwrap().success(), "{path:?}");
}

/// The compiler behind a script that notes each run.
struct Counted {
    folder: tempfile::TempDir,
    compiler: Compiler,
}

impl Counted {
    fn new() -> Counted {
        let folder = tempfile::tempdir().unwrap();
        let (script, log) = (folder.path().join("tool"), folder.path().join("runs"));
        write_script(
            &script,
            &format!(
                "#!/bin/sh\necho run >> '{}'\nexec '{TOOL}' \"$@\"\n",
                log.display()
            ),
        );
        let compiler = Compiler::at(script, Some((folder.path().join("cache"), 64 << 20)));
        Counted { folder, compiler }
    }

    fn runs(&self) -> usize {
        fs::read_to_string(self.folder.path().join("runs"))
            .map(|text| text.lines().count())
            .unwrap_or(0)
    }

    fn entries(&self) -> Vec<PathBuf> {
        fs::read_dir(self.folder.path().join("cache"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "entry"))
            .collect()
    }
}

#[test]
fn a_hit_runs_nothing_and_gives_the_same() {
    let counted = Counted::new();
    let image = source("whole_kernel.ll");
    let first = counted
        .compiler
        .vgpu(&image, &VgpuOptions::default())
        .unwrap();
    let second = counted
        .compiler
        .vgpu(&image, &VgpuOptions::default())
        .unwrap();
    assert_eq!(counted.runs(), 1);
    assert_eq!(
        (first.manifest, first.object),
        (second.manifest, second.object)
    );
    counted
        .compiler
        .vgpu(
            &image,
            &VgpuOptions {
                window_check: false,
                ..VgpuOptions::default()
            },
        )
        .unwrap();
    counted
        .compiler
        .vgpu(
            &image,
            &VgpuOptions {
                level: 0,
                ..VgpuOptions::default()
            },
        )
        .unwrap();
    counted
        .compiler
        .vgpu(
            &image,
            &VgpuOptions {
                count: true,
                ..VgpuOptions::default()
            },
        )
        .unwrap();
    assert_eq!(counted.runs(), 4, "options are part of the key");
}

#[test]
fn another_compiler_compiles_anew() {
    let counted = Counted::new();
    let image = source("whole_kernel.ll");
    counted
        .compiler
        .vgpu(&image, &VgpuOptions::default())
        .unwrap();
    let script = counted.folder.path().join("tool");
    let text = fs::read_to_string(&script).unwrap();
    write_script(&script, &(text + "# changed\n"));
    counted
        .compiler
        .vgpu(&image, &VgpuOptions::default())
        .unwrap();
    assert_eq!(counted.runs(), 2);
}

#[test]
fn a_damaged_entry_is_compiled_anew() {
    let counted = Counted::new();
    let image = source("whole_kernel.ll");
    let first = counted
        .compiler
        .vgpu(&image, &VgpuOptions::default())
        .unwrap();
    for entry in counted.entries() {
        let mut bytes = fs::read(&entry).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&entry, bytes).unwrap();
    }
    let second = counted
        .compiler
        .vgpu(&image, &VgpuOptions::default())
        .unwrap();
    assert_eq!(counted.runs(), 2);
    assert_eq!(first.object, second.object);
}

#[test]
fn the_compilers_verdict_arrives_without_a_cache_entry() {
    let counted = Counted::new();
    let error = counted
        .compiler
        .vgpu(&source("undefined.ll"), &VgpuOptions::default())
        .unwrap_err();
    assert!(
        matches!(&error, CompileError::Rejected(text) if text.starts_with("device code calls `missing`")),
        "{error}"
    );
    assert!(counted.entries().is_empty());
}

#[test]
fn ptx_and_summary() {
    let counted = Counted::new();
    let options = PtxOptions {
        arch: "sm_90".to_owned(),
        level: 2,
    };
    let text = counted.compiler.ptx(&source("ptx.ll"), &options).unwrap();
    assert!(text.contains(".target sm_90"), "{text}");
    let hash = sha256(&source("ptx.ll"));
    assert_eq!(
        text.lines().next(),
        Some(format!("// {PROVENANCE}{hash}").as_str())
    );
    assert_eq!(
        counted.compiler.ptx(&source("ptx.ll"), &options).unwrap(),
        text
    );
    assert_eq!(counted.runs(), 1);
    let summary = counted.compiler.inspect(&source("inspect.ll")).unwrap();
    let modes: Vec<_> = summary
        .kernels
        .iter()
        .map(|kernel| (kernel.name.as_str(), kernel.mode))
        .collect();
    let expected = [
        ("bare", ExecutionMode::Bare),
        ("generic", ExecutionMode::Generic),
        ("mixed", ExecutionMode::GenericSpmd),
        ("spmd", ExecutionMode::Spmd),
    ];
    assert_eq!(modes, expected);
}

#[test]
fn code_objects() {
    let counted = Counted::new();
    let image = source("code_object.ll");
    let compile = |processor: &str| {
        let options = CodeObjectOptions {
            processor: processor.to_owned(),
            level: 2,
        };
        counted.compiler.code_object(&image, &options)
    };
    let object = compile("gfx90a").unwrap();
    let provenance = format!("{PROVENANCE}{}\0", sha256(&image));
    let told = |bytes: &[u8]| {
        bytes
            .windows(provenance.len())
            .any(|window| window == provenance.as_bytes())
    };
    assert!(object.starts_with(b"\x7fELF") && told(&object));
    assert_eq!(compile("gfx90a").unwrap(), object);
    assert_eq!(counted.runs(), 1);
    assert_ne!(compile("gfx90a:xnack+").unwrap(), object);
    assert_eq!(counted.runs(), 2, "the processor is part of the key");
    // LLVM has written a line of its own before the verdict.
    let refused = compile("gfx999").unwrap_err();
    assert!(
        matches!(&refused, CompileError::Rejected(text) if text.contains("gfx999")),
        "{refused}"
    );
}

#[test]
fn many_at_once_agree() {
    let counted = Counted::new();
    let image = source("whole_kernel.ll");
    let compile = || {
        counted
            .compiler
            .vgpu(&image, &VgpuOptions::default())
            .unwrap()
            .object
    };
    let objects: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..6).map(|_| scope.spawn(compile)).collect();
        running
            .into_iter()
            .map(|each| each.join().unwrap())
            .collect()
    });
    assert!(objects.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(counted.entries().len(), 1);
    assert_eq!(counted.runs(), 1, "one compiles, the others wait for it");
}

#[test]
fn many_at_once_get_the_verdict() {
    let counted = Counted::new();
    let compile = || {
        counted
            .compiler
            .vgpu(b"no bitcode", &VgpuOptions::default())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..6).map(|_| scope.spawn(compile)).collect();
        for each in running {
            let refused = each.join().unwrap();
            assert!(matches!(refused, Err(CompileError::Rejected(_))));
        }
    });
    assert_eq!(counted.runs(), 6);
    assert!(counted.entries().is_empty());
}

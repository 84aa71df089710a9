//! Machine code made ahead of time: `omptarget cc --aot`. On a GPU that it has machine code for, the program runs that.
//! On other GPUs and on the virtual GPU it runs from its bitcode.

use std::path::{Path, PathBuf};

use e2e::cuda;
use e2e::{Build, Mode, Outcome, dist, root, run};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `omptarget cc` on sources of the project, with the program's path last.
    fn compile(&self, arguments: &[&str], environment: &[(&str, &str)]) -> (PathBuf, Outcome) {
        let program = self.at("program");
        let mut all = vec!["cc"];
        all.extend(arguments);
        let path = program.to_str().expect("UTF-8").to_owned();
        all.extend(["-lm", "-o", &path]);
        let outcome = run(&dist("bin/omptarget"), &all, environment);
        (program, outcome)
    }
}

fn images(program: &Path) -> String {
    let program = program.to_str().expect("UTF-8");
    let outcome = run(&dist("bin/omptarget"), &["image", program], &[]);
    let said = outcome.passed("omptarget image");
    let shown = |line: &&str| !line.starts_with(' ');
    said.lines()
        .filter(shown)
        .map(|line| line.split(", ").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The driver for a program that `omptarget cc` made. It prints the modules that it loads on standard error.
fn on_gpu(program: &Path, capability: &str) -> Outcome {
    let driver = cuda::driver_for_file(program).with("FAKE_CUDA_CAPABILITY", capability);
    driver.with("LIBOMPTARGET_DEBUG", "1").run(program, &[])
}

#[test]
fn one_program_for_every_device() {
    let folder = Folder::new();
    let sources = ["examples/heartwall.c", "examples/heartwall_kernel.c"];
    let mut arguments = vec!["--aot=sm_80,sm_90", "-O2", "-g"];
    arguments.extend(sources);
    let (program, outcome) = folder.compile(&arguments, &[]);
    outcome.passed("omptarget cc");
    assert_eq!(
        images(&program),
        "object for nvptx64-nvidia-cuda (sm_90)\n\
         object for nvptx64-nvidia-cuda (sm_80)\n\
         bitcode for nvptx64-nvidia-cuda (sm_80)"
    );
    // Its own machine code, that of the same family, and bitcode where there is neither.
    for (capability, what) in [
        ("9.0", "machine code loaded"),
        ("8.6", "machine code loaded"),
        ("10.0", "PTX loaded"),
    ] {
        let outcome = on_gpu(&program, capability);
        assert!(
            outcome.code == 0 && outcome.stdout.ends_with("PASS\n"),
            "{capability}: {}{}",
            outcome.stdout,
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains(what),
            "{capability}: {}",
            outcome.stderr
        );
    }
    let environment = [
        ("OMPTARGET_DEVICES", "vgpu"),
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
    ];
    let outcome = run(&program, &[], &environment);
    assert!(outcome.passed("on the virtual GPU").ends_with("PASS\n"));
}

/// Machine code for both makers, and bitcode for both, of which the virtual GPU runs one.
#[test]
fn one_program_for_both_makers() {
    let folder = Folder::new();
    let list = "--aot=gfx1100,sm_90,gfx90a:xnack-,gfx11-generic";
    let (program, outcome) = folder.compile(&[list, "-O2", "examples/saxpy.c"], &[]);
    outcome.passed("omptarget cc");
    assert_eq!(
        images(&program),
        "object for amdgcn-amd-amdhsa (gfx90a:xnack-)\n\
         object for amdgcn-amd-amdhsa (gfx1100)\n\
         object for nvptx64-nvidia-cuda (sm_90)\n\
         object for amdgcn-amd-amdhsa (gfx11-generic)\n\
         bitcode for nvptx64-nvidia-cuda (sm_80)\n\
         bitcode for amdgcn-amd-amdhsa (gfx90a)"
    );
    let environment = [
        ("OMPTARGET_DEVICES", "vgpu"),
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
    ];
    run(&program, &[], &environment).passed("on the virtual GPU");
}

/// CUDA and HIP programs carry their images in one container, which gets machine code before the bitcode.
#[test]
fn programs_with_containers() {
    let folder = Folder::new();
    let cases = [
        (
            "cuda",
            "--aot=sm_80,sm_90",
            "examples/vector_add.cu",
            "object for nvptx64-nvidia-cuda (sm_90)\n\
             object for nvptx64-nvidia-cuda (sm_80)\n\
             bitcode for nvptx64-nvidia-cuda (sm_80)",
        ),
        (
            "hip",
            "--aot=gfx90a,gfx1100",
            "examples/vector_add.hip",
            "object for amdgcn-amd-amdhsa (gfx1100)\n\
             object for amdgcn-amd-amdhsa (gfx90a)\n\
             bitcode for amdgcn-amd-amdhsa (gfx90a)",
        ),
    ];
    for (command, list, source, carried) in cases {
        let program = folder.at(command);
        let path = program.to_str().expect("UTF-8");
        let arguments = [command, list, "-O2", source, "-o", path];
        run(&dist("bin/omptarget"), &arguments, &[]).passed(command);
        assert_eq!(images(&program), carried);
        let outcome = run(&program, &[], &[("OMPTARGET_DEVICES", "vgpu")]);
        assert_eq!(outcome.passed("on the virtual GPU"), "PASS\n");
    }
    // A driver that takes no PTX runs machine code, and nothing where there is none.
    let program = folder.at("cuda");
    for (capability, runs) in [("9.0", true), ("10.0", false)] {
        let driver = cuda::driver_for_file(&program).with("FAKE_CUDA_CAPABILITY", capability);
        let outcome = driver
            .with("FAKE_CUDA_PTXAS", "/bin/false")
            .run(&program, &[]);
        let said = format!("{capability}: {}{}", outcome.stdout, outcome.stderr);
        assert_eq!(outcome.stdout == "PASS\n", runs, "{said}");
    }
}

/// Objects are compiled as without the option, and the linker that the user chose links.
#[test]
fn separate_link_with_another_linker() {
    let folder = Folder::new();
    let object = folder.at("saxpy.o");
    let object = object.to_str().expect("UTF-8");
    let compile = ["cc", "--aot=sm_75", "-c", "examples/saxpy.c", "-o", object];
    run(&dist("bin/omptarget"), &compile, &[]).passed("omptarget cc -c");
    let link = ["--aot=sm_75", "-fuse-ld=lld", object];
    let (program, outcome) = folder.compile(&link, &[]);
    outcome.passed("omptarget cc");
    assert!(images(&program).starts_with("object for nvptx64-nvidia-cuda (sm_75)\nbitcode"));
    let content = std::fs::read(&program).expect("the program is readable");
    let lld = b"Linker: ";
    let by_lld = content.windows(lld.len()).any(|window| window == lld);
    assert!(by_lld, "lld leaves its name in .comment");
    run(&program, &[], &[("OMP_TARGET_OFFLOAD", "MANDATORY")]).passed("saxpy");
}

/// A program without device code needs no machine code.
#[test]
fn programs_without_regions_are_linked() {
    let folder = Folder::new();
    let source = folder.at("plain.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").expect("a source");
    let (program, outcome) = folder.compile(&["--aot=sm_80", source.to_str().expect("UTF-8")], &[]);
    outcome.passed("omptarget cc");
    run(&program, &[], &[]).passed("the program");
}

/// One sentence each, and no program.
#[test]
fn what_cannot_be_done_is_said() {
    let folder = Folder::new();
    let saxpy = "examples/saxpy.c";
    let cases: [(&[&str], &[&str]); 7] = [
        (
            &["--aot=90a", saxpy],
            &[
                "\"90a\" is neither an architecture of NVIDIA's such as sm_80 nor a processor of AMD's such as gfx90a",
            ],
        ),
        (
            &["--aot=gfx999", "--offload-arch=gfx90a", saxpy],
            &["--aot=gfx999: this LLVM does not know the processor gfx999"],
        ),
        (
            &["--aot=gfx90a,gfx1100:xnack+", saxpy],
            &["--aot=gfx1100:xnack+: gfx1100 has no setting xnack"],
        ),
        (
            &["--aot=sm_80,gfx90a", "--offload-arch=sm_80", saxpy],
            &[
                "no bitcode for AMD GPUs",
                "nvptx64-nvidia-cuda sm_80",
                "--offload-arch=gfx90a",
            ],
        ),
        (
            &["--aot=sm_999", saxpy],
            &["no CUDA toolkit with ptxas", "for sm_999"],
        ),
        (&["--aot=sm_35", saxpy], &["for sm_35", "hint:"]),
        (
            &["--aot=sm_80", "--offload-arch=gfx90a", saxpy],
            &["no bitcode for NVIDIA GPUs", "amdgcn-amd-amdhsa gfx90a"],
        ),
    ];
    for (arguments, facts) in cases {
        let (program, outcome) = folder.compile(arguments, &[]);
        outcome.failed_with(arguments[0], facts);
        assert!(!program.exists(), "{arguments:?}");
    }
}

/// Without any toolkit the sentence says how to get one.
#[test]
fn a_missing_assembler_is_said() {
    let folder = Folder::new();
    // A tree like dist/, but without the tools that tests have fetched.
    let copy = folder.at("dist");
    std::fs::create_dir(&copy).expect("a folder");
    for name in ["etc", "lib", "libexec"] {
        std::os::unix::fs::symlink(dist(name), copy.join(name)).expect("a link");
    }
    for name in [
        "bin/omptarget",
        "cuda-stub/bin/ptxas",
        "cuda-stub/bin/nvlink",
    ] {
        let to = copy.join(name);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::copy(dist(name), to).expect("a copy");
    }
    std::fs::remove_file(copy.join("libexec")).expect("it was a link");
    std::fs::create_dir(copy.join("libexec")).expect("a folder");
    std::os::unix::fs::symlink("../bin/omptarget", copy.join("libexec/omptarget-ld"))
        .expect("a link");
    let installed = ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"];
    if installed.iter().any(|path| Path::new(path).exists()) {
        return;
    }
    let source = root().join("examples/saxpy.c").display().to_string();
    let stub = format!("--cuda-path={}", dist("cuda-stub").display());
    let arguments = ["cc", &stub, "--aot=sm_80", &source, "-lm", "-o", "program"];
    let environment = [
        ("PATH", "/usr/bin:/bin"),
        ("CUDA_PATH", ""),
        ("CUDA_HOME", ""),
    ];
    let outcome = run(&copy.join("bin/omptarget"), &arguments, &environment);
    let facts = [
        "--aot=sm_80",
        "no CUDA toolkit with ptxas",
        "pip install nvidia-cuda-nvcc",
    ];
    outcome.failed_with("no assembler", &facts);
    assert!(!root().join("program").exists());
}

/// Two images of different devices: the choice is between NVIDIA's and AMD's bitcode, and machine code beside them.
#[test]
fn images_are_extracted() {
    let folder = Folder::new();
    let program = Build::new(&["examples/saxpy.c"]).compile(Mode::Offload("-O1"));
    let (path, images) = (program.path.to_str().expect("UTF-8"), folder.at("images"));
    let images = images.to_str().expect("UTF-8");
    let extract = ["image", "--extract", images, path];
    let outcome = run(&dist("bin/omptarget"), &extract, &[]);
    let file = format!("{images}/0.sm_80.bc");
    assert_eq!(
        outcome.passed("omptarget image --extract"),
        format!("{file}\n")
    );
    // What was written is an image itself.
    let outcome = run(&dist("bin/omptarget"), &["image", &file], &[]);
    assert!(
        outcome
            .passed("omptarget image")
            .contains("bitcode for nvptx64")
    );
}

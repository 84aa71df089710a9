//! NVIDIA's own assembler takes every example's kernels for four GPU generations; what it says of their
//! registers and memory is printed as a table.

use std::path::Path;
use std::process::Command;

use e2e::{Build, EXAMPLES, Mode, dist, short_kernel_name};

const ARCHITECTURES: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];

/// What `ptxas -v` says of one kernel.
#[derive(Clone, Debug, PartialEq)]
struct Figures {
    kernel: String,
    registers: u32,
    shared: u32,
    stack: u32,
    spilled: u32,
}

#[test]
fn every_example_assembles() {
    let header = "registers on sm_75 80 90 100   shared   stack spilled";
    let mut table = format!("{:<46} {header}\n", "kernel");
    for sources in EXAMPLES {
        let binary = Build::new(sources).compile(Mode::Offload("-O2"));
        let name = Path::new(sources[0])
            .file_stem()
            .expect("a file name")
            .display();
        let all = ARCHITECTURES
            .map(|architecture| assemble(&ptx(&binary.path, architecture), architecture));
        assert!(!all[0].is_empty(), "{name}: no kernels");
        for first in &all[0] {
            let of =
                |figures: &Vec<Figures>| figures.iter().find(|f| f.kernel == first.kernel).cloned();
            let each = all
                .each_ref()
                .map(|figures| of(figures).expect("the same kernels for every GPU"));
            table += &row(
                &format!("{name} {}", short_kernel_name(&first.kernel)),
                &each,
            );
        }
    }
    println!("{table}");
}

/// Registers per architecture; the largest of the rest.
fn row(name: &str, each: &[Figures; 4]) -> String {
    let registers: String = each.iter().map(|f| format!("{:>4}", f.registers)).collect();
    let most = |of: fn(&Figures) -> u32| each.iter().map(of).max().unwrap_or(0);
    let (shared, stack, spilled) = (most(|f| f.shared), most(|f| f.stack), most(|f| f.spilled));
    format!("{name:<46} {registers:>28} {shared:>8} {stack:>7} {spilled:>7}\n")
}

/// Streaming kernels need no runtime state: no shared memory at all, no stack.
#[test]
fn saxpy_costs_nothing() {
    let binary = Build::new(&["examples/saxpy.c"]).compile(Mode::Offload("-O2"));
    for f in assemble(&ptx(&binary.path, "sm_80"), "sm_80") {
        assert!(f.shared == 0 && f.stack == 0 && f.spilled == 0, "{f:?}");
    }
}

/// A GPU's driver has `malloc` and `free`; `realloc` comes with the image.
#[test]
fn realloc_assembles() {
    let binary = Build::new(&["tests/programs/heap.c"]).compile(Mode::Offload("-O2"));
    for architecture in ARCHITECTURES {
        let text = ptx(&binary.path, architecture);
        assert!(text.contains(".extern .func  (.param .b64 func_retval0) malloc"));
        assert!(
            !text
                .lines()
                .any(|line| line.contains(".extern") && line.contains("realloc"))
        );
        assert!(!assemble(&text, architecture).is_empty());
    }
}

/// 128-bit integers and all their conversions: no symbol of a library is left undefined.
#[test]
fn wide_integers_assemble() {
    let binary = Build::new(&["tests/programs/types.c"]).compile(Mode::Offload("-O2"));
    assert!(!assemble(&ptx(&binary.path, "sm_80"), "sm_80").is_empty());
}

/// Tasks that nothing asks about are their bodies: no memory, no call, no shared variable.
#[test]
fn plain_tasks_leave_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("tasks.c");
    let text = "#include <omp.h>
        int main(void) {
          int a[64] = {0};
        #pragma omp target parallel map(tofrom : a) num_threads(64)
          {
            int i = omp_get_thread_num();
        #pragma omp taskgroup
            for (int k = 0; k < 10; k++) {
        #pragma omp task shared(a) firstprivate(i, k) untied
              a[i] += k;
            }
        #pragma omp task depend(inout : a[i])
            a[i] *= 2;
        #pragma omp taskwait
          }
          for (int i = 0; i < 64; i++)
            if (a[i] != 90)
              return 1;
          return 0;
        }";
    std::fs::write(&source, text).expect("the source is written");
    let binary = Build::new(&[source.to_str().expect("UTF-8")]).compile(Mode::Offload("-O2"));
    binary.run(&[]).passed("tasks");
    let ptx = ptx(&binary.path, "sm_90");
    for trace in ["call", "malloc", ".shared"] {
        assert!(!ptx.contains(trace), "{trace} in\n{ptx}");
    }
}

/// The image of a program as PTX.
fn ptx(program: &Path, architecture: &str) -> String {
    let program = program.to_str().expect("UTF-8");
    let outcome = e2e::run(
        &dist("bin/omptarget"),
        &["image", "--ptx", architecture, program],
        &[],
    );
    outcome.passed("omptarget image --ptx").to_owned()
}

/// Assembles and reads the figures.
fn assemble(ptx: &str, architecture: &str) -> Vec<Figures> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, object) = (
        folder.path().join("image.ptx"),
        folder.path().join("image.cubin"),
    );
    std::fs::write(&source, ptx).expect("the PTX is written");
    let output = Command::new(dist("tools/ptxas"))
        .args(["-v", "-arch", architecture, "-o"])
        .arg(&object)
        .arg(&source)
        .output()
        .expect("ptxas runs");
    let says = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && object.exists(),
        "ptxas {architecture}: {says}"
    );
    read_figures(&says)
}

fn read_figures(says: &str) -> Vec<Figures> {
    let mut all: Vec<Figures> = Vec::new();
    for line in says.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
            all.push(Figures {
                kernel,
                registers: 0,
                shared: 0,
                stack: 0,
                spilled: 0,
            });
        } else if let Some(figures) = all.last_mut() {
            if line.contains("bytes stack frame") && figures.registers == 0 {
                figures.stack = number_before(line, " bytes stack frame");
                figures.spilled = number_before(line, " bytes spill stores");
            } else if line.contains(" registers") {
                figures.registers = number_before(line, " registers");
                figures.shared = number_before(line, " bytes smem");
            }
        }
    }
    all
}

/// The number directly before `text`; 0 if it does not occur.
fn number_before(line: &str, text: &str) -> u32 {
    let before = line
        .split(text)
        .next()
        .filter(|before| before.len() < line.len())
        .unwrap_or_default();
    before
        .rsplit(|c: char| !c.is_ascii_digit())
        .next()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

#[test]
fn figures_are_read() {
    let says = "ptxas info    : 8 bytes gmem\n\
        ptxas info    : Compiling entry function 'k' for 'sm_80'\n\
        ptxas info    : Function properties for k\n    16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n\
        ptxas info    : Used 26 registers, used 1 barriers, 16 bytes cumulative stack size, 1040 bytes smem, 360 bytes cmem[0]\n";
    let expected = Figures {
        kernel: "k".into(),
        registers: 26,
        shared: 1040,
        stack: 16,
        spilled: 4,
    };
    assert_eq!(read_figures(says), [expected]);
    assert_eq!(
        short_kernel_name("__omp_offloading_fe01_1a2b_main_l16"),
        "main_l16"
    );
}

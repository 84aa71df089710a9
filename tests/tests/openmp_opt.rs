//! LLVM's OpenMP optimisation works on programs with our device runtime. Its remarks at the device compile
//! (`-Rpass=openmp-opt`) and at the device link show its rewrites, and the programs still compute the right results.
//! The numbers in brackets are LLVM's (<https://openmp.llvm.org/remarks/OptimizationRemarks.html>).

use std::path::Path;

use e2e::dist;

/// Compiles, runs and asserts success. Returns all remarks, of compile and device link.
fn remarks(name: &str, source: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let (input, output) = (
        folder.path().join(format!("{name}.c")),
        folder.path().join(name),
    );
    std::fs::write(&input, source).expect("the source is written");
    let config = format!("--config={}", text(&dist("etc/omptarget.cfg")));
    let (from, to) = (text(&input), text(&output));
    let arguments = [
        config.as_str(),
        "-O2",
        "-Rpass=openmp-opt",
        "-Xoffload-linker",
        "-mllvm=-pass-remarks=openmp-opt",
        "-Xoffload-linker",
        "-mllvm=-pass-remarks-analysis=openmp-opt",
        from.as_str(),
        "-o",
        to.as_str(),
    ];
    let compiled = e2e::run(Path::new("clang-22"), &arguments, &[]);
    assert_eq!(compiled.code, 0, "{name}: {}", compiled.stderr);
    e2e::run(&output, &[], &[("OMP_TARGET_OFFLOAD", "MANDATORY")]).passed(name);
    compiled.stderr
}

#[track_caller]
fn has(remarks: &str, expected: &[&str]) {
    for remark in expected {
        assert!(
            remarks.contains(remark),
            "no remark '{remark}' among:\n{remarks}"
        );
    }
}

/// Sequential code that only the first thread may run gets a guard, and the kernel no state machine.
#[test]
fn spmdization() {
    let found = remarks(
        "spmdization",
        "int main(void) {
           int a[64] = {0}, s = 0;
         #pragma omp target teams num_teams(1) map(tofrom : a, s)
           {
             int v = 5;
             s = 7;
         #pragma omp parallel for
             for (int i = 0; i < 64; i++)
               a[i] += v + s;
           }
           for (int i = 0; i < 64; i++)
             if (a[i] != 12)
               return 1;
           return 0;
         }",
    );
    has(
        &found,
        &[
            "Transformed generic-mode kernel to SPMD-mode. [OMP120]",
            "Replaced globalized variable with 4 bytes of shared memory. [OMP111]",
        ],
    );
}

/// A function with a side effect openmp-opt cannot guard, but that runs no parallel region.
const OPAQUE: &str = "#pragma omp begin declare target
    #pragma omp begin assumes no_parallelism
    __attribute__((noinline)) static void opaque(int *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }
    #pragma omp end assumes
    #pragma omp end declare target\n";

/// A kernel that must stay generic, all of whose regions are known.
const CUSTOMIZED: &str = "int main(void) {
       int a[64] = {0}, b[64] = {0};
     #pragma omp target map(tofrom : a, b)
       {
         int v = 5;
         opaque(&v);
     #pragma omp parallel for
         for (int i = 0; i < 64; i++)
           a[i] += v;
         opaque(&v);
     #pragma omp parallel for
         for (int i = 0; i < 64; i++)
           b[i] += a[63 - i] + v;
       }
       for (int i = 0; i < 64; i++)
         if (a[i] != 5 || b[i] != 10)
           return 1;
       return 0;
     }";

/// The device link sees the runtime's initialisation and puts a state machine in its place that calls the known
/// regions directly.
#[test]
fn custom_state_machine() {
    let found = remarks("customized", &format!("{OPAQUE}{CUSTOMIZED}"));
    has(
        &found,
        &["Rewriting generic-mode kernel with a customized state machine. [OMP131]"],
    );
}

/// The same where the sequential part may reach unknown regions: known regions come first, then a call by pointer.
#[test]
fn custom_state_machine_with_fallback() {
    let visible = OPAQUE.replace("no_parallelism", "ext_nothing");
    let found = remarks("fallback", &format!("{visible}{CUSTOMIZED}"));
    has(
        &found,
        &[
            "Generic-mode kernel is executed with a customized state machine that requires a fallback. [OMP132]",
            "Call may contain unknown parallel regions.",
        ],
    );
}

/// Without regions the workers have nothing to do.
#[test]
fn unused_state_machine() {
    let found = remarks(
        "unused",
        &format!(
            "{OPAQUE}int main(void) {{
               int a = 0;
             #pragma omp target map(tofrom : a)
               {{
                 opaque(&a);
                 a += 1;
               }}
               return a != 1;
             }}"
        ),
    );
    has(
        &found,
        &["Removing unused state machine from generic-mode kernel. [OMP130]"],
    );
}

/// A variable whose address does not escape is private to the thread.
#[test]
fn deglobalization() {
    let found = remarks(
        "deglobalization",
        "#pragma omp begin declare target
         __attribute__((noinline)) static void add(int *p, int k) { *p += k; }
         #pragma omp end declare target
         int main(void) {
           int a[64] = {0};
         #pragma omp target teams distribute map(tofrom : a)
           for (int i = 0; i < 64; i++) {
             int v = 0;
             for (int k = 0; k <= a[i]; k++)
               add(&v, a[i] + 3);
             a[i] += v;
           }
           for (int i = 0; i < 64; i++)
             if (a[i] != 3)
               return 1;
           return 0;
         }",
    );
    has(
        &found,
        &["Moving globalized variable to the stack. [OMP110]"],
    );
}

/// Two queries become one, and an empty region goes. The device link does this, too.
#[test]
fn calls_and_regions_are_removed() {
    let found = remarks(
        "removed",
        "#include <omp.h>
         #pragma omp begin declare target
         static int square(int i) { return i * i; }
         #pragma omp end declare target
         int main(void) {
           int b = 0, size = 0;
         #pragma omp target map(tofrom : b, size)
           {
         #pragma omp parallel
             {
               int x = square(3);
               (void)x;
             }
         #pragma omp parallel
             {
               if (omp_get_thread_num() == 0) {
                 b = omp_get_num_threads() + omp_get_num_threads();
                 size = omp_get_num_threads();
               }
             }
           }
           return size < 1 || b != 2 * size;
         }",
    );
    has(
        &found,
        &[
            "OpenMP runtime call omp_get_num_threads deduplicated. [OMP170]",
            "Removing parallel region with no side-effects. [OMP160]",
        ],
    );
}

/// Questions that openmp-opt or the runtime, inlined, answers while compiling have the right answers. clang 22 makes no
/// remark of replaced calls (OMP180) here, so only the answers are checked.
#[test]
fn mode_and_block_size_are_folded() {
    let source = "#ifdef __NVPTX__
        signed char __kmpc_is_spmd_exec_mode(void);
        int __kmpc_get_hardware_num_threads_in_block(void);
        #else
        static signed char __kmpc_is_spmd_exec_mode(void) { return 9; }
        static int __kmpc_get_hardware_num_threads_in_block(void) { return 9; }
        #endif
        int main(void) {
          int spmd = 0, threads = 0;
        #pragma omp target parallel map(from : spmd, threads) thread_limit(64)
          {
            spmd = __kmpc_is_spmd_exec_mode();
            threads = __kmpc_get_hardware_num_threads_in_block();
          }
          return spmd != 1 || threads != 64;
        }";
    remarks("folded", source);
}

/// However many kernels a program has, the device link runs LLVM's OpenMP optimiser once: each run takes time by the
/// square of their number.
#[test]
fn once_per_link() {
    let region = "
         #pragma omp target teams distribute parallel for reduction(+ : s)
           for (int i = 0; i < 64; i++)
             s += i;";
    let source = format!(
        "int main(void) {{ int s = 0; {} return s != 3 * 2016; }}",
        region.repeat(3)
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    std::fs::write(text("a.c"), source).expect("the source is written");
    let config = dist("etc/omptarget.cfg");
    let linked = e2e::run(
        Path::new("clang-22"),
        &[
            &format!("--config={}", config.display()),
            "-O2",
            "-Xoffload-linker-nvptx64-nvidia-cuda",
            "-mllvm=-time-passes",
            "-Xoffload-linker-nvptx64-nvidia-cuda",
            "-mllvm=-time-passes-per-run",
            &text("a.c"),
            "-o",
            &text("a"),
        ],
        &[],
    );
    assert_eq!(linked.code, 0, "{}", linked.stderr);
    let runs = |pass: &str| linked.stderr.matches(&format!(" {pass} #")).count();
    assert_eq!(runs("OpenMPOptPass"), 1, "{}", linked.stderr);
    assert_eq!(runs("OpenMPOptCGSCCPass"), 0);
    assert!(runs("InlinerPass") > 0, "no passes are shown");
    e2e::run(
        &folder.path().join("a"),
        &[],
        &[("OMP_TARGET_OFFLOAD", "MANDATORY")],
    )
    .passed("a");
}

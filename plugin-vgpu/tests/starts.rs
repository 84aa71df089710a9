//! Kernels start thread by thread, in a form that takes little time to compile, and go on in warp form.

mod fixture;

use std::fmt::Write;
use std::sync::Arc;

use fixture::blocks;
use fixture::setting::{Setting, device};
use plugin_api::{Device, DevicePtr, Error, Kernel, Launch, MemoryKind, Module};
use plugin_vgpu::VirtualGpu;

/// Steps of a round: they take long to compile, and a quarter of a microsecond to run.
const STEPS: u64 = 150;
/// Rounds after which each thread has run for a twentieth of a millisecond.
const MANY: u64 = 200;

/// Further kernels, for a small image is not divided.
const OTHERS: usize = 11;

/// The image. Threads of `count`, `other0` and so on, and of `fail` compute a sum in so many rounds and add it to their
/// own element of an array, and the thread of `fail` with number `bad` writes to address 8. Those of `wait` wait for
/// each other, and those of `share` have shared memory.
fn image() -> String {
    let mut steps = String::new();
    for step in 0..STEPS {
        let (next, odd) = (step + 1, 2 * step + 3);
        writeln!(steps, "%m{next} = mul i64 %v{step}, {odd}").unwrap();
        writeln!(steps, "%v{next} = xor i64 %m{next}, {}", 7 * step + 1).unwrap();
    }
    let kernel = |name: &str, parameters: &str, end: &str| {
        format!(
            "
            define ptx_kernel void @{name}(ptr %out, i64 %rounds{parameters}) !dbg !{{name}} {{
            entry:
              %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
              %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
              %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
              %before = mul i32 %block, %size
              %number = add i32 %before, %tid
              %i = zext i32 %number to i64
              br label %round
            round:
              %done = phi i64 [ 0, %entry ], [ %further, %round ]
              %v0 = phi i64 [ %i, %entry ], [ %v{STEPS}, %round ]
              {steps}
              %further = add i64 %done, 1
              %more = icmp ult i64 %further, %rounds
              br i1 %more, label %round, label %end
            end:
              %place = getelementptr i64, ptr %out, i64 %i
              %old = load i64, ptr %place
              %new = add i64 %old, %v{STEPS}
              store i64 %new, ptr %place
              {end}
              ret void
            }}"
        )
    };
    let fails = "
              %is_bad = icmp eq i64 %i, %bad
              br i1 %is_bad, label %fails, label %returns
            fails:
              store i64 1, ptr inttoptr (i64 8 to ptr), !dbg !6
              br label %returns
            returns:";
    let waits = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
    let shares = "
              %own = getelementptr i64, ptr addrspace(3) @shared, i64 %i
              store volatile i64 %new, ptr addrspace(3) %own";
    let mut text = r#"
        target triple = "nvptx64-nvidia-cuda"
        declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
        declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
        declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
        declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
        @shared = internal addrspace(3) global [1024 x i64] undef
        !llvm.module.flags = !{!0}
        !llvm.dbg.cu = !{!1}
        !0 = !{i32 2, !"Debug Info Version", i32 3}
        !1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: LineTablesOnly)
        !2 = !DIFile(filename: "fails.c", directory: "/")
        !3 = distinct !DISubprogram(name: "fail", file: !2, line: 1, unit: !1, type: !4, spFlags: DISPFlagDefinition)
        !4 = !DISubroutineType(types: !5)
        !5 = !{null}
        !6 = !DILocation(line: 42, column: 7, scope: !3)
    "#
    .to_owned();
    text += &kernel("count", "", "").replace("!dbg !{name} ", "");
    text += &kernel("fail", ", i64 %bad", fails).replace("!{name}", "!3");
    text += &kernel("wait", "", waits).replace("!dbg !{name} ", "");
    text += &kernel("share", "", shares).replace("!dbg !{name} ", "");
    for other in 0..OTHERS {
        text += &kernel(&format!("other{other}"), "", "").replace("!dbg !{name} ", "");
    }
    text
}

/// What a thread adds.
fn sum(thread: u64, rounds: u64) -> u64 {
    let step = |value: u64, step: u64| value.wrapping_mul(2 * step + 3) ^ (7 * step + 1);
    (0..rounds).fold(thread, |sum, _| (0..STEPS).fold(sum, step))
}

/// A device with the image, and an element for each thread.
struct Started {
    setting: Setting,
    device: VirtualGpu,
    module: Arc<dyn Module>,
    out: DevicePtr,
    expected: Vec<u64>,
}

impl Started {
    fn new() -> Started {
        let (setting, device) = (Setting::new(), device());
        let module = setting.load(&device, &image());
        let out = device.alloc(8 * 4096, MemoryKind::Device).unwrap();
        device.fill(out, 0, 8 * 4096).unwrap();
        Started {
            setting,
            device,
            module,
            out,
            expected: vec![0; 4096],
        }
    }

    fn kernel(&self, name: &str) -> Arc<dyn Kernel> {
        self.module.kernel(name).unwrap()
    }

    /// Launches a kernel that counts.
    fn run(&mut self, kernel: &str, grid: u32, block: u32, rounds: u64) {
        let args = [self.out.0, rounds];
        let launch = blocks(grid, block, &args);
        self.kernel(kernel).launch(&launch).unwrap();
        for thread in 0..u64::from(grid * block) {
            let element = &mut self.expected[thread as usize];
            *element = element.wrapping_add(sum(thread, rounds));
        }
    }

    /// Checks that each thread has added once.
    fn check(&self) {
        let mut found = vec![0_u64; self.expected.len()];
        let to = found.as_mut_ptr().cast();
        // SAFETY: the vector is as long as the copy.
        unsafe { self.device.read(to, self.out, 8 * found.len()) }.unwrap();
        assert!(found == self.expected);
    }

    /// Whether `kernel` would run in the form in which it starts.
    fn starts(&self, kernel: &str) -> bool {
        self.how(kernel).starts_with(STARTS)
    }

    /// How `kernel` would run.
    fn how(&self, kernel: &str) -> String {
        let args = [self.out.0, 1, 0];
        let kernel = self.kernel(kernel);
        kernel.remark(&blocks(4, 128, &args)).unwrap()
    }
}

/// The time that a remark names.
fn milliseconds(remark: &str) -> u32 {
    let named = remark.strip_prefix(STARTS).unwrap();
    named.strip_suffix(" ms").unwrap().parse().unwrap()
}

const STARTS: &str = "starts thread by thread: its warp form is compiled when it has run for ";

#[test]
fn a_kernel_of_little_work_gets_no_warp_form() {
    let mut started = Started::new();
    for (grid, block) in [(4, 128), (3, 100), (1, 512)] {
        started.run("count", grid, block, 1);
    }
    started.check();
    assert!(started.starts("count"));
    assert_eq!(started.setting.entries(), 2, "variables, and one form");
    assert_eq!(started.setting.processes().len(), 1);
    let patience = started.how("count");
    started.module = started.setting.load(&started.device, &image());
    let again = milliseconds(&started.how("count"));
    assert!(again >= 2 * milliseconds(&patience), "{again}: {patience}");
}

#[test]
fn the_warp_form_comes_while_a_kernel_runs() {
    let mut started = Started::new();
    let shapes = [(2, 1000), (20, 100), (3, 600), (40, 64)];
    for (number, (grid, block)) in shapes.into_iter().enumerate() {
        let kernel = format!("other{number}");
        started.run(&kernel, grid, block, MANY);
        started.check();
        assert!(!started.starts(&kernel));
        started.run(&kernel, grid, block, 3);
        started.check();
    }
}

#[test]
fn the_warp_form_comes_between_launches() {
    let mut started = Started::new();
    for _ in 0..300 {
        started.run("count", 4, 100, 4);
    }
    started.check();
    assert!(!started.starts("count"));
}

#[test]
fn a_warp_form_that_is_there_is_used_at_once() {
    let mut started = Started::new();
    started.run("count", 30, 100, MANY);
    let again = started.setting.load(&started.device, &image());
    started.module = again;
    assert!(!started.starts("count"));
    started.run("count", 16, 100, 1);
    started.check();
    assert_eq!(started.setting.processes().len(), 1);
}

#[test]
fn launches_of_few_threads_wait_for_the_warp_form() {
    let mut started = Started::new();
    started.run("count", 1, 32, 1);
    started.check();
    assert!(!started.starts("count"));
}

#[test]
fn threads_that_wait_or_share_memory_wait_for_the_warp_form() {
    let started = Started::new();
    for kernel in ["wait", "share"] {
        assert!(!started.starts(kernel));
    }
}

#[test]
fn a_fault_is_found_in_the_source_in_either_form() {
    for rounds in [1, MANY] {
        let started = Started::new();
        let args = [started.out.0, rounds, 1990];
        let launch: Launch<'_> = blocks(20, 100, &args);
        let fault = match started.kernel("fail").launch(&launch) {
            Err(Error::Fault(fault)) => fault,
            other => panic!("{other:?}"),
        };
        assert_eq!(fault.location.unwrap().to_string(), "fails.c:42:7 in fail");
        assert_eq!(started.starts("fail"), rounds == 1);
    }
}

#[test]
fn a_kernel_whose_warp_form_cannot_be_had_goes_on_as_it_began() {
    let mut started = Started::new();
    started.run("count", 16, 100, 1);
    started.setting.kill();
    std::fs::remove_file(&started.setting.tool).unwrap();
    started.run("count", 30, 100, MANY);
    started.run("count", 30, 100, MANY);
    started.check();
    assert!(started.starts("count"));
}

//! Images that `omptarget-codegen` compiles run correctly.

mod fixture;

use codegen::{Compiler, CpuLevel, VgpuOptions};
use device_image::{Image, ImageKind};
use fixture::find_compiler;
use plugin_api::{Device, Error, FaultKind, LoadOptions, MemoryKind};
use plugin_vgpu::{Config, Engine, VirtualGpu};

#[test]
fn the_benchmark_runs() {
    find_compiler();
    for figure in plugin_vgpu::bench().unwrap() {
        let [low, median, high] = figure.quartiles;
        println!(
            "{}: {median:.2} {} ({low:.2} to {high:.2})",
            figure.what, figure.unit
        );
        assert!(0.0 < low && low <= median && median <= high, "{figure:?}");
    }
}

/// 1000 divided by the thread's number less `zero`, but not by the thread `skipped`.
const DIVIDE: &str = r#"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @divide(ptr %out, i32 %zero, i32 %skipped) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %skip = icmp eq i32 %tid, %skipped
  br i1 %skip, label %done, label %divide
divide:
  %divisor = sub i32 %tid, %zero
  %quotient = sdiv i32 1000, %divisor
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  store i32 %quotient, ptr %at
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"#;

#[test]
fn only_lanes_that_divide_divide_by_zero() {
    find_compiler();
    for engine in [Engine::Fiber, Engine::Workgroup] {
        let device = VirtualGpu::new(&Config {
            engine,
            memory: 64 << 20,
            ..Config::detect()
        })
        .unwrap();
        let image = Image {
            kind: ImageKind::Bitcode,
            triple: "",
            arch: "",
            bytes: DIVIDE.as_bytes(),
        };
        let module = device.load(&image, &LoadOptions::default()).unwrap();
        let out = device.alloc(4 * 32, MemoryKind::Device).unwrap();
        fixture::launch(&*module, "divide", 32, &[out.0, 5, 5]).unwrap();
        let mut quotients = [0_i32; 32];
        // SAFETY: the array is as long as the copy.
        unsafe { device.read(quotients.as_mut_ptr().cast(), out, 4 * 32) }.unwrap();
        assert_eq!((quotients[0], quotients[31]), (-200, 38), "{engine:?}");
        let error = fixture::launch(&*module, "divide", 32, &[out.0, 5, 32]).unwrap_err();
        match error {
            Error::Fault(fault) => assert!(matches!(fault.kind, FaultKind::Arithmetic), "{fault}"),
            other => panic!("{engine:?}: {other}"),
        }
    }
}

/// Shuffles by a distance and within segments that the launch states: by all lanes, and by every other lane.
const SLIDE: &str = r#"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @slide(ptr %out, i32 %distance, i32 %down, i32 %up) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %number = mul i32 %tid, 7
  %row = mul i32 %tid, 3
  %i = zext i32 %row to i64
  %at = getelementptr i64, ptr %out, i64 %i
  %further = call { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32 -1, i32 %number, i32 %distance, i32 %down)
  call void @keep(ptr %at, { i32, i1 } %further)
  %second = getelementptr i64, ptr %at, i64 1
  %back = call { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %number, i32 %distance, i32 %up)
  call void @keep(ptr %second, { i32, i1 } %back)
  %odd = trunc i32 %tid to i1
  br i1 %odd, label %done, label %even
even:
  %third = getelementptr i64, ptr %at, i64 2
  %twice = shl i32 %distance, 1
  %among = call { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32 1431655765, i32 %number, i32 %twice, i32 31)
  call void @keep(ptr %third, { i32, i1 } %among)
  br label %done
done:
  ret void
}
define internal void @keep(ptr %at, { i32, i1 } %result) alwaysinline {
  %value = extractvalue { i32, i1 } %result, 0
  %inside = extractvalue { i32, i1 } %result, 1
  %low = zext i32 %value to i64
  %flag = zext i1 %inside to i64
  %high = shl i64 %flag, 32
  %both = or i64 %low, %high
  store i64 %both, ptr %at
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
"#;

/// What the PTX ISA says of such a shuffle: the value, and above it whether the source lies in the segment.
fn slid(lane: i64, distance: i64, bound: i64, up: bool) -> u64 {
    let segment = bound >> 8 & 31;
    let last = lane & segment | bound & 31 & !segment;
    let from = if up { lane - distance } else { lane + distance };
    let inside = if up { from >= last } else { from <= last };
    let source = if inside { from } else { lane };
    (7 * source) as u64 | u64::from(inside) << 32
}

#[test]
fn lanes_that_look_equally_far() {
    find_compiler();
    let tool = std::env::var_os("OMPTARGET_CODEGEN").expect("it has been found");
    let device = VirtualGpu::new(&Config {
        memory: 64 << 20,
        ..Config::detect()
    });
    let device = device.unwrap();
    let out = device.alloc(8 * 96, MemoryKind::Device).unwrap();
    let levels = [CpuLevel::V2, CpuLevel::V3, CpuLevel::V4, CpuLevel::Armv9];
    for cpu in levels.into_iter().filter(|level| level.runs_here()) {
        let options = VgpuOptions {
            warp_forms: true,
            cpu: Some(cpu),
            ..VgpuOptions::default()
        };
        let compiler = Compiler::at(tool.clone(), None);
        let artifact = compiler.vgpu(SLIDE.as_bytes(), &options).unwrap();
        let module = device.load_artifact(artifact, None).unwrap();
        for (distance, segment) in [(1, 0), (9, 0), (15, 0), (0, 24), (3, 24), (9, 24), (5, 16)] {
            let (down, up) = (segment << 8 | 31, segment << 8);
            let bounds = [distance, down, up].map(|number| number as u64);
            fixture::launch(
                &*module,
                "slide",
                32,
                &[out.0, bounds[0], bounds[1], bounds[2]],
            )
            .unwrap();
            let mut got = [0_u64; 96];
            // SAFETY: the array is as long as the copy.
            unsafe { device.read(got.as_mut_ptr().cast(), out, 8 * 96) }.unwrap();
            for lane in 0..32 {
                let among = match lane % 2 {
                    0 => slid(lane, 2 * distance, 31, false),
                    _ => got[3 * lane as usize + 2],
                };
                let expected = [
                    slid(lane, distance, down, false),
                    slid(lane, distance, up, true),
                    among,
                ];
                assert_eq!(
                    got[3 * lane as usize..][..3],
                    expected,
                    "{cpu:?}, {distance}, lane {lane}"
                );
            }
        }
    }
}

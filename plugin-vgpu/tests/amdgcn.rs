//! AMDGCN bitcode runs as the ISA manuals say, in waves of 32 and of 64 lanes. Each expression is compiled and
//! run by every lane of two waves, on both engines. The results are compared with a model of the instruction in
//! this file.

mod fixture;

use std::collections::HashSet;

use device_image::{Image, ImageKind};
use plugin_api::{Device, DevicePtr, Launch, LoadOptions, MemoryKind, Module};
use plugin_vgpu::{Config, Engine, VirtualGpu};

const SIZES: [u32; 2] = [32, 64];

fn device(engine: Engine) -> VirtualGpu {
    fixture::find_compiler();
    VirtualGpu::new(&Config {
        engine,
        multiprocessors: 1,
        ..Config::detect()
    })
    .unwrap()
}

fn load(device: &VirtualGpu, text: &str) -> std::sync::Arc<dyn Module> {
    let image = Image {
        kind: ImageKind::Bitcode,
        triple: "amdgcn-amd-amdhsa",
        arch: "",
        bytes: text.as_bytes(),
    };
    device.load(&image, &LoadOptions::default()).unwrap()
}

/// A kernel per instruction sequence. Each sequence defines an `i32` `%r` per thread. `%lane` and `%thread` are
/// given. A block serves the lanes in the test's mask.
fn module(size: u32, bodies: &[&str]) -> String {
    let mut text = String::from("target triple = \"amdgcn-amd-amdhsa\"\n");
    let mut declared = HashSet::new();
    for (index, body) in bodies.iter().enumerate() {
        let (body, declarations): (Vec<&str>, Vec<&str>) = body
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .partition(|line| !line.starts_with("declare"));
        for declaration in declarations {
            if declared.insert(declaration) {
                text += declaration;
                text.push('\n');
            }
        }
        text += &format!(
            "define amdgpu_kernel void @k{index}(ptr %out, i64 %members) #0 {{
  %thread = call i32 @llvm.amdgcn.workitem.id.x()
  %lane = and i32 %thread, {last}
  %shift = zext i32 %lane to i64
  %members.shifted = lshr i64 %members, %shift
  %member = trunc i64 %members.shifted to i1
  br i1 %member, label %in, label %out.of.it
in:
  {body}
  %place = getelementptr i32, ptr %out, i32 %thread
  store i32 %r, ptr %place
  br label %out.of.it
out.of.it:
  ret void
}}
",
            last = size - 1,
            body = body.join("\n  ")
        );
    }
    text + &format!(
        "declare i32 @llvm.amdgcn.workitem.id.x()\nattributes #0 = {{ \"target-features\"=\"+wavefrontsize{size}\" }}\n"
    )
}

const UNTOUCHED: u32 = 0x7777_7777;

/// The results of every thread of two waves. Threads outside `members` have [`UNTOUCHED`].
fn run(
    (engine, device): (Engine, &VirtualGpu),
    module: &dyn Module,
    index: usize,
    size: u32,
    members: u64,
) -> Vec<u32> {
    let threads = 2 * size;
    let bytes = threads as usize * 4;
    let out = device.alloc(bytes as u64, MemoryKind::Device).unwrap();
    device.fill(out, 0x77, bytes).unwrap();
    let kernel = module.kernel(&format!("k{index}")).unwrap();
    assert_eq!(kernel.info().warp_size, size);
    let launch = Launch {
        grid: [1; 3],
        block: [threads, 1, 1],
        dynamic_shared: 0,
        cooperative: false,
        args: &[out.0, members],
    };
    if engine == Engine::Workgroup {
        let form = kernel.remark(&launch).unwrap();
        assert_eq!(form, "runs warp by warp", "kernel {index}, wave{size}");
    }
    kernel.launch(&launch).unwrap();
    let mut values = vec![0u32; threads as usize];
    // SAFETY: the vector has `bytes` bytes.
    unsafe { device.read(values.as_mut_ptr().cast(), out, bytes) }.unwrap();
    device.free(out).unwrap();
    values
}

/// The expected result of a lane. Arguments: lane, whether a lane participates, wave size.
type Model = fn(u32, &dyn Fn(u32) -> bool, u32) -> u32;

/// The value that lane `lane` passes in the tests below.
fn given(lane: u32) -> u32 {
    1000 + 7 * lane
}

/// `%v`, which the model calls `given`.
const GIVEN: &str = "%v0 = mul i32 %lane, 7\n%v = add i32 %v0, 1000\n";

fn check(cases: &[(&str, Model)]) {
    for engine in [Engine::Fiber, Engine::Workgroup] {
        let device = device(engine);
        for size in SIZES {
            check_waves(cases, (engine, &device), size);
        }
    }
}

fn check_waves(cases: &[(&str, Model)], (engine, device): (Engine, &VirtualGpu), size: u32) {
    let bodies: Vec<String> = cases
        .iter()
        .map(|(body, _)| format!("{GIVEN}{body}"))
        .collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let module = load(device, &module(size, &bodies));
    for (index, (body, model)) in cases.iter().enumerate() {
        for members in [!0u64, 0x0000_0ff0_0f0f_00ff, 0x8000_0001_9000_0003] {
            let takes_part = |lane: u32| lane < size && members >> lane & 1 != 0;
            let got = run((engine, device), &*module, index, size, members);
            for (thread, got) in got.into_iter().enumerate() {
                let lane = thread as u32 % size;
                let expected = match takes_part(lane) {
                    true => model(lane, &takes_part, size),
                    false => UNTOUCHED,
                };
                assert_eq!(
                    got, expected,
                    "{engine:?} engine, wave{size} members {members:#x} lane {lane}:\n{body}"
                );
            }
        }
    }
}

/// `given` of a lane that participates, else `otherwise`.
fn from(source: u32, takes_part: &dyn Fn(u32) -> bool, otherwise: u32) -> u32 {
    if takes_part(source) {
        given(source)
    } else {
        otherwise
    }
}

fn members(takes_part: &dyn Fn(u32) -> bool, size: u32) -> u64 {
    (0..size)
        .filter(|&lane| takes_part(lane))
        .fold(0, |all, lane| all | 1 << lane)
}

#[test]
fn votes() {
    check(&[
        (
            "%b = call i64 @llvm.amdgcn.ballot.i64(i1 true)
             %h = lshr i64 %b, 32
             %x = xor i64 %b, %h
             %r = trunc i64 %x to i32
             declare i64 @llvm.amdgcn.ballot.i64(i1) convergent",
            |_, takes_part, size| {
                let all = members(takes_part, size);
                (all ^ all >> 32) as u32
            },
        ),
        (
            "%odd = and i32 %lane, 1
             %b = call i64 @llvm.amdgcn.icmp.i64.i32(i32 %odd, i32 1, i32 32)
             %r = trunc i64 %b to i32
             declare i64 @llvm.amdgcn.icmp.i64.i32(i32, i32, i32 immarg) convergent",
            |_, takes_part, size| members(takes_part, size) as u32 & 0xaaaa_aaaa,
        ),
        (
            "%f = uitofp i32 %lane to float
             %b = call i64 @llvm.amdgcn.fcmp.i64.f32(float %f, float 9.0, i32 4)
             %r = trunc i64 %b to i32
             declare i64 @llvm.amdgcn.fcmp.i64.f32(float, float, i32 immarg) convergent",
            |_, takes_part, size| members(takes_part, size) as u32 & 0x1ff,
        ),
        (
            "%b = call i64 @llvm.amdgcn.ballot.i64(i1 true)
             %l = trunc i64 %b to i32
             %h0 = lshr i64 %b, 32
             %h = trunc i64 %h0 to i32
             %below0 = call i32 @llvm.amdgcn.mbcnt.lo(i32 %l, i32 100)
             %r = call i32 @llvm.amdgcn.mbcnt.hi(i32 %h, i32 %below0)
             declare i64 @llvm.amdgcn.ballot.i64(i1) convergent
             declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
             declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)",
            |lane, takes_part, _| 100 + (0..lane).filter(|&other| takes_part(other)).count() as u32,
        ),
    ]);
}

#[test]
fn reads_and_writes_of_lanes() {
    check(&[
        (
            "%r = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v)
             declare i32 @llvm.amdgcn.readfirstlane.i32(i32) convergent",
            |_, takes_part, size| given(members(takes_part, size).trailing_zeros()),
        ),
        (
            "%d0 = uitofp i32 %v to double
             %d = call double @llvm.amdgcn.readlane.f64(double %d0, i32 6)
             %r = fptoui double %d to i32
             declare double @llvm.amdgcn.readlane.f64(double, i32) convergent",
            // A lane that does not participate has no value. The reader's own value is used.
            |lane, takes_part, _| from(6, takes_part, given(lane)),
        ),
        (
            "%r = call i32 @llvm.amdgcn.writelane.i32(i32 5, i32 3, i32 %v)
             declare i32 @llvm.amdgcn.writelane.i32(i32, i32, i32) convergent",
            |lane, _, _| if lane == 3 { 5 } else { given(lane) },
        ),
        (
            "%a0 = mul i32 %lane, 12
             %a = add i32 %a0, 2
             %r = call i32 @llvm.amdgcn.ds.bpermute(i32 %a, i32 %v)
             declare i32 @llvm.amdgcn.ds.bpermute(i32, i32) convergent",
            |lane, takes_part, size| from(3 * lane % size, takes_part, 0),
        ),
        (
            "%to = lshr i32 %lane, 1
             %a = shl i32 %to, 2
             %r = call i32 @llvm.amdgcn.ds.permute(i32 %a, i32 %v)
             declare i32 @llvm.amdgcn.ds.permute(i32, i32) convergent",
            |lane, takes_part, _| from(2 * lane + 1, takes_part, from(2 * lane, takes_part, 0)),
        ),
        (
            // Reverses groups of four lanes: 3 2 1 0.
            "%r = call i32 @llvm.amdgcn.ds.swizzle(i32 %v, i32 32795)
             declare i32 @llvm.amdgcn.ds.swizzle(i32, i32 immarg) convergent",
            |lane, takes_part, _| from(lane ^ 3, takes_part, 0),
        ),
        (
            // AND with 0x1c, OR with 1, XOR with 8.
            "%r = call i32 @llvm.amdgcn.ds.swizzle(i32 %v, i32 8252)
             declare i32 @llvm.amdgcn.ds.swizzle(i32, i32 immarg) convergent",
            |lane, takes_part, _| from(lane & !31 | (lane & 0x1c | 1) ^ 8, takes_part, 0),
        ),
        (
            "%r = call i32 @llvm.amdgcn.wave.reduce.umax.i32(i32 %v, i32 0)
             declare i32 @llvm.amdgcn.wave.reduce.umax.i32(i32, i32 immarg) convergent",
            |_, takes_part, size| given(63 - members(takes_part, size).leading_zeros()),
        ),
        (
            "%n = sub i32 3, %lane
             %r = call i32 @llvm.amdgcn.wave.reduce.min.i32(i32 %n, i32 0)
             declare i32 @llvm.amdgcn.wave.reduce.min.i32(i32, i32 immarg) convergent",
            |_, takes_part, size| 3u32.wrapping_sub(63 - members(takes_part, size).leading_zeros()),
        ),
    ]);
}

/// An `update.dpp` with old value 5, all rows and banks, without bound control.
macro_rules! dpp {
    ($control:literal) => {
        concat!(
            "%r = call i32 @llvm.amdgcn.update.dpp.i32(i32 5, i32 %v, i32 ",
            $control,
            ", i32 15, i32 15, i1 false)
             declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg) convergent"
        )
    };
}

#[test]
fn data_parallel_primitives() {
    check(&[
        // quad_perm:[1,1,3,2]
        (dpp!(181), |lane, takes_part, _| from(lane & !3 | [1, 1, 3, 2][lane as usize & 3], takes_part, 5)),
        // row_shl:3
        (dpp!(259), |lane, takes_part, _| {
            if lane % 16 + 3 < 16 { from(lane + 3, takes_part, 5) } else { 5 }
        }),
        // row_shr:15
        (dpp!(287), |lane, takes_part, _| {
            if lane % 16 == 15 { from(lane - 15, takes_part, 5) } else { 5 }
        }),
        // row_ror:4
        (dpp!(292), |lane, takes_part, _| from((lane & !15) | ((lane + 12) % 16), takes_part, 5)),
        // wave_shl:1, wave_rol:1, wave_shr:1, wave_ror:1
        (dpp!(304), |lane, takes_part, _| from(lane + 1, takes_part, 5)),
        (dpp!(308), |lane, takes_part, size| from((lane + 1) % size, takes_part, 5)),
        (dpp!(312), |lane, takes_part, _| if lane > 0 { from(lane - 1, takes_part, 5) } else { 5 }),
        (dpp!(316), |lane, takes_part, size| from((lane + size - 1) % size, takes_part, 5)),
        // row_mirror, row_half_mirror
        (dpp!(320), |lane, takes_part, _| from(lane ^ 15, takes_part, 5)),
        (dpp!(321), |lane, takes_part, _| from(lane ^ 7, takes_part, 5)),
        // row_bcast:15, row_bcast:31
        (dpp!(322), |lane, takes_part, _| {
            if lane >= 16 { from((lane & !15) - 1, takes_part, 5) } else { 5 }
        }),
        (dpp!(323), |lane, takes_part, _| if lane >= 32 { from(31, takes_part, 5) } else { 5 }),
        // row_share:9, row_xmask:6
        (dpp!(345), |lane, takes_part, _| from(lane & !15 | 9, takes_part, 5)),
        (dpp!(358), |lane, takes_part, _| from(lane ^ 6, takes_part, 5)),
        // row_shl:1 for rows 0 and 2, bank 3, with bound control
        (
            "%r = call i32 @llvm.amdgcn.update.dpp.i32(i32 5, i32 %v, i32 257, i32 5, i32 8, i1 true)
             declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg) convergent",
            |lane, takes_part, _| match lane {
                _ if lane / 16 % 2 == 1 || lane / 4 % 4 != 3 => 5,
                _ if lane % 16 == 15 => 0,
                _ => from(lane + 1, takes_part, 0),
            },
        ),
        (
            "%r = call i32 @llvm.amdgcn.mov.dpp8.i32(i32 %v, i32 342391)
             declare i32 @llvm.amdgcn.mov.dpp8.i32(i32, i32 immarg) convergent",
            // 342391 is 7 6 5 4 3 2 1 0, three bits each.
            |lane, takes_part, _| from(lane ^ 7, takes_part, 0),
        ),
        (
            "%r = call i32 @llvm.amdgcn.permlane16.i32(i32 5, i32 %v, i32 1985229328, i32 -19088744, i1 false, i1 false)
             declare i32 @llvm.amdgcn.permlane16.i32(i32, i32, i32, i32, i1 immarg, i1 immarg) convergent",
            // Selectors 0 to 15: every lane reads itself.
            |lane, takes_part, _| from(lane, takes_part, 5),
        ),
        (
            "%r = call i32 @llvm.amdgcn.permlanex16.i32(i32 5, i32 %v, i32 19088743, i32 -1985229329, i1 false, i1 true)
             declare i32 @llvm.amdgcn.permlanex16.i32(i32, i32, i32, i32, i1 immarg, i1 immarg) convergent",
            // Selectors 7 6 5 … 0, 15 … 8 in the other row of the pair.
            |lane, takes_part, _| from(lane & !15 ^ 16 | [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8][lane as usize % 16], takes_part, 0),
        ),
        (
            "%r = call i32 @llvm.amdgcn.permlane64.i32(i32 %v)
             declare i32 @llvm.amdgcn.permlane64.i32(i32) convergent",
            |lane, takes_part, _| from(lane ^ 32, takes_part, given(lane)),
        ),
        (
            "%p = call { i32, i32 } @llvm.amdgcn.permlane32.swap(i32 %v, i32 %lane, i1 false, i1 false)
             %x = extractvalue { i32, i32 } %p, 0
             %y0 = extractvalue { i32, i32 } %p, 1
             %y = shl i32 %y0, 16
             %r = add i32 %x, %y
             declare { i32, i32 } @llvm.amdgcn.permlane32.swap(i32, i32, i1 immarg, i1 immarg) convergent",
            |lane, takes_part, _| {
                let other = lane ^ 32;
                let (mut x, mut y) = (given(lane), lane);
                if takes_part(other) && lane >= 32 {
                    x = other;
                } else if takes_part(other) {
                    y = given(other);
                }
                x.wrapping_add(y << 16)
            },
        ),
    ]);
}

#[test]
fn integers() {
    check(&[
        (
            "%r = call i32 @llvm.amdgcn.ubfe.i32(i32 -252645136, i32 %lane, i32 6)
             declare i32 @llvm.amdgcn.ubfe.i32(i32, i32, i32)",
            |lane, _, _| 0xf0f0_f0f0u32 >> (lane & 31) & 63,
        ),
        (
            "%r = call i32 @llvm.amdgcn.sbfe.i32(i32 -252645136, i32 4, i32 %lane)
             declare i32 @llvm.amdgcn.sbfe.i32(i32, i32, i32)",
            |lane, _, _| match lane & 31 {
                0 => 0,
                width => {
                    let field = (0xf0f0_f0f0u32 as i32 >> 4) as u32;
                    ((field << (32 - width)) as i32 >> (32 - width)) as u32
                }
            },
        ),
        (
            "%x = sub i32 %lane, 9
             %r = call i32 @llvm.amdgcn.mul.i24.i32(i32 %x, i32 16777215)
             declare i32 @llvm.amdgcn.mul.i24.i32(i32, i32)",
            |lane, _, _| 9u32.wrapping_sub(lane),
        ),
        (
            "%r = call i32 @llvm.amdgcn.sad.u8(i32 %v, i32 -16777216, i32 3)
             declare i32 @llvm.amdgcn.sad.u8(i32, i32, i32)",
            |lane, _, _| {
                let pairs = given(lane).to_le_bytes().into_iter().zip([0, 0, 0, 255]);
                3 + pairs
                    .map(|(x, y): (u8, u8)| u32::from(x.abs_diff(y)))
                    .sum::<u32>()
            },
        ),
        (
            // Bytes: 255, 0, sign of the second operand's byte 1, byte 4, which is the first operand's first.
            "%r = call i32 @llvm.amdgcn.perm(i32 %v, i32 32768, i32 218892292)
             declare i32 @llvm.amdgcn.perm(i32, i32, i32)",
            |lane, _, _| 0xff00_ff00 | given(lane) & 0xff,
        ),
        (
            "%r = call i32 @llvm.amdgcn.sdot4(i32 16909060, i32 -16711424, i32 %lane, i1 false)
             declare i32 @llvm.amdgcn.sdot4(i32, i32, i32, i1 immarg)",
            // Bytes 4 3 2 1 with 0 1 1 -1.
            |lane, _, _| lane + 3 + 2 - 1,
        ),
        (
            "%r = call i32 @llvm.amdgcn.sffbh.i32(i32 %v)
             declare i32 @llvm.amdgcn.sffbh.i32(i32)",
            |lane, _, _| given(lane).leading_zeros(),
        ),
    ]);
}

#[test]
fn floats() {
    check(&[
        (
            "%x0 = uitofp i32 %lane to float
             %x = fmul float %x0, 0.0625
             %s = call float @llvm.amdgcn.sin.f32(float %x)
             %m = fmul float %s, 1.0e6
             %r = fptosi float %m to i32
             declare float @llvm.amdgcn.sin.f32(float)",
            |lane, _, _| {
                let angle = f64::from(lane) * 0.0625;
                let sine = ((angle - angle.floor()) * std::f64::consts::TAU).sin() as f32;
                (sine * 1.0e6) as i32 as u32
            },
        ),
        (
            "%x0 = uitofp i32 %lane to double
             %x = fmul double %x0, -1.25
             %f = call double @llvm.amdgcn.fract.f64(double %x)
             %m = fmul double %f, 4.0
             %r = fptosi double %m to i32
             declare double @llvm.amdgcn.fract.f64(double)",
            |lane, _, _| {
                let x = f64::from(lane) * -1.25;
                ((x - x.floor()) * 4.0) as u32
            },
        ),
        (
            "%x = uitofp i32 %v to float
             %e = call i32 @llvm.amdgcn.frexp.exp.i32.f32(float %x)
             %m = call float @llvm.amdgcn.frexp.mant.f32(float %x)
             %i = fptoui float %m to i32
             %c0 = fcmp olt float %m, 0.5
             %c = zext i1 %c0 to i32
             %r0 = add i32 %e, %i
             %r = add i32 %r0, %c
             declare i32 @llvm.amdgcn.frexp.exp.i32.f32(float)
             declare float @llvm.amdgcn.frexp.mant.f32(float)",
            |lane, _, _| 32 - given(lane).leading_zeros(),
        ),
        (
            "%x = uitofp i32 %lane to float
             %m = call float @llvm.amdgcn.fmed3.f32(float %x, float 4.0, float 9.0)
             %r = fptoui float %m to i32
             declare float @llvm.amdgcn.fmed3.f32(float, float, float)",
            |lane, _, _| lane.clamp(4, 9),
        ),
        (
            "%x0 = uitofp i32 %lane to float
             %x = fdiv float -1.0, %x0
             %c = call i1 @llvm.amdgcn.class.f32(float %x, i32 12)
             %r = zext i1 %c to i32
             declare i1 @llvm.amdgcn.class.f32(float, i32)",
            // Negative: infinity in lane 0, normal elsewhere.
            |_, _, _| 1,
        ),
        (
            "%x = uitofp i32 %v to double
             %s0 = call { double, i1 } @llvm.amdgcn.div.scale.f64(double %x, double 7.0, i1 false)
             %s = extractvalue { double, i1 } %s0, 0
             %q0 = call double @llvm.amdgcn.rcp.f64(double %s)
             %q = call double @llvm.amdgcn.div.fmas.f64(double %q0, double %x, double 0.0, i1 false)
             %d = call double @llvm.amdgcn.div.fixup.f64(double %q, double 7.0, double %x)
             %m = fmul double %d, 1000.0
             %r = fptoui double %m to i32
             declare { double, i1 } @llvm.amdgcn.div.scale.f64(double, double, i1 immarg)
             declare double @llvm.amdgcn.rcp.f64(double)
             declare double @llvm.amdgcn.div.fmas.f64(double, double, double, i1)
             declare double @llvm.amdgcn.div.fixup.f64(double, double, double)",
            |lane, _, _| (f64::from(given(lane)) / 7.0 * 1000.0) as u32,
        ),
    ]);
}

/// Threads find the properties of their launch: sizes in the implicit arguments and the packet, arguments in
/// their segment.
#[test]
fn launches_describe_themselves() {
    let device = device(Engine::Fiber);
    let text = r#"
target triple = "amdgcn-amd-amdhsa"
@static = internal addrspace(3) global [40 x i32] poison
@dynamic = external addrspace(3) global [0 x i32]
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %a = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %first = load ptr addrspace(1), ptr addrspace(4) %a
  %blocks = load i32, ptr addrspace(4) %i
  %sizep = getelementptr i8, ptr addrspace(4) %i, i64 14
  %size = load i16, ptr addrspace(4) %sizep
  %size32 = zext i16 %size to i32
  %dynp = getelementptr i8, ptr addrspace(4) %i, i64 120
  %dyn = load i32, ptr addrspace(4) %dynp
  %gridp = getelementptr i8, ptr addrspace(4) %d, i64 16
  %grid = load i32, ptr addrspace(4) %gridp
  %static.size = call i32 @llvm.amdgcn.groupstaticsize()
  %wave = call i32 @llvm.amdgcn.wavefrontsize()
  %p = addrspacecast ptr addrspace(3) @dynamic to ptr
  %shared = call i1 @llvm.amdgcn.is.shared(ptr %p)
  %local = alloca i32, addrspace(5)
  store volatile i32 1, ptr addrspace(5) %local
  store volatile i32 1, ptr addrspace(3) @static
  %lp = addrspacecast ptr addrspace(5) %local to ptr
  %private = call i1 @llvm.amdgcn.is.private(ptr %lp)
  %not.private = call i1 @llvm.amdgcn.is.private(ptr %p)
  %lo = ptrtoint ptr addrspace(5) %local to i32
  %again = inttoptr i32 %lo to ptr addrspace(5)
  %kept = load volatile i32, ptr addrspace(5) %again
  %so = ptrtoint ptr addrspace(3) @dynamic to i32
  %id = call i32 @llvm.amdgcn.s.getreg(i32 14852)
  %s = zext i1 %shared to i32
  %q0 = zext i1 %private to i32
  %q1 = zext i1 %not.private to i32
  store i32 %blocks, ptr addrspace(1) %first
  %o1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %size32, ptr addrspace(1) %o1
  %o2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store i32 %dyn, ptr addrspace(1) %o2
  %o3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store i32 %grid, ptr addrspace(1) %o3
  %o4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store i32 %static.size, ptr addrspace(1) %o4
  %o5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store i32 %wave, ptr addrspace(1) %o5
  %o6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store i32 %s, ptr addrspace(1) %o6
  %o7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store i32 %q0, ptr addrspace(1) %o7
  %o8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store i32 %q1, ptr addrspace(1) %o8
  %o9 = getelementptr i32, ptr addrspace(1) %out, i32 9
  store i32 %kept, ptr addrspace(1) %o9
  %o10 = getelementptr i32, ptr addrspace(1) %out, i32 10
  store i32 %so, ptr addrspace(1) %o10
  %o11 = getelementptr i32, ptr addrspace(1) %out, i32 11
  store i32 %id, ptr addrspace(1) %o11
  ret void
}
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
declare i32 @llvm.amdgcn.groupstaticsize()
declare i32 @llvm.amdgcn.wavefrontsize()
declare i32 @llvm.amdgcn.s.getreg(i32 immarg)
declare i1 @llvm.amdgcn.is.shared(ptr)
declare i1 @llvm.amdgcn.is.private(ptr)
"#;
    let module = load(&device, text);
    let out = device.alloc(64, MemoryKind::Device).unwrap();
    let launch = Launch {
        grid: [5, 1, 1],
        block: [1, 6, 1],
        dynamic_shared: 48,
        cooperative: false,
        args: &[out.0],
    };
    module.kernel("k").unwrap().launch(&launch).unwrap();
    let mut got = [0u32; 12];
    // SAFETY: the array has 48 bytes.
    unsafe { device.read(got.as_mut_ptr().cast(), out, 48) }.unwrap();
    assert_eq!(got, [5, 6, 48, 6, 160, 64, 1, 1, 0, 1, 160, 0]);
    assert_ne!(out, DevicePtr::NULL);
}

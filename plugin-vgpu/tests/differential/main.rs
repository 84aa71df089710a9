//! Random kernels must give the same results on both engines, by way of PTX, and in an interpreter of their programs.
//!
//! Every fifth batch goes by way of PTX. With `OMPTARGET_DEVICES=cuda` each does, and its PTX runs on an NVIDIA GPU as
//! well.
//!
//! `DIFFERENTIAL_KERNELS` sets their number (500), `DIFFERENTIAL_SEED` the seed (1). A kernel that fails is
//! shrunk and printed, as LLVM assembly and as a program. The program goes into `cases`, so that it runs in every
//! later test. The other kernels still run.

mod emit;
mod interpret;
mod program;
mod shrink;
mod strategy;

#[path = "../fixture/mod.rs"]
mod fixture;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, mpsc};

use codegen::{Compiler, CpuLevel, PtxOptions, VgpuOptions};
use device_image::Image;
use parking_lot::Mutex;
use plugin_api::{Device, Launch, LoadOptions, MemoryKind, Module};
use plugin_vgpu::{Config, Engine, VirtualGpu};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as Runs, RngSeed, TestRunner};
use vgpu_abi::artifact::{Artifact, WarpForm};

use interpret::{ALL_COUNTERS, Memory, OUTPUTS, interpret};
use program::{BLOCKS, Program, Tile};

/// How many kernels are compiled together.
const BATCH: usize = 25;

/// How many kernels a seed gives. More kernels come from the next seeds, so that a long test can be done in
/// parts.
const CHUNK: usize = 1000;

fn device(engine: Engine) -> VirtualGpu {
    VirtualGpu::new(&Config {
        engine,
        multiprocessors: 2,
        memory: 64 << 20,
        heap: 1 << 20,
        ..Config::detect()
    })
    .unwrap()
}

fn devices() -> &'static [(Engine, VirtualGpu); 3] {
    static DEVICES: OnceLock<[(Engine, VirtualGpu); 3]> = OnceLock::new();
    let engines = [Engine::Fiber, Engine::Workgroup, Engine::Auto];
    DEVICES.get_or_init(|| engines.map(|engine| (engine, device(engine))))
}

/// What kernels are compiled for: vectors of 16, 32 and 64 bytes, as far as the CPU at hand has them.
fn levels() -> Vec<CpuLevel> {
    let all = [CpuLevel::V2, CpuLevel::V3, CpuLevel::V4, CpuLevel::Armv9];
    all.into_iter().filter(|level| level.runs_here()).collect()
}

/// The NVIDIA GPU that the environment asks for.
fn nvidia_gpu() -> Option<&'static Arc<dyn Device>> {
    static GPU: OnceLock<Option<Arc<dyn Device>>> = OnceLock::new();
    let find = || {
        let wanted = std::env::var_os("OMPTARGET_DEVICES")?;
        (wanted == "cuda").then_some(())?;
        let found = plugin_cuda::plugin().unwrap_or_else(|why| panic!("no NVIDIA GPU: {why}"));
        Some(found.plugin.devices().swap_remove(0))
    };
    GPU.get_or_init(find).as_ref()
}

/// The device compiler.
fn compiler() -> Compiler {
    fixture::find_compiler();
    let tool = std::env::var_os("OMPTARGET_CODEGEN").expect("it has been found");
    Compiler::at(tool, None)
}

/// Compiles programs together, in both forms.
fn compile(programs: &[Program], cpu: Option<CpuLevel>) -> Result<Artifact, String> {
    let options = VgpuOptions {
        warp_forms: true,
        cpu,
        ..VgpuOptions::default()
    };
    let artifact = compiler().vgpu(module_text(programs).as_bytes(), &options);
    artifact.map_err(|error| error.to_string())
}

/// The part of the compiled kernels that an engine uses. The one that chooses has threads one by one only, in a loop:
/// no block has a whole subgroup.
fn forms_for(engine: Engine, artifact: &Artifact) -> Artifact {
    let mut artifact = artifact.clone();
    for kernel in &mut artifact.manifest.kernels {
        let one_by_one = engine == Engine::Auto && kernel.threads.is_some();
        match &mut kernel.warp {
            _ if engine == Engine::Workgroup => {}
            WarpForm::Present { width, partial, .. } if one_by_one => {
                (*width, *partial) = (2048, true);
            }
            warp => {
                *warp = WarpForm::default();
                kernel.threads.take_if(|_| !one_by_one);
            }
        }
    }
    artifact
}

fn input() -> Vec<u32> {
    (0..Tile::ELEMENTS)
        .map(|index| index.wrapping_mul(2654435761) >> (index % 29))
        .collect()
}

/// Runs a kernel of a module on a device.
fn run(
    device: &dyn Device,
    module: &dyn Module,
    name: &str,
    program: &Program,
) -> Result<Memory, String> {
    let words = |count: usize| device.alloc(4 * count as u64, MemoryKind::Device).unwrap();
    let input = input();
    let outputs = (BLOCKS * program.threads * OUTPUTS) as usize;
    let buffers = [
        words(input.len()),
        words(outputs),
        words(ALL_COUNTERS as usize),
    ];
    // SAFETY: the buffers have these sizes.
    unsafe {
        device
            .write(buffers[0], input.as_ptr().cast(), 4 * input.len())
            .unwrap()
    };
    device.fill(buffers[1], 0, 4 * outputs).unwrap();
    device
        .fill(buffers[2], 0, 4 * ALL_COUNTERS as usize)
        .unwrap();
    let launch = Launch {
        grid: [BLOCKS, 1, 1],
        block: [program.threads, 1, 1],
        dynamic_shared: 0,
        cooperative: false,
        args: &buffers.map(|buffer| buffer.0),
    };
    let outcome = module.kernel(name).unwrap().launch(&launch);
    let read = |buffer, count: usize| {
        let mut content = vec![0_u32; count];
        // SAFETY: as above.
        unsafe {
            device
                .read(content.as_mut_ptr().cast(), buffer, 4 * count)
                .unwrap()
        };
        content
    };
    let memory = Memory {
        output: read(buffers[1], outputs),
        counters: read(buffers[2], ALL_COUNTERS as usize),
    };
    buffers
        .iter()
        .for_each(|&buffer| device.free(buffer).unwrap());
    outcome.map(|()| memory).map_err(|error| error.to_string())
}

/// Describes what is wrong with a result, if anything.
fn difference(program: &Program, got: &Memory, expected: &Memory) -> Option<String> {
    let words = OUTPUTS as usize;
    for (at, (got, expected)) in got.output.iter().zip(&expected.output).enumerate() {
        if got != expected {
            let (thread, word) = (at / words, at % words);
            let (block, thread) = (
                thread / program.threads as usize,
                thread % program.threads as usize,
            );
            return Some(format!(
                "block {block} thread {thread} word {word}: {got:#x}, expected {expected:#x}"
            ));
        }
    }
    let differ = got.counters != expected.counters;
    differ.then(|| {
        format!(
            "counters {:?}, expected {:?}",
            got.counters, expected.counters
        )
    })
}

fn module_text(programs: &[Program]) -> String {
    let kernels = programs
        .iter()
        .enumerate()
        .map(|(number, program)| emit::emit(program, number));
    emit::PRELUDE.to_owned() + "\n" + &kernels.collect::<String>()
}

/// Compiles programs together for a CPU and compares their results. Gives how many ran warp by warp.
fn check(programs: &[Program], cpu: Option<CpuLevel>) -> Result<usize, String> {
    let artifact = compile(programs, cpu)?;
    let mut warp_by_warp = 0;
    for (engine, device) in devices() {
        let module = device
            .load_artifact(forms_for(*engine, &artifact), None)
            .map_err(|error| format!("{engine:?}: {error}"))?;
        for (number, program) in programs.iter().enumerate() {
            let name = format!("k{number}");
            let wrong = |what| format!("{engine:?} engine, kernel {number}: {what}");
            let got = run(device, &*module, &name, program).map_err(wrong)?;
            if let Some(what) = difference(program, &got, &interpret(program, &input())) {
                return Err(wrong(what));
            }
            let remark = remark(&*module, &name, program).unwrap_or_default();
            if remark.contains("internal error") {
                return Err(wrong(remark));
            }
            let in_warps = *engine == Engine::Workgroup && remark == "runs warp by warp";
            warp_by_warp += usize::from(in_warps);
        }
    }
    Ok(warp_by_warp)
}

/// Compiles programs to PTX and compares what that does, on the virtual GPU and on the GPU that there may be.
fn check_ptx(programs: &[Program]) -> Result<(), String> {
    let options = PtxOptions {
        arch: "sm_80".into(),
        level: 2,
    };
    let text = compiler().ptx(module_text(programs).as_bytes(), &options);
    let text = text.map_err(|error| error.to_string())?;
    let images = Image::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    let (_, virtual_gpu) = &devices()[1];
    let others = nvidia_gpu().map(|gpu| &**gpu);
    for device in std::iter::once(virtual_gpu as &dyn Device).chain(others) {
        let module = device.load(&images[0], &LoadOptions::default());
        let place = &device.info().name;
        let module = module.map_err(|error| format!("PTX on {place}: {error}"))?;
        for (number, program) in programs.iter().enumerate() {
            // Of a lane that is not there the virtual GPU gives the own value, hardware anything (PTX ISA,
            // "shfl.sync").
            let is_hardware = others.is_some_and(|gpu| std::ptr::addr_eq(gpu, device));
            if is_hardware && program.warps && program.threads % 32 != 0 {
                continue;
            }
            let wrong = |what| format!("PTX on {place}, kernel {number}: {what}");
            let got = run(device, &*module, &format!("k{number}"), program).map_err(wrong)?;
            if let Some(what) = difference(program, &got, &interpret(program, &input())) {
                return Err(wrong(what));
            }
        }
    }
    Ok(())
}

/// Compares programs in every way; `through_ptx`: by way of PTX, too. Gives how many ran warp by warp.
fn check_all(
    programs: &[Program],
    cpu: Option<CpuLevel>,
    through_ptx: bool,
) -> Result<usize, String> {
    let warp_by_warp = check(programs, cpu)?;
    if through_ptx {
        check_ptx(programs)?;
    }
    Ok(warp_by_warp)
}

/// The remark about how a kernel runs.
fn remark(module: &dyn Module, name: &str, program: &Program) -> Option<String> {
    let launch = Launch {
        grid: [1; 3],
        block: [program.threads, 1, 1],
        dynamic_shared: 0,
        cooperative: false,
        args: &[],
    };
    module.kernel(name).unwrap().remark(&launch)
}

fn setting(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| {
        let number = text.parse();
        number.unwrap_or_else(|_| panic!("{variable}={text}: a number is needed"))
    })
}

/// The stack for generating kernels. Without optimisation, proptest's trees take megabytes at the depth that
/// `strategy` allows, and test threads have two.
const STACK: usize = 64 << 20;

#[test]
fn random_kernels() {
    let kernels = setting("DIFFERENTIAL_KERNELS", 500) as usize;
    let first = setting("DIFFERENTIAL_SEED", 1);
    let mut failed = 0;
    for (seed, done) in (first..).zip((0..kernels).step_by(CHUNK)) {
        failed += compare(CHUNK.min(kernels - done), seed);
    }
    assert!(failed == 0, "{failed} batches of kernels failed, see above");
}

/// Runs some kernels of a seed, several batches in parallel. Gives how many batches failed.
fn compare(kernels: usize, seed: u64) -> usize {
    let (send, batches) = mpsc::sync_channel(1);
    let thread = std::thread::Builder::new().stack_size(STACK);
    let maker = thread.spawn(move || make(kernels, seed, &send)).unwrap();
    let batches = Mutex::new(batches);
    let (failed, warp_by_warp) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let levels = levels();
    let work = || {
        loop {
            // A separate statement releases the lock, so that others can take the next batch meanwhile.
            let batch = batches.lock().recv();
            let Ok((number, programs)) = batch else { break };
            let cpu = levels.get(number % levels.len().max(1)).copied();
            let through_ptx = number % 5 == 0 || nvidia_gpu().is_some();
            match check_all(&programs, cpu, through_ptx) {
                Ok(warps) => _ = warp_by_warp.fetch_add(warps, Relaxed),
                Err(why) => {
                    failed.fetch_add(1, Relaxed);
                    eprintln!(
                        "seed {seed}, {cpu:?}: {}",
                        report(programs, cpu, through_ptx, why)
                    );
                }
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..workers).for_each(|_| _ = scope.spawn(work)));
    maker.join().unwrap();
    let (failed, warp_by_warp) = (failed.into_inner(), warp_by_warp.into_inner());
    println!(
        "{kernels} kernels of seed {seed}, {warp_by_warp} of them warp by warp, {failed} batches failed"
    );
    // Otherwise this would compare the fiber engine with itself.
    assert!(failed > 0 || 2 * warp_by_warp > kernels);
    failed
}

/// Generates the kernels of a seed in numbered batches, until no more are wanted.
fn make(kernels: usize, seed: u64, to: &mpsc::SyncSender<(usize, Vec<Program>)>) {
    let mut runner = TestRunner::new(Runs {
        rng_seed: RngSeed::Fixed(seed),
        ..Runs::default()
    });
    let strategy = strategy::program();
    for done in (0..kernels).step_by(BATCH) {
        let new = |_| strategy.new_tree(&mut runner).unwrap().current();
        let programs = (0..BATCH.min(kernels - done)).map(new).collect();
        if to.send((done / BATCH, programs)).is_err() {
            return;
        }
    }
}

/// The failure of a batch: its first kernel that fails alone, shrunk as far as possible, or else the batch's own
/// failure.
fn report(programs: Vec<Program>, cpu: Option<CpuLevel>, through_ptx: bool, why: String) -> String {
    let checked = |program: &Program| check_all(std::slice::from_ref(program), cpu, through_ptx);
    let fails = |program: &Program| checked(program).is_err();
    let Some(mut smallest) = programs.into_iter().find(fails) else {
        return format!("{why} (none of the batch fails alone)");
    };
    while let Some(smaller) = shrink::smaller(&smallest).into_iter().find(fails) {
        smallest = smaller;
    }
    let why = checked(&smallest).err();
    let json = serde_json::to_string(&smallest).unwrap();
    let text = module_text(&[smallest]);
    let why = why.unwrap_or("a kernel that fails now and then".into());
    format!("{why}\n{text}\n{json}")
}

/// Kernels that failed once: a line of JSON per file.
#[test]
fn earlier_failures() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/cases");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let program = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        for cpu in levels().into_iter().map(Some).chain([None]) {
            if let Err(why) = check_all(std::slice::from_ref(&program), cpu, cpu.is_none()) {
                panic!("{}, {cpu:?}: {why}", file.display());
            }
        }
    }
}

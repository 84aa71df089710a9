//! Random kernels give the same results on both engines and in an interpreter of the programs they were written from.
//!
//! `DIFFERENTIAL_KERNELS` sets how many (500), `DIFFERENTIAL_SEED` which (1). A kernel that fails is made smaller and printed: as
//! LLVM assembly, and as a program, which goes into `cases` to be run again for ever.

mod emit;
mod interpret;
mod program;
mod shrink;
mod strategy;

#[path = "../common/mod.rs"]
mod common;

use std::sync::OnceLock;

use codegen::artifact::{Artifact, WarpForm};
use codegen::{Compiler, VgpuOptions};
use plugin_api::{Device, Launch, MemoryKind, Module};
use plugin_vgpu::{Config, Engine, VirtualGpu};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as Runs, RngSeed, TestRunner};

use interpret::{ALL_COUNTERS, Memory, OUTPUTS, interpret};
use program::{BLOCKS, INPUTS, Program};

/// Kernels that are compiled together.
const BATCH: usize = 25;

/// Kernels between two lines that say how far a soak is.
const PROGRESS: usize = 1000;

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

fn devices() -> &'static [(Engine, VirtualGpu); 2] {
    static DEVICES: OnceLock<[(Engine, VirtualGpu); 2]> = OnceLock::new();
    DEVICES
        .get_or_init(|| [Engine::Fiber, Engine::Workgroup].map(|engine| (engine, device(engine))))
}

/// Compiles programs together, in both forms.
fn compile(programs: &[Program]) -> Result<Artifact, String> {
    common::find_compiler();
    let tool = std::env::var_os("OMPTARGET_CODEGEN").expect("it has been found");
    let options = VgpuOptions {
        warp_forms: true,
        ..VgpuOptions::default()
    };
    let artifact = Compiler::at(tool, None).vgpu(module_text(programs).as_bytes(), &options);
    artifact.map_err(|error| error.to_string())
}

/// What is left of compiled kernels for an engine.
fn forms_for(engine: Engine, artifact: &Artifact) -> Artifact {
    let mut artifact = artifact.clone();
    if engine == Engine::Fiber {
        for kernel in &mut artifact.manifest.kernels {
            kernel.warp = WarpForm::default();
        }
    }
    artifact
}

fn input() -> Vec<u32> {
    (0..INPUTS)
        .map(|index| index.wrapping_mul(2654435761) >> (index % 29))
        .collect()
}

/// Runs a kernel of a module on a device.
fn run(
    device: &VirtualGpu,
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

/// What is wrong with a result, if anything.
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

/// Compiles programs together and compares; how many ran warp by warp.
fn check(programs: &[Program]) -> Result<usize, String> {
    let artifact = compile(programs)?;
    let mut warp_by_warp = 0;
    for (engine, device) in devices() {
        let module = device
            .load_artifact(forms_for(*engine, &artifact))
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
            warp_by_warp += usize::from(remark == "runs warp by warp");
        }
    }
    Ok(warp_by_warp)
}

/// What is said of how a kernel runs.
fn remark(module: &dyn Module, name: &str, program: &Program) -> Option<String> {
    let launch = Launch {
        grid: [1; 3],
        block: [program.threads, 1, 1],
        dynamic_shared: 0,
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

/// Stack for making kernels: proptest's trees, nested as deep as `strategy` allows, take megabytes without optimisation, and
/// test threads have two.
const STACK: usize = 64 << 20;

#[test]
fn random_kernels() {
    let kernels = setting("DIFFERENTIAL_KERNELS", 500) as usize;
    let seed = setting("DIFFERENTIAL_SEED", 1);
    let thread = std::thread::Builder::new().stack_size(STACK);
    let outcome = thread.spawn(move || compare(kernels, seed)).unwrap().join();
    if let Err(panic) = outcome {
        eprintln!("these kernels again: DIFFERENTIAL_SEED={seed} DIFFERENTIAL_KERNELS={kernels}");
        std::panic::resume_unwind(panic);
    }
}

fn compare(kernels: usize, seed: u64) {
    let mut runner = TestRunner::new(Runs {
        rng_seed: RngSeed::Fixed(seed),
        ..Runs::default()
    });
    let mut warp_by_warp = 0;
    let strategy = strategy::program();
    for batch in 1..=kernels.div_ceil(BATCH) {
        let new = |_| strategy.new_tree(&mut runner).unwrap().current();
        let programs: Vec<Program> = (0..BATCH).map(new).collect();
        match check(&programs) {
            Ok(warps) => warp_by_warp += warps,
            Err(why) => {
                let alone = |program: &Program| check(std::slice::from_ref(program)).is_err();
                report(programs.into_iter().find(alone).expect(&why));
            }
        }
        if batch.is_multiple_of(PROGRESS / BATCH) {
            println!("{} kernels of seed {seed} so far", batch * BATCH);
        }
    }
    println!("{kernels} kernels of seed {seed}, {warp_by_warp} of them warp by warp");
    // Else this would compare the fiber engine with itself.
    assert!(2 * warp_by_warp > kernels);
}

/// Makes a kernel that fails as small as it gets, and says what is wrong with it.
fn report(failing: Program) -> ! {
    let mut smallest = failing;
    while let Some(smaller) = shrink::smaller(&smallest)
        .into_iter()
        .find(|program| check(std::slice::from_ref(program)).is_err())
    {
        smallest = smaller;
    }
    let why = check(std::slice::from_ref(&smallest)).err();
    let json = serde_json::to_string(&smallest).unwrap();
    let text = module_text(&[smallest]);
    panic!(
        "{text}\n{json}\n{}",
        why.unwrap_or("a kernel that fails now and then".into())
    );
}

/// Kernels that once failed: a line of JSON per file.
#[test]
fn earlier_failures() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/cases");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let program = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        if let Err(why) = check(&[program]) {
            panic!("{}: {why}", file.display());
        }
    }
}

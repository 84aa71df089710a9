//! Links the device runtime into images that were linked without one.
//!
//! Compilers older than ours leave `__kmpc_*` undefined when they are told to link no library. So does whoever hands
//! over the bitcode of a unit.
//!
//! The runtime is the archive that clang's device link takes, from the `dist/` where this program lies. The linked
//! module is optimised once more, openmp-opt included, but not as a device link does: openmp-opt's link-time step must
//! run only once. A link without a runtime has had that step already. After a second one, threads miss what others of
//! their team have written (`tests/unlinked.rs`).

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use object::read::archive::ArchiveFile;

use crate::analysis::kernels;
use crate::device::fold;
use crate::device::older_clangs;
use crate::ir::{Context, Machine, Module, Value};

/// Prefixes of names that only device libraries define.
const PREFIXES: [&str; 5] = ["__kmpc_", "omp_", "ompx_", "__nv_", "__llvm_omp_"];

/// Links what the image lacks of the device runtime and of the device math library. An image that lacks nothing stays
/// as it is. `machine` is of the image's triple.
pub fn run(module: &Module, machine: &Machine, level: u8) -> Result<()> {
    if !missing(module).iter().any(|name| is_of_library(name)) {
        return Ok(());
    }
    let need = "the image was linked without a device runtime";
    let members = members(module.context, &libraries(&module.triple(), need)?)?;
    let layout = machine.layout();
    module.set_layout(&layout);
    older_clangs::run(module, &layout)?;
    for member in &members {
        member.set_layout(&layout);
    }
    link_needed(module, members)?;
    if level == 0 {
        machine.run_passes(module, "globaldce")
    } else {
        internalise_functions(module);
        fold::hide_shared_variables(module);
        // openmp-opt runs first and may add calls of the runtime. So functions that nobody calls yet must still exist.
        machine.run_passes(module, &format!("default<O{level}>"))
    }
}

/// Whether a device library may define a name. None defines `__kmpc_threadprivate_cached`; the pass `undefined` tells
/// what to do instead.
pub(super) fn is_of_library(name: &str) -> bool {
    name != "__kmpc_threadprivate_cached" && PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Links the functions of the device math library that the module lacks, and only these.
pub(super) fn link_math(module: &Module, machine: &Machine) -> Result<()> {
    let need = "device code needs the device math library";
    let members = members(module.context, &libraries(&module.triple(), need)?)?;
    let layout = machine.layout();
    module.set_layout(&layout);
    for member in &members {
        member.set_layout(&layout);
    }
    link_needed(module, members)?;
    machine.run_passes(module, "globaldce")
}

/// The names that the module uses and does not define.
pub(crate) fn missing(module: &Module) -> Vec<String> {
    let all = module.functions().into_iter().chain(module.globals());
    all.filter(|symbol| symbol.is_declaration() && !symbol.is_unused() && !symbol.is_intrinsic())
        .map(Value::name)
        .collect()
}

/// Links members that define something missing, until none does, as a linker does with archives.
pub(crate) fn link_needed(module: &Module, mut members: Vec<Module>) -> Result<()> {
    loop {
        let missing = missing(module);
        let serves = |member: &Module| {
            let defined = |symbol: Value| !symbol.is_declaration();
            missing.iter().any(|name| {
                member.function(name).is_some_and(defined)
                    || member.global(name).is_some_and(defined)
            })
        };
        let Some(index) = members.iter().position(serves) else {
            return Ok(());
        };
        let member = members.swap_remove(index);
        let names: Vec<_> = member.definitions().into_iter().map(Value::name).collect();
        module.link(member)?;
        names
            .iter()
            .filter_map(|name| module.function(name))
            .for_each(internalise);
    }
}

fn internalise(function: Value) {
    function.drop_comdat();
    function.set_linkage(LLVMInternalLinkage);
    function.show();
}

/// Makes all functions but kernels internal: the image is the whole program, so nobody else calls them.
fn internalise_functions(module: &Module) {
    let kernels = kernels::find(module);
    let is_kernel = |function| kernels.iter().any(|kernel| kernel.function == function);
    module
        .definitions()
        .into_iter()
        .filter(|&function| !is_kernel(function))
        .for_each(internalise);
}

/// The archives and modules for a triple, in search order. `need` says why they are needed.
fn libraries(triple: &str, need: &str) -> Result<Vec<PathBuf>> {
    codegen::RUNTIME_LIBRARIES
        .iter()
        .filter(|(of, _)| triple.starts_with(of))
        .map(|(_, name)| {
            let path = in_dist(name)?;
            if !path.is_file() {
                bail!("{need}, and there is none at {} to link", path.display());
            }
            Ok(path)
        })
        .collect()
}

/// The path of a file of the `dist/` where this code lies: in the compiler process or in clang's plugin.
pub(crate) fn in_dist(name: &str) -> Result<PathBuf> {
    let own = own_file().context("cannot find this program's own file")?;
    let dist = own
        .parent()
        .and_then(Path::parent)
        .unwrap_or(Path::new("/"));
    Ok(dist.join(name))
}

/// The file that this function was loaded from.
fn own_file() -> Option<PathBuf> {
    let own = own_file as fn() -> Option<PathBuf> as usize;
    let mappings = std::fs::read_to_string("/proc/self/maps").ok()?;
    // `start-end permissions offset device inode path`
    mappings.lines().find_map(|line| {
        let (start, rest) = line.split_once('-')?;
        let (end, rest) = rest.split_once(' ')?;
        let [start, end] = [start, end].map(|address| usize::from_str_radix(address, 16).ok());
        let holds = (start?..end?).contains(&own);
        holds.then(|| PathBuf::from(&rest[rest.find('/').unwrap_or(rest.len())..]))
    })
}

/// The modules of archives and bitcode files.
pub(crate) fn members(context: Context, libraries: &[PathBuf]) -> Result<Vec<Module>> {
    let mut members = Vec::new();
    for path in libraries {
        let what = || path.display().to_string();
        let bytes = std::fs::read(path).with_context(what)?;
        if !bytes.starts_with(b"!<arch>\n") {
            members.push(Module::read(context, &bytes).with_context(what)?);
            continue;
        }
        let archive = ArchiveFile::parse(&*bytes).with_context(what)?;
        for member in archive.members() {
            let content = member.and_then(|member| member.data(&*bytes));
            members.push(Module::read(context, content.with_context(what)?).with_context(what)?);
        }
    }
    Ok(members)
}

//! clang, a process: from source to a module.

use std::fs;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use codegen::{Cache, Key};

use super::options::Options;
use super::tool;
use crate::device::{EXTENSIONS, FEATURES, OF_THE_HOST};

/// The name of a program's source in messages.
const NAME: &str = "program.cl";

/// clang's names, the best first.
const NAMES: [&str; 2] = ["clang-22", "clang"];

/// A header of `clCompileProgram`: its name and its text.
pub type Header = (String, String);

/// A compiled source: the module, and clang's warnings; or its errors.
pub type Compiled = Result<(Vec<u8>, String), String>;

/// Compiles a source.
pub fn compile(source: &str, headers: &[Header], options: &Options) -> Compiled {
    let clang = find().ok_or(
        "there is no clang 22: OpenCL programs in source need it (clang-22 in PATH, or OMPTARGET_CLANG)",
    )?;
    // A header that the program did not give may change unseen.
    let includes = source.contains("#") && source.contains("include") && headers.is_empty();
    let cache = Cache::of_user().filter(|_| !includes);
    let key = key(&clang, source, headers, options);
    let cached = cache.as_ref().and_then(|cache| cache.load(&key));
    if let Some([module, log]) = cached.as_deref().and_then(pair) {
        return Ok((module, String::from_utf8_lossy(&log).into_owned()));
    }
    let (module, log) = run(&clang, source, headers, options)?;
    if let Some(cache) = cache {
        let entry = codegen::opencl::encode_modules(&[&module, log.as_bytes()]);
        cache.store(&key, &entry);
    }
    Ok((module, log))
}

/// The two parts of an entry.
fn pair(bytes: &[u8]) -> Option<[Vec<u8>; 2]> {
    let parts = codegen::opencl::decode_modules(bytes)?;
    let parts: Vec<Vec<u8>> = parts.into_iter().map(<[u8]>::to_vec).collect();
    parts.try_into().ok()
}

/// Everything that the module depends on.
fn key(clang: &Path, source: &str, headers: &[Header], options: &Options) -> Key {
    let state = tool::state(clang);
    let arguments = arguments(options).join("\0");
    let mut parts = vec![
        b"opencl clang".as_slice(),
        clang.as_os_str().as_encoded_bytes(),
        state.as_bytes(),
        arguments.as_bytes(),
        source.as_bytes(),
    ];
    for (name, text) in headers {
        parts.extend([name.as_bytes(), text.as_bytes()]);
    }
    Key::of(&parts)
}

/// The clang to use.
fn find() -> Option<PathBuf> {
    tool::find("OMPTARGET_CLANG", &NAMES)
}

/// clang's arguments, but for folders of headers.
fn arguments(options: &Options) -> Vec<String> {
    let fixed = [
        "-x",
        "cl",
        "-target",
        "nvptx64-nvidia-cuda",
        "-Xclang",
        "-target-cpu",
        "-Xclang",
        "sm_80",
        "-Xclang",
        "-target-feature",
        "-Xclang",
        "+ptx78",
        // The whole program is optimised when it is linked.
        "-O2",
        "-Xclang",
        "-disable-llvm-passes",
        // Faults name lines.
        "-gline-tables-only",
        "-cl-kernel-arg-info",
        "-D__OPENCL_VERSION__=300",
        // clang says so for SPIR only.
        "-D__IMAGE_SUPPORT__=1",
        // The conversions are checked against OpenCL C, not against C.
        "-Wno-format",
        "-fno-caret-diagnostics",
        "-emit-llvm",
        "-c",
        "-o",
        "-",
        "-Xclang",
    ];
    let mut all: Vec<String> = fixed.map(str::to_owned).to_vec();
    let names = EXTENSIONS.iter().map(|(name, _)| *name);
    let on: Vec<String> = names
        .chain(FEATURES.iter().copied())
        .filter(|name| !OF_THE_HOST.contains(name))
        .map(|name| format!("+{name}"))
        .collect();
    all.push(format!("-cl-ext=-all,{}", on.join(",")));
    all.extend(options.clang.iter().cloned());
    all
}

fn run(clang: &Path, source: &str, headers: &[Header], options: &Options) -> Compiled {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: std::io::Error| format!("{what}: {error}")
    };
    let folder = match headers.is_empty() {
        true => None,
        false => Some(written(headers)?),
    };
    let mut input = tempfile::tempfile().map_err(failed("a file for the source"))?;
    let text = format!("#line 1 \"{NAME}\"\n{source}\n");
    input
        .write_all(text.as_bytes())
        .and_then(|()| input.rewind())
        .map_err(failed("writing the source"))?;
    let files = tempfile::tempfile().and_then(|module| Ok((module, tempfile::tempfile()?)));
    let (mut module, mut messages) = files.map_err(failed("files for clang's output"))?;
    let shared = |file: &fs::File| {
        file.try_clone()
            .map(Stdio::from)
            .map_err(failed("clang's output"))
    };
    let mut command = Command::new(clang);
    command
        .args(arguments(options))
        .stdin(input)
        .stdout(shared(&module)?)
        .stderr(shared(&messages)?);
    if let Some(folder) = &folder {
        command.arg("-I").arg(folder.path());
    }
    let status = command
        .arg("-")
        .status()
        .map_err(failed("clang cannot be started"))?;
    let (mut bytes, mut log) = (Vec::new(), Vec::new());
    module
        .rewind()
        .and_then(|()| module.read_to_end(&mut bytes))
        .and_then(|_| messages.rewind())
        .and_then(|()| messages.read_to_end(&mut log))
        .map_err(failed("reading clang's output"))?;
    let mut log = String::from_utf8_lossy(&log).into_owned();
    if let Some(folder) = &folder {
        log = log.replace(&format!("{}/", folder.path().display()), "");
    }
    match status.success() {
        true => Ok((bytes, log)),
        false => Err(log),
    }
}

/// A folder with headers. Their names may have folders, but none above this one.
fn written(headers: &[Header]) -> Result<tempfile::TempDir, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("a folder for headers: {error}"))?;
    for (name, text) in headers {
        let path = Path::new(name);
        let is_inside = path
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        if !is_inside {
            return Err(format!("the header name {name:?} leads out of the program"));
        }
        let file = folder.path().join(path);
        let parent = file.parent().unwrap_or(folder.path());
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&file, text))
            .map_err(|error| format!("the header {name}: {error}"))?;
    }
    Ok(folder)
}

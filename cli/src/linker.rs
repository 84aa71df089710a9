//! The linker that clang runs for `--aot`, and for `nvcc -dlink` ([`crate::device_object`]). It makes machine code from
//! the program's device images, registers it beside them, and links.
//!
//! Before it runs, clang's own linker wrapper has linked the device code and made an object that registers the image.
//! For OpenMP, this linker replaces it by one that registers the machine code, too ([`crate::registration`]). For CUDA
//! and HIP the images lie in one container, which gets a larger one's bytes ([`crate::containers`]).

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use codegen::{CodeObjectOptions, CompileError, Compiler, PtxOptions};
use device_image::{Image, ImageKind};
use object::{Object, ObjectSection, SectionFlags, elf};
use omptarget_driver::{Failure, Result, clang, dist};

use crate::aot::{ARCHITECTURE, LINKER, Maker};
use crate::registration;
use crate::{containers, device_object};

/// The section of device images.
const SECTION: &str = ".llvm.offloading";
/// The optimisation level of machine code.
const LEVEL: u8 = 2;

/// The linker's options.
#[derive(Debug, PartialEq, Eq)]
struct Job {
    /// Of several images that run on a device, the first is taken: the newest, and generic processors last.
    architectures: Vec<String>,
    linker: OsString,
    arguments: Vec<OsString>,
}

impl Job {
    fn of(words: impl Iterator<Item = OsString>) -> Job {
        let mut job = Job {
            architectures: Vec::new(),
            linker: "ld".into(),
            arguments: Vec::new(),
        };
        for word in words {
            let text = word.to_string_lossy();
            if let Some(name) = text.strip_prefix(ARCHITECTURE) {
                job.architectures.push(name.to_owned());
            } else if let Some(linker) = text.strip_prefix(LINKER) {
                job.linker = linker.into();
            } else {
                job.arguments.push(word);
            }
        }
        // sm_100 is newer than sm_90; gfx90a:xnack- says more than gfx90a.
        job.architectures.sort_by_key(|name| {
            let newest = std::cmp::Reverse((name.len(), name.clone()));
            (name.contains("-generic"), newest)
        });
        job
    }
}

/// Links. `words` are the arguments of a linker.
pub fn link(words: impl Iterator<Item = OsString>) -> Result<ExitCode> {
    let words: Vec<_> = words.collect();
    if device_object::is_asked(&words) {
        return device_object::link(&words);
    }
    let mut job = Job::of(words.into_iter());
    let folder = tempfile::tempdir().map_err(Failure::system("cannot make a temporary folder"))?;
    for index in 0..job.arguments.len() {
        let path = PathBuf::from(&job.arguments[index]);
        let object = folder.path().join(format!("{index}.images.o"));
        if complete(&path, &job.architectures, folder.path(), &object)? {
            job.arguments[index] = object.into();
        }
    }
    wait_for(Command::new(program(&job.linker)?).args(&job.arguments))
}

/// Runs a linker, and gives its exit code.
pub fn wait_for(linker: &mut Command) -> Result<ExitCode> {
    let cannot = format!("cannot start {}", linker.get_program().display());
    let status = linker.status().map_err(Failure::system(cannot))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

/// The path of a linker given by name. Clang knows where its own and the system's are.
pub fn program(name: &OsStr) -> Result<OsString> {
    if name.to_string_lossy().contains('/') {
        return Ok(name.to_owned());
    }
    let mut question = OsString::from("-print-prog-name=");
    question.push(name);
    let answer = Command::new(clang::find()?).arg(question).output();
    let answer = answer.map_err(Failure::system("cannot start clang"))?;
    Ok(String::from_utf8_lossy(&answer.stdout).trim().into())
}

/// Makes an object with machine code of one that registers device images. `false`: it registers none.
fn complete(path: &Path, architectures: &[String], folder: &Path, made: &Path) -> Result<bool> {
    if path.extension() != Some(OsStr::new("o")) || !path.is_file() {
        return Ok(false);
    }
    let name = path.display().to_string();
    let data = std::fs::read(path).map_err(Failure::system(format!("cannot read {name}")))?;
    let Ok(file) = object::File::parse(&*data) else {
        return Ok(false);
    };
    let wrong = |why: &dyn std::fmt::Display| Failure::File {
        file: name.clone(),
        why: why.to_string(),
    };
    if let Some(section) = loaded(&file, SECTION) {
        let content = section.data().map_err(|error| wrong(&error))?;
        registration::assemble(&with_machine_code(content, architectures, folder)?, made)?;
        return Ok(true);
    }
    for language in containers::LANGUAGES {
        let Some(section) = loaded(&file, language.section) else {
            continue;
        };
        let content = section.data().map_err(|error| wrong(&error))?;
        let images = with_machine_code(content, architectures, folder)?;
        let parsed = images
            .iter()
            .flat_map(|image| Image::parse(image).unwrap_or_default());
        let container = (language.pack)(&parsed.collect::<Vec<_>>());
        let object = containers::replaced(&data, section.index(), &container)
            .ok_or_else(|| wrong(&"it is no object of 64-bit ELF"))?;
        std::fs::write(made, object).map_err(Failure::system("cannot write an object"))?;
        return Ok(true);
    }
    Ok(false)
}

/// A section of a program's memory with content. In clang's other objects those of device images are for the linker
/// wrapper only.
pub fn loaded<'data, 'file>(
    file: &'file object::File<'data>,
    name: &str,
) -> Option<object::Section<'data, 'file>> {
    let is_loaded = |flags| match flags {
        SectionFlags::Elf { sh_flags, .. } => sh_flags.contains(elf::SHF_ALLOC),
        _ => false,
    };
    file.sections().find(|section| {
        section.name() == Ok(name) && is_loaded(section.flags()) && section.size() > 0
    })
}

/// Machine code for every architecture, then the images. Each is an `OffloadBinary`.
fn with_machine_code(
    section: &[u8],
    architectures: &[String],
    folder: &Path,
) -> Result<Vec<Vec<u8>>> {
    let images =
        Image::parse(section).map_err(|error| Failure::Other(format!("--aot: {error}")))?;
    let mut all = Vec::new();
    for arch in architectures {
        let maker = Maker::of(arch).expect("the command has checked its list");
        let bitcode = source(&images, maker, arch)?;
        let bytes = match maker {
            Maker::Nvidia => cubin(bitcode.bytes, arch, folder)?,
            Maker::Amd => code_object(bitcode.bytes, arch)?,
        };
        let image = Image {
            kind: ImageKind::Object,
            triple: bitcode.triple,
            arch,
            bytes: &bytes,
        };
        all.push(image.wrap());
    }
    all.extend(images.iter().map(Image::wrap));
    Ok(all)
}

/// The bitcode to make machine code of: that of the same architecture, else the first of the maker's.
fn source<'a>(images: &'a [Image<'a>], maker: Maker, arch: &str) -> Result<&'a Image<'a>> {
    let bitcode = || {
        let all = images.iter();
        all.filter(|it| it.kind == ImageKind::Bitcode && it.triple.starts_with(maker.triple()))
    };
    let same = bitcode().find(|image| Some(image.arch) == arch.split(':').next());
    same.or_else(|| bitcode().next()).ok_or_else(|| {
        let kinds: Vec<_> = images.iter().map(ToString::to_string).collect();
        let (name, option) = maker.describe();
        Failure::Other(format!(
            "--aot={arch}: the program has no bitcode for {name} GPUs to make machine code from, only {}; compile \
             with dist/etc/omptarget.cfg and {option}",
            kinds.join(", ")
        ))
    })
}

/// An answer of the device compiler.
fn compiled<T>(
    arch: &str,
    ask: impl FnOnce(Compiler) -> std::result::Result<T, CompileError>,
) -> Result<T> {
    let answer = Compiler::locate().and_then(ask);
    answer.map_err(|error| Failure::Other(format!("--aot={arch}: {error}")))
}

/// Compiles bitcode to a code object.
fn code_object(bitcode: &[u8], arch: &str) -> Result<Vec<u8>> {
    let options = CodeObjectOptions {
        processor: arch.to_owned(),
        level: LEVEL,
    };
    compiled(arch, |compiler| compiler.code_object(bitcode, &options))
}

/// Compiles bitcode to PTX, and PTX to a cubin.
fn cubin(bitcode: &[u8], arch: &str, folder: &Path) -> Result<Vec<u8>> {
    let ptxas = dist::file("cuda-stub/bin/ptxas")?;
    let run = |arguments: &[&OsStr]| {
        let status = Command::new(&ptxas)
            .arg("-arch")
            .arg(arch)
            .args(arguments)
            .output();
        let output = status.map_err(Failure::system("cannot start ptxas"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        Err(Failure::Other(format!("--aot={arch}: {said}")))
    };
    // First check whether there is an assembler for the architecture; then compile.
    run(&["--version".as_ref()])?;
    let options = PtxOptions {
        arch: arch.to_owned(),
        level: LEVEL,
    };
    let ptx = compiled(arch, |compiler| compiler.ptx(bitcode, &options))?;
    let (source, object) = (folder.join("image.ptx"), folder.join("image.cubin"));
    std::fs::write(&source, ptx).map_err(Failure::system("cannot write PTX"))?;
    run(&[
        "-O3".as_ref(),
        // Line tables cost nothing at run time. Error messages and profilers need them to name source lines.
        "--generate-line-info".as_ref(),
        "--suppress-stack-size-warning".as_ref(),
        "-o".as_ref(),
        object.as_ref(),
        source.as_ref(),
    ])?;
    std::fs::read(&object).map_err(Failure::system("cannot read what ptxas made"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_told_apart() {
        let words = [
            "-o",
            "x",
            "--omptarget-aot=sm_90",
            "--omptarget-aot=sm_100",
            "a.o",
        ];
        let told = Job::of(words.iter().map(OsString::from));
        assert_eq!(told.architectures, ["sm_100", "sm_90"]);
        assert_eq!(told.linker, "ld");
        assert_eq!(told.arguments, ["-o", "x", "a.o"].map(OsString::from));
        let amd = ["gfx11-generic", "gfx1100", "gfx90a:xnack-", "gfx90a"];
        let words = amd.map(|name| format!("--omptarget-aot={name}").into());
        assert_eq!(
            Job::of(words.into_iter()).architectures,
            ["gfx90a:xnack-", "gfx1100", "gfx90a", "gfx11-generic"]
        );
        let other = Job::of(["--omptarget-linker=ld.lld".into()].into_iter());
        assert_eq!(other.linker, "ld.lld");
    }
}

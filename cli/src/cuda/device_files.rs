//! `nvcc -ptx`, `-fatbin` and `-cubin`: files with device code alone, which programs load by the driver's interface.
//!
//! A fat binary has bitcode, which serves every device, and so has what stands in for a cubin.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use device_image::{Image, ImageKind, fat_binary};
use omptarget_driver::{Failure, Result};

use super::{clang, nvcc, wait_for};

/// A kind of such files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Ptx,
    /// A fat binary, by this extension.
    Container(&'static str),
}

/// The option of each kind. `nvcc` takes one dash and two.
const OPTIONS: [(&str, Kind); 3] = [
    ("ptx", Kind::Ptx),
    ("fatbin", Kind::Container("fatbin")),
    ("cubin", Kind::Container("cubin")),
];

/// What a command line of `nvcc` asks for, and its other arguments. `None`: it is about the host's code, too.
pub fn asked(arguments: &[OsString]) -> Option<(Kind, Vec<OsString>)> {
    let kind_of = |argument: &OsString| {
        let name = argument.to_str()?.strip_prefix('-')?;
        let name = name.strip_prefix('-').unwrap_or(name);
        let known = OPTIONS.iter().find(|(option, _)| *option == name);
        known.map(|(_, kind)| *kind)
    };
    let kind = arguments.iter().find_map(kind_of)?;
    let others = arguments.iter().filter(|it| kind_of(it).is_none());
    Some((kind, others.cloned().collect()))
}

/// Makes the file.
pub fn make(kind: Kind, arguments: &[OsString]) -> Result<()> {
    let (output, rest) = output_of(kind, arguments)?;
    let (mut command, rest) = clang(&nvcc::translate(&rest)?)?;
    command.arg("--cuda-device-only");
    match kind {
        Kind::Ptx => {
            command.args(["-fno-gpu-rdc", "-fno-offload-lto", "-S"]);
            wait_for(command.args(rest).arg("-o").arg(&output))
        }
        Kind::Container(_) => {
            let folder = tempfile::tempdir();
            let folder = folder.map_err(Failure::system("cannot make a temporary folder"))?;
            let bitcode = folder.path().join("device.bc");
            command.args(["-emit-llvm", "-c"]);
            wait_for(command.args(rest).arg("-o").arg(&bitcode))?;
            let bytes = std::fs::read(&bitcode).map_err(Failure::system("cannot read bitcode"))?;
            let image = Image {
                kind: ImageKind::Bitcode,
                triple: "nvptx64-nvidia-cuda",
                arch: "sm_80",
                bytes: &bytes,
            };
            let cannot = format!("cannot write {}", output.display());
            std::fs::write(&output, fat_binary(&image.wrap())).map_err(Failure::system(cannot))
        }
    }
}

/// Where the file goes, and the arguments without that: the source's name with another extension, unless `-o` names
/// it.
fn output_of(kind: Kind, arguments: &[OsString]) -> Result<(PathBuf, Vec<OsString>)> {
    let mut rest = arguments.to_vec();
    let option = |it: &OsString| it == "-o" || it == "--output-file";
    if let Some(at) = rest.iter().position(option) {
        if at + 1 == rest.len() {
            return Err(Failure::Usage("-o has no value".into()));
        }
        let output = rest.drain(at..at + 2).nth(1).unwrap_or_default();
        return Ok((output.into(), rest));
    }
    let is_source = |it: &&OsString| Path::new(it).extension().is_some_and(|it| it == "cu");
    let source = rest.iter().find(is_source).map(Path::new);
    let name = source.and_then(Path::file_stem).ok_or_else(|| {
        Failure::Usage("there is no .cu file to make device code of, and no -o".into())
    })?;
    let extension = match kind {
        Kind::Ptx => "ptx",
        Kind::Container(extension) => extension,
    };
    Ok((Path::new(name).with_extension(extension), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn command_lines() {
        assert_eq!(asked(&words("-c a.cu")), None);
        let (kind, rest) = asked(&words("-O2 --fatbin d/a.cu")).expect("a fat binary");
        assert_eq!(kind, Kind::Container("fatbin"));
        let (output, rest) = output_of(kind, &rest).expect("a name");
        assert_eq!((output, rest), ("a.fatbin".into(), words("-O2 d/a.cu")));
        let (kind, rest) = asked(&words("-ptx -o b a.cu")).expect("PTX");
        assert_eq!(kind, Kind::Ptx);
        let (output, rest) = output_of(kind, &rest).expect("a name");
        assert_eq!((output, rest), ("b".into(), words("a.cu")));
        assert!(output_of(kind, &words("a.o -o")).is_err());
    }
}

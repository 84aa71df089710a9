//! Arguments of NVIDIA's `nvcc` as arguments of clang, so that build files written for it serve.
//!
//! The architectures that they name are left out: the image is bitcode, which serves every GPU.

use std::ffi::OsString;
use std::path::Path;

use omptarget_driver::{Failure, Result};

/// The name under which this command takes `nvcc`'s arguments.
pub const PROGRAM: &str = "nvcc";

/// What becomes of an option. Its value is what follows `=`, or the next argument.
enum Meaning {
    /// It says nothing to clang.
    Nothing,
    /// The same with a value.
    NothingWithValue,
    /// `-g`, and device code that is not optimised.
    Debug,
    /// Another option.
    Is(&'static str),
    /// The value, behind a text.
    Joined(&'static str),
    /// The values between commas are options of the host's compiler.
    Compiler,
    /// The values between commas are options of the linker.
    Linker,
    /// `-ffp-contract=off` for `false`.
    Contract,
    /// `cu` is `cuda`.
    Language,
    /// The file to write.
    Output,
    /// Device code alone, as PTX, in a file with this name's ending: drivers load it in place of machine code.
    Device(&'static str),
}

/// The options with which clang makes PTX of device code.
const DEVICE: [&str; 4] = [
    "--cuda-device-only",
    "-fno-offload-lto",
    "-fno-gpu-rdc",
    "-S",
];

/// The options that clang does not have, or has with another meaning. `nvcc` takes long names with one dash, too.
const OPTIONS: &[(&[&str], Meaning)] = &[
    (&["arch", "gpu-architecture"], Meaning::NothingWithValue),
    (&["code", "gpu-code"], Meaning::NothingWithValue),
    (&["gencode", "generate-code"], Meaning::NothingWithValue),
    (&["ccbin", "compiler-bindir"], Meaning::NothingWithValue),
    (&["cudart"], Meaning::NothingWithValue),
    (
        &["rdc", "relocatable-device-code"],
        Meaning::NothingWithValue,
    ),
    (&["maxrregcount"], Meaning::NothingWithValue),
    (&["Xptxas", "ptxas-options"], Meaning::NothingWithValue),
    (&["Xnvlink", "nvlink-options"], Meaning::NothingWithValue),
    (
        &["Xcudafe", "diag-suppress", "diag-error", "diag-warn"],
        Meaning::NothingWithValue,
    ),
    (
        &["t", "threads", "split-compile"],
        Meaning::NothingWithValue,
    ),
    (&["m", "machine"], Meaning::NothingWithValue),
    (&["keep-dir"], Meaning::NothingWithValue),
    (&["ftz", "prec-div", "prec-sqrt"], Meaning::NothingWithValue),
    (
        &["m64", "restrict", "keep", "resource-usage", "res-usage"],
        Meaning::Nothing,
    ),
    (
        &[
            "extended-lambda",
            "expt-extended-lambda",
            "expt-relaxed-constexpr",
        ],
        Meaning::Nothing,
    ),
    (
        &[
            "forward-unknown-to-host-compiler",
            "forward-unknown-opts",
            "Wno-deprecated-gpu-targets",
        ],
        Meaning::Nothing,
    ),
    (&["source-in-ptx", "src-in-ptx"], Meaning::Nothing),
    (
        &["lineinfo", "generate-line-info"],
        Meaning::Is("-gline-tables-only"),
    ),
    (&["G", "device-debug"], Meaning::Debug),
    (&["dc", "device-c", "compile"], Meaning::Is("-c")),
    (&["verbose"], Meaning::Is("-v")),
    // One C++ file for the host's compiler: there is none between.
    (&["cuda"], Meaning::Is("-fsyntax-only")),
    (
        &["use_fast_math"],
        Meaning::Is("-fgpu-approx-transcendentals"),
    ),
    (&["fmad"], Meaning::Contract),
    (
        &["default-stream"],
        Meaning::Joined("-fgpu-default-stream="),
    ),
    (&["std"], Meaning::Joined("-std=")),
    (&["optimize"], Meaning::Joined("-O")),
    (&["define-macro"], Meaning::Joined("-D")),
    (&["include-path"], Meaning::Joined("-I")),
    (&["library-path"], Meaning::Joined("-L")),
    (&["library"], Meaning::Joined("-l")),
    (&["Xcompiler", "compiler-options"], Meaning::Compiler),
    (&["Xlinker", "linker-options"], Meaning::Linker),
    (&["x"], Meaning::Language),
    (&["ptx"], Meaning::Device("ptx")),
    (&["cubin"], Meaning::Device("cubin")),
    (&["fatbin"], Meaning::Device("fatbin")),
    (&["output-file"], Meaning::Output),
];

/// The options that name a file with arguments.
const FILES: [&str; 2] = ["--options-file", "-optf"];

/// The arguments with those of files in the place of the options that name them. In a file, they are as in a shell.
pub fn with_files(arguments: &[OsString]) -> Result<Vec<OsString>> {
    let mut all = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        let (name, joined) = match text.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (&*text, None),
        };
        if !FILES.contains(&name) {
            all.push(argument.clone());
            continue;
        }
        let missing = || Failure::Usage(format!("{name} has no value"));
        let file = joined
            .or_else(|| rest.next().cloned())
            .ok_or_else(missing)?;
        let cannot = format!("cannot read {}", file.display());
        let content = std::fs::read_to_string(&file).map_err(Failure::system(cannot))?;
        let words = shlex::split(&content).ok_or_else(|| Failure::File {
            file: file.display().to_string(),
            why: "a quotation in it has no end".into(),
        })?;
        all.extend(words.into_iter().map(OsString::from));
    }
    Ok(all)
}

/// The arguments of a command line, between those of two variables that build files leave to their users.
pub fn with_environment(arguments: &[OsString]) -> Vec<OsString> {
    let words = |variable| {
        let text = std::env::var(variable).unwrap_or_default();
        let words: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
        words
    };
    let mut all = words("NVCC_PREPEND_FLAGS");
    all.extend(arguments.iter().cloned());
    all.extend(words("NVCC_APPEND_FLAGS"));
    all
}

/// The arguments for clang.
pub fn translate(arguments: &[OsString]) -> Result<Vec<OsString>> {
    let mut made = Vec::new();
    let mut device = None;
    let mut debugs_device = false;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some((meaning, joined)) = argument.to_str().and_then(meaning) else {
            made.push(argument.clone());
            continue;
        };
        let mut value = || {
            let next = || rest.next().map(|next| next.to_string_lossy().into_owned());
            let missing = || Failure::Usage(format!("{} has no value", argument.display()));
            joined.map(str::to_string).or_else(next).ok_or_else(missing)
        };
        match meaning {
            Meaning::Nothing => {}
            Meaning::Output => made.extend(["-o".into(), value()?.into()]),
            Meaning::Device(ending) => device = Some(*ending),
            Meaning::NothingWithValue => drop(value()?),
            Meaning::Debug => {
                debugs_device = true;
                made.push("-g".into());
            }
            Meaning::Is(other) => made.push(other.into()),
            Meaning::Joined(before) => made.push(format!("{before}{}", value()?).into()),
            Meaning::Compiler => made.extend(value()?.split(',').flat_map(for_host)),
            Meaning::Linker => made.push(format!("-Wl,{}", value()?).into()),
            Meaning::Contract if value()? == "false" => made.push("-ffp-contract=off".into()),
            Meaning::Contract => {}
            Meaning::Language => {
                let name = value()?;
                made.push("-x".into());
                made.push(if name == "cu" {
                    "cuda".into()
                } else {
                    name.into()
                });
            }
        }
    }
    if let Some(ending) = device {
        made.extend(DEVICE.map(OsString::from));
        if !made.iter().any(|argument| argument == "-o") {
            made.extend(output(&made, ending).into_iter().flatten());
        }
    }
    // `cudart/include/nvcc_omptarget.h` makes `__NVCC__` of it.
    made.push("-DOMPTARGET_AS_NVCC".into());
    // `nvcc` warns of this word of old C++ whatever the standard, and clang refuses it in C++17.
    made.push("-Wno-register".into());
    // To it, mathematical functions of constants are constants.
    made.push("-Wno-invalid-constexpr".into());
    if !debugs_device {
        made.extend(levels(&made).iter().map(OsString::from));
    }
    Ok(made)
}

/// What says how well code is optimised, where the arguments leave it to the compiler. `-g` and `-O0` of `nvcc` are
/// about the host's code; it optimises device code unless `-G` says that somebody wants to debug it.
fn levels(arguments: &[OsString]) -> &'static [&'static str] {
    let has = |wanted: fn(&str) -> bool| arguments.iter().any(|one| wanted(&one.to_string_lossy()));
    if has(|one| one.starts_with("-O") && one != "-O0" || one == "--version") {
        return &[];
    }
    match has(|one| one == "-O0" || one == "-g") {
        // The option has no use where objects are linked, which clang need not say.
        true => &[
            "--start-no-unused-arguments",
            "-Xarch_device",
            "-O2",
            "--end-no-unused-arguments",
        ],
        false => &["-O2"],
    }
}

/// The file of device code that goes with a source, in the current folder.
fn output(arguments: &[OsString], ending: &str) -> Option<[OsString; 2]> {
    let mut sources = arguments.iter().map(Path::new).rev();
    let is_source = |path: &&Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        matches!(ending, Some("cu" | "cpp" | "cc" | "cxx" | "c"))
    };
    let source = sources.find(is_source)?;
    let made = Path::new(source.file_name()?).with_extension(ending);
    Some(["-o".into(), made.into()])
}

/// What an argument means, with the value behind its `=`. `None`: clang takes it as it is.
fn meaning(argument: &str) -> Option<(&'static Meaning, Option<&str>)> {
    let name = argument.strip_prefix('-')?;
    let name = name.strip_prefix('-').unwrap_or(name);
    let (name, joined) = match name.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (name, None),
    };
    let (_, meaning) = OPTIONS.iter().find(|(names, _)| names.contains(&name))?;
    Some((meaning, joined))
}

/// An option of the host's compiler. Options of the host's machine are not for device code.
fn for_host(option: &str) -> Vec<OsString> {
    let option = option.trim_matches(['"', '\'']);
    match option {
        "-m64" => Vec::new(),
        _ if option.starts_with("-m") => vec!["-Xarch_host".into(), option.into()],
        _ => vec![option.into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each command line gets.
    const ALWAYS: &str = "-DOMPTARGET_AS_NVCC -Wno-register -Wno-invalid-constexpr";

    fn translated(arguments: &str) -> String {
        let words: Vec<OsString> = arguments.split(' ').map(OsString::from).collect();
        let made = translate(&words).expect("a value for each option");
        let made: Vec<_> = made.iter().map(|word| word.to_string_lossy()).collect();
        made.join(" ")
    }

    #[test]
    fn a_makefile_of_nvcc() {
        let given = "-std=c++17 -Xcompiler -Wall,-march=native -arch=sm_60 -gencode arch=compute_60,code=sm_60 -O3 -dc";
        let made = "-std=c++17 -Wall -Xarch_host -march=native -O3 -c";
        assert_eq!(translated(given), format!("{made} {ALWAYS}"));
    }

    #[test]
    fn device_code_is_optimised_unless_debugged() {
        assert_eq!(
            translated("-x cu a.cpp"),
            format!("-x cuda a.cpp {ALWAYS} -O2")
        );
        assert_eq!(translated("-G a.cu"), format!("-g a.cu {ALWAYS}"));
        let device = "--start-no-unused-arguments -Xarch_device -O2 --end-no-unused-arguments";
        for host in ["-g", "-O0"] {
            assert_eq!(
                translated(&format!("{host} a.cu")),
                format!("{host} a.cu {ALWAYS} {device}")
            );
        }
        assert_eq!(
            translated("--fmad=false --use_fast_math a.cu"),
            format!("-ffp-contract=off -fgpu-approx-transcendentals a.cu {ALWAYS} -O2")
        );
    }

    #[test]
    fn device_code_alone() {
        let device = "--cuda-device-only -fno-offload-lto -fno-gpu-rdc -S";
        assert_eq!(
            translated("--cubin -arch sm_80 lib/kernel.cu"),
            format!("lib/kernel.cu {device} -o kernel.cubin {ALWAYS} -O2")
        );
        assert_eq!(
            translated("-ptx a.cu --output-file b.ptx"),
            format!("a.cu -o b.ptx {device} {ALWAYS} -O2")
        );
    }

    #[test]
    fn arguments_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("options");
        std::fs::write(&file, "-O2 'a b.o'\nc.o").unwrap();
        let given = [
            "-c".into(),
            "-optf".into(),
            file.clone().into(),
            "d.o".into(),
        ];
        let all = with_files(&given).unwrap();
        assert_eq!(all, ["-c", "-O2", "a b.o", "c.o", "d.o"]);
        std::fs::write(&file, "'a").unwrap();
        assert!(with_files(&given).is_err());
        assert!(with_files(&["--options-file".into()]).is_err());
    }

    #[test]
    fn a_value_may_be_missing() {
        assert!(translate(&["-arch".into()]).is_err());
    }
}

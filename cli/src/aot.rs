//! `--aot=sm_80,gfx90a` of `omptarget cc`: machine code made ahead of time. Clang links through our linker
//! ([`crate::linker`]), which makes the machine code.

use std::ffi::OsString;
use std::process::Command;

use omptarget_driver::{Failure, Result, clang, dist};

/// The option.
const OPTION: &str = "--aot=";
/// The options that our linker gets: one for each architecture, and one for the linker that it calls.
pub const ARCHITECTURE: &str = "--omptarget-aot=";
/// See [`ARCHITECTURE`].
pub const LINKER: &str = "--omptarget-linker=";
/// The name under which this program is our linker.
pub const PROGRAM: &str = "omptarget-ld";

/// A maker of GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// `sm_80`
    Nvidia,
    /// `gfx90a`
    Amd,
}

impl Maker {
    /// The maker of an architecture: `sm_80`, `sm_90a`; `gfx90a`, `gfx90a:xnack-`, `gfx11-generic`. Whether there is
    /// such a GPU the compilers know.
    pub fn of(architecture: &str) -> Option<Maker> {
        if let Some(rest) = architecture.strip_prefix("sm_") {
            let digits = rest.trim_end_matches(['a', 'f']);
            let good =
                (2..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
            return good.then_some(Maker::Nvidia);
        }
        let (processor, settings) = match architecture.split_once(':') {
            Some((processor, settings)) => (processor, Some(settings)),
            None => (architecture, None),
        };
        let is_word = |text: &str| {
            let is_good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            !text.is_empty() && text.bytes().all(is_good)
        };
        let is_setting = |text: &str| text.strip_suffix(['+', '-']).is_some_and(is_word);
        let good = processor.strip_prefix("gfx").is_some_and(is_word)
            && settings.is_none_or(|settings| settings.split(':').all(is_setting));
        good.then_some(Maker::Amd)
    }

    /// What the triples of its GPUs begin with.
    pub fn triple(self) -> &'static str {
        match self {
            Maker::Nvidia => "nvptx64",
            Maker::Amd => "amdgcn",
        }
    }

    /// Its name, and the option by which clang compiles for its GPUs.
    pub fn describe(self) -> (&'static str, &'static str) {
        match self {
            Maker::Nvidia => ("NVIDIA", "--offload-arch=sm_80"),
            Maker::Amd => ("AMD", "--offload-arch=gfx90a"),
        }
    }
}

/// The architectures that `arguments` ask for, and the other arguments.
pub fn split(arguments: &[OsString]) -> Result<(Vec<String>, Vec<OsString>)> {
    let mut architectures: Vec<String> = Vec::new();
    let mut others = Vec::new();
    for argument in arguments {
        let text = argument.to_string_lossy();
        if text == "--aot" {
            return Err(Failure::Usage(
                "--aot needs architectures: --aot=sm_80,gfx90a".into(),
            ));
        }
        let Some(list) = text.strip_prefix(OPTION) else {
            others.push(argument.clone());
            continue;
        };
        for name in list.split(',') {
            if Maker::of(name).is_none() {
                return Err(Failure::Usage(format!(
                    "{argument}: {name:?} is neither an architecture of NVIDIA's such as sm_80 nor a processor of \
                     AMD's such as gfx90a",
                    argument = argument.display()
                )));
            }
            if !architectures.iter().any(|known| known == name) {
                architectures.push(name.to_owned());
            }
        }
    }
    Ok((architectures, others))
}

/// The GPUs to compile bitcode for where the command line names none: one of each maker in the list. The bitcode of a
/// GPU with waves of 64 lanes serves most of AMD's.
pub fn offload(architectures: &[String], arguments: &[OsString]) -> Vec<OsString> {
    let amd = |name: &&String| Maker::of(name) == Some(Maker::Amd);
    let of_amd = || architectures.iter().filter(amd);
    let Some(any) = of_amd().next() else {
        return Vec::new(); // NVIDIA's is the configuration file's.
    };
    if arguments.iter().any(|argument| clang::names_gpu(argument)) {
        return Vec::new();
    }
    let chosen = of_amd().find(|name| has_waves_of_64(name)).unwrap_or(any);
    let processor = chosen.split(':').next().unwrap_or_default();
    let nvidia = (of_amd().count() < architectures.len()).then(|| "--offload-arch=sm_80".into());
    nvidia
        .into_iter()
        .chain([format!("--offload-arch={processor}").into()])
        .collect()
}

/// Whether a processor of AMD's has waves of 64 lanes only, as all before gfx10.
fn has_waves_of_64(processor: &str) -> bool {
    let name = processor.split(':').next().unwrap_or_default();
    let number = name.strip_prefix("gfx").unwrap_or_default();
    let major = match number.split_once('-') {
        Some((major, _)) => major,
        // The last two digits are minor version and stepping.
        None => &number[..number.len().saturating_sub(2)],
    };
    major.parse::<u32>().is_ok_and(|major| major < 10)
}

/// Makes `clang` link through our linker. `arguments` may name the linker that ours is to call.
pub fn request(
    clang: &mut Command,
    architectures: &[String],
    arguments: &[OsString],
) -> Result<()> {
    // Nothing is linked with -c and the like.
    clang.arg("--start-no-unused-arguments").arg(own_linker()?);
    for name in architectures {
        clang.arg(format!("-Wl,{ARCHITECTURE}{name}"));
    }
    if let Some(linker) = linker(arguments) {
        let mut told = OsString::from(format!("-Wl,{LINKER}"));
        told.push(linker);
        clang.arg(told);
    }
    clang.arg("--end-no-unused-arguments");
    Ok(())
}

/// The option by which clang links through our linker.
pub fn own_linker() -> Result<OsString> {
    let mut option = OsString::from("--ld-path=");
    option.push(dist::file(&format!("libexec/{PROGRAM}"))?);
    Ok(option)
}

/// The linker that the arguments ask for: `--ld-path=FILE`, `-fuse-ld=NAME` (`ld.NAME`) or `-fuse-ld=FILE`.
fn linker(arguments: &[OsString]) -> Option<OsString> {
    arguments.iter().rev().find_map(|argument| {
        let text = argument.to_str()?;
        if let Some(path) = text.strip_prefix("--ld-path=") {
            return Some(path.into());
        }
        let name = text.strip_prefix("-fuse-ld=")?;
        Some(match (name.contains('/'), name) {
            (true, file) => file.into(),
            (false, "ld" | "") => "ld".into(),
            (false, name) => format!("ld.{name}").into(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn architectures_are_taken_out() {
        let (architectures, others) = split(&owned(&[
            "-O2",
            "--aot=sm_80,sm_90a",
            "a.c",
            "--aot=sm_80,gfx90a:xnack-",
        ]))
        .unwrap();
        assert_eq!(architectures, ["sm_80", "sm_90a", "gfx90a:xnack-"]);
        assert_eq!(others, owned(&["-O2", "a.c"]));
    }

    #[test]
    fn what_is_no_architecture_is_refused() {
        for wrong in [
            "--aot=",
            "--aot=gfx",
            "--aot=gfx90a:",
            "--aot=gfx90a:xnack",
            "--aot=sm_80,",
            "--aot=sm_8",
            "--aot=90",
            "--aot",
        ] {
            let refused = split(&owned(&[wrong])).unwrap_err().to_string();
            assert!(refused.contains("sm_80"), "{wrong}: {refused}");
        }
    }

    /// Bitcode for every maker in the list, unless the user has chosen.
    #[test]
    fn the_makers_in_the_list_get_bitcode() {
        let of = |list: &[&str], arguments: &[&str]| {
            let list: Vec<String> = list.iter().map(|&name| name.to_owned()).collect();
            let told = offload(&list, &owned(arguments));
            told.iter()
                .map(|it| it.display().to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(of(&["sm_90"], &[]), "");
        assert_eq!(of(&["gfx1100", "gfx1030"], &[]), "--offload-arch=gfx1100");
        assert_eq!(
            of(&["sm_90", "gfx1100", "gfx942:xnack-"], &[]),
            "--offload-arch=sm_80 --offload-arch=gfx942"
        );
        assert_eq!(
            of(&["gfx11-generic", "gfx9-4-generic"], &[]),
            "--offload-arch=gfx9-4-generic"
        );
        assert_eq!(of(&["gfx90a"], &["--offload-arch=gfx906"]), "");
    }

    #[test]
    fn the_users_linker_is_known() {
        let of = |words: &[&str]| linker(&owned(words));
        assert_eq!(of(&["-O2"]), None);
        assert_eq!(of(&["-fuse-ld=lld"]), Some("ld.lld".into()));
        assert_eq!(
            of(&["-fuse-ld=bfd", "--ld-path=/x/ld"]),
            Some("/x/ld".into())
        );
        assert_eq!(of(&["-fuse-ld=/y/mold"]), Some("/y/mold".into()));
    }
}

//! `omptarget precompile`: compiles a program's kernels into the cache, so that its first run does not.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use codegen::Cache;
use device_families::{Verdict, judge};
use device_image::ImageKind;
use omptarget_driver::{Failure, Result};
use plugin_api::LoadOptions;

use crate::program_file::{find, requires_unified_shared_memory};
use crate::wanted_families::wanted;

const HELP: &str = "\
Examples:
  omptarget precompile ./program
  OMPTARGET_DEVICES=vgpu omptarget precompile ./program libkernels.so
  omptarget cc -O2 main.c -o program --precompile

The devices are those on which the program would run here, now: OMPTARGET_DEVICES and the settings of the virtual GPU
that change its code (OMPTARGET_VGPU_CPU, _ENGINE, _COUNT) count as for the program.";

/// Arguments of `omptarget precompile`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Options {
    /// Programs and shared libraries
    #[arg(required = true, value_name = "PROGRAM")]
    files: Vec<PathBuf>,
}

/// Asks `cc`, `c++` and `fc` to fill the cache for the program that they make.
const OPTION: &str = "--precompile";

/// The program to fill the cache for, if `arguments` ask for that, and the other arguments.
pub fn split(mut arguments: Vec<OsString>) -> Result<(Option<PathBuf>, Vec<OsString>)> {
    let words = arguments.len();
    arguments.retain(|argument| argument != OPTION);
    if arguments.len() == words {
        return Ok((None, arguments));
    }
    match output(&arguments) {
        Some(program) => Ok((Some(program), arguments)),
        None => Err(Failure::Usage(format!(
            "{OPTION} needs a program, and these arguments stop before one is linked"
        ))),
    }
}

/// The program that a compiler links with these arguments. None if they stop it before.
fn output(arguments: &[OsString]) -> Option<PathBuf> {
    let stops = ["-c", "-S", "-E", "-fsyntax-only", "-M", "-MM", "-###"];
    if arguments
        .iter()
        .any(|word| stops.iter().any(|stop| word == stop))
    {
        return None;
    }
    let named = arguments.iter().enumerate().rev().find_map(|(at, word)| {
        let text = word.to_str()?;
        match text.strip_prefix("-o")? {
            "" => arguments.get(at + 1).cloned(),
            file => Some(file.into()),
        }
    });
    Some(named.unwrap_or_else(|| "a.out".into()).into())
}

/// Compiles the files' images for the devices on which they would run.
pub fn precompile(options: &Options) -> Result<()> {
    options.files.iter().try_for_each(|file| fill(file))
}

/// Compiles a file's images for the devices on which it would run.
pub fn fill(file: &Path) -> Result<()> {
    let shown = file.display();
    if Cache::of_user().is_none() {
        return Err(Failure::Other(
            "there is no cache to fill: OMPTARGET_CACHE=0, or neither XDG_CACHE_HOME nor HOME is set".into(),
        ));
    }
    let wrong = |why: String| Failure::File {
        file: shown.to_string(),
        why,
    };
    let data = std::fs::read(file).map_err(Failure::system(format!("cannot read {shown}")))?;
    let found = find(&data).map_err(wrong)?;
    if found.is_empty() {
        return Err(wrong("it carries no device images".into()));
    }
    let images: Vec<_> = found.into_iter().map(|found| found.image).collect();
    let options = LoadOptions {
        unified_shared_memory: requires_unified_shared_memory(&data),
    };
    let verdicts = judge(&wanted()?, &images);
    if !verdicts.iter().any(Verdict::runs) {
        return Err(wrong(refusals(&verdicts)));
    }
    // Several devices of one architecture share what is compiled: the second finds it in the cache.
    for verdict in &verdicts {
        if let Ok(image) = &verdict.image {
            let begin = Instant::now();
            if image.kind == ImageKind::Bitcode {
                let prepared = verdict.device.prepare(image, &options);
                prepared.map_err(|error| wrong(error.to_string()))?;
            }
            let name = &verdict.device.info().name;
            let seconds = begin.elapsed().as_secs_f64();
            anstream::println!("{shown}: ready for {name} ({seconds:.1} s)");
        }
    }
    Ok(())
}

/// Why no device takes the program.
fn refusals(verdicts: &[Verdict<'_>]) -> String {
    let lines = verdicts.iter().filter_map(|verdict| {
        let why = verdict.image.as_ref().err()?;
        Some(format!("\n  {}: {why}", verdict.device.info().name))
    });
    format!("no device here runs it{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_taken_out() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let (program, rest) = split(words("a.c --precompile -o x")).unwrap();
        assert_eq!(
            (program, rest),
            (Some(PathBuf::from("x")), words("a.c -o x"))
        );
        assert_eq!(split(words("a.c")).unwrap(), (None, words("a.c")));
        assert!(matches!(
            split(words("-c a.c --precompile")),
            Err(Failure::Usage(_))
        ));
    }

    #[test]
    fn the_program_is_known() {
        let of = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            output(&words).map(|path| path.display().to_string())
        };
        assert_eq!(of(&["-O2", "a.c"]).as_deref(), Some("a.out"));
        assert_eq!(of(&["a.c", "-o", "x", "-lm"]).as_deref(), Some("x"));
        assert_eq!(of(&["-ox", "a.c", "-o", "y"]).as_deref(), Some("y"));
        assert_eq!(of(&["-c", "a.c", "-o", "a.o"]), None);
    }
}

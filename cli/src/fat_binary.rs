//! `fatbinary` for clang, which calls it to pack the device images of a CUDA program. Where NVIDIA's packs machine code
//! and PTX, this one packs bitcode, too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use device_image::{Image, fat_binary};
use omptarget_driver::{Failure, Result};

/// The name under which this command is `fatbinary`. clang looks for it in the folder that `--cuda-path` names.
pub const PROGRAM: &str = "fatbinary";

/// What is to be packed, and where the result goes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Job {
    output: PathBuf,
    images: Vec<Input>,
}

/// A file with an image.
#[derive(Debug, PartialEq, Eq)]
struct Input {
    architecture: String,
    file: PathBuf,
}

impl Job {
    fn of(words: impl Iterator<Item = OsString>) -> Result<Job> {
        let mut job = Job::default();
        let mut words = words.map(|word| word.to_string_lossy().into_owned());
        while let Some(word) = words.next() {
            match word.as_str() {
                "-64" => {}
                "--create" => job.output = words.next().unwrap_or_default().into(),
                _ => match word.strip_prefix("--image3=") {
                    Some(fields) => job.images.push(Input::of(fields)?),
                    None => return Err(unknown(&word)),
                },
            }
        }
        match job.output == Path::new("") || job.images.is_empty() {
            true => Err(Failure::Usage(
                "fatbinary of omptarget needs --create FILE and --image3=… (clang gives them)"
                    .into(),
            )),
            false => Ok(job),
        }
    }
}

fn unknown(word: &str) -> Failure {
    Failure::Usage(format!("fatbinary of omptarget does not know {word}"))
}

impl Input {
    /// `kind=elf,sm=80,file=x.img`. The kind is what clang assumes; the file says what it is.
    fn of(fields: &str) -> Result<Input> {
        let (attributes, file) = fields.split_once("file=").ok_or_else(|| unknown(fields))?;
        let mut attributes = attributes.split(',');
        let number = attributes.find_map(|field| field.strip_prefix("sm="));
        Ok(Input {
            architecture: format!("sm_{}", number.unwrap_or_default()),
            file: file.into(),
        })
    }

    /// The image in clang's container.
    fn wrapped(&self) -> Result<Vec<u8>> {
        let shown = self.file.display();
        let bytes =
            std::fs::read(&self.file).map_err(Failure::system(format!("cannot read {shown}")))?;
        let images = Image::parse(&bytes).map_err(|error| Failure::File {
            file: shown.to_string(),
            why: error.to_string(),
        })?;
        let wrapped = images.into_iter().map(|image| {
            let arch = match image.arch {
                "" => &self.architecture,
                own => own,
            };
            Image { arch, ..image }.wrap()
        });
        Ok(wrapped.collect::<Vec<_>>().concat())
    }
}

/// Packs images. `words` are the arguments of `fatbinary`.
pub fn pack(words: impl Iterator<Item = OsString>) -> Result<()> {
    let job = Job::of(words)?;
    let images = job.images.iter().map(Input::wrapped);
    let content = images.collect::<Result<Vec<_>>>()?.concat();
    let shown = job.output.display();
    std::fs::write(&job.output, fat_binary(&content))
        .map_err(Failure::system(format!("cannot write {shown}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(words: &str) -> Result<Job> {
        Job::of(words.split_whitespace().map(OsString::from))
    }

    #[test]
    fn clangs_arguments_are_understood() {
        let clangs = job("-64 --create a.fatbin --image3=kind=elf,sm=80,file=/tmp/x=y,z.img");
        let input = Input {
            architecture: "sm_80".into(),
            file: "/tmp/x=y,z.img".into(),
        };
        let expected = Job {
            output: "a.fatbin".into(),
            images: vec![input],
        };
        assert_eq!(clangs.expect("clang's arguments"), expected);
        for wrong in [
            "",
            "--create a",
            "--compress-all --create a --image3=file=b",
        ] {
            assert!(matches!(job(wrong), Err(Failure::Usage(_))), "{wrong:?}");
        }
    }
}

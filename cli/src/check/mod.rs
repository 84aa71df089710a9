//! `omptarget check`: runs a program with the checker and sums up what was found.

mod merge;
mod sarif;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use findings::{Checks, Finding};
use omptarget_driver::{Failure, Result};

use merge::Found;

use crate::finished_program;

const HELP: &str = "\
Examples:
  omptarget check ./program input.txt
  omptarget check --only memory,init ./program
  omptarget check --schedules 20 ./program       races and bugs of order, in 20 orders of blocks and threads
  omptarget check --sarif found.sarif ./program  for editors

A program that was compiled with -g has lines and names of mapped variables in its findings (docs/checker.md).
Exit code: 3 if something was found, otherwise that of the program.";

/// The exit code if something was found.
const FOUND: u8 = 3;

/// Arguments of `omptarget check`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Options {
    /// The checks: memory, race, init, sync, host
    #[arg(long, value_name = "LIST", default_value = "all", value_parser = checks)]
    only: String,
    /// Run the program N times, each in another random order of blocks and threads, and put the findings together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    schedules: Option<u32>,
    /// Print the findings as JSON; what the program prints goes to standard error
    #[arg(long)]
    json: bool,
    /// Write the findings to FILE, for editors (SARIF 2.1.0)
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// The program
    program: OsString,
    /// Its arguments
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

/// A list of checks that names at least one.
fn checks(text: &str) -> std::result::Result<String, String> {
    match Checks::parse(text)?.any() {
        true => Ok(text.to_owned()),
        false => Err("it names no check".into()),
    }
}

/// Runs the program, and reports.
pub fn check(options: &Options) -> Result<ExitCode> {
    let folder = tempfile::tempdir().map_err(Failure::system("cannot make a temporary folder"))?;
    let mut found = Found::default();
    let mut failed = None;
    for order in orders(options.schedules) {
        let report = folder.path().join("findings");
        let status = run(options, order.as_deref(), &report)?;
        if !status.success() {
            failed.get_or_insert(status);
        }
        for finding in read(&report)? {
            found.add(finding, order.as_deref());
        }
    }
    let found = found.into_findings();
    summarise(&found, options.schedules);
    if let Some(file) = &options.sarif {
        write(file, &sarif::log(&found))?;
    }
    if options.json {
        let text = serde_json::to_string_pretty(&found).expect("plain data becomes JSON");
        anstream::println!("{text}");
    }
    match (found.is_empty(), failed) {
        (false, _) => Ok(ExitCode::from(FOUND)),
        (true, Some(status)) => Err(Failure::Ended(status)),
        (true, None) => Ok(ExitCode::SUCCESS),
    }
}

/// The order of each run, as `OMPTARGET_VGPU_SCHEDULE` names it. `None`: as the program would run anyway.
fn orders(schedules: Option<u32>) -> Vec<Option<String>> {
    match schedules {
        None => vec![None],
        Some(count) => (1..=count)
            .map(|seed| Some(format!("random:{seed}")))
            .collect(),
    }
}

/// Runs the program to its end.
fn run(options: &Options, order: Option<&str>, report: &Path) -> Result<ExitStatus> {
    // What an earlier run left there has been read.
    let _gone = fs::remove_file(report);
    let program = finished_program::path(&options.program);
    let mut command = Command::new(&program);
    command
        .args(&options.arguments)
        .envs(finished_program::settings_of_static(&program)?)
        .env(findings::VARIABLE, &options.only)
        .env(findings::REPORT_VARIABLE, report);
    if let Some(order) = order {
        command.env("OMPTARGET_VGPU_SCHEDULE", order);
    }
    if options.json {
        command.stdout(Stdio::from(std::io::stderr()));
    }
    let shown = options.program.display();
    command
        .status()
        .map_err(Failure::system(format!("cannot start {shown}")))
}

/// The findings of a run. Without any there is no file.
fn read(report: &Path) -> Result<Vec<Finding>> {
    let text = match fs::read_to_string(report) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::system("cannot read the findings")(error)),
    };
    let line = |line| {
        serde_json::from_str(line).map_err(|error| {
            Failure::Other(format!(
                "a finding of the program's libraries is unreadable: {error}; are they of another version?"
            ))
        })
    };
    text.lines().map(line).collect()
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).map_err(Failure::system(format!("cannot write {}", file.display())))
}

/// How much was found, on standard error.
fn summarise(found: &[Finding], schedules: Option<u32>) {
    let runs = match schedules {
        None | Some(1) => String::new(),
        Some(count) => format!(" in {count} runs"),
    };
    match findings::count_kinds(found) {
        Some(text) => anstream::eprintln!("omptarget check: {text}{runs}"),
        None => anstream::eprintln!("omptarget check: nothing found{runs}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_schedule_is_a_run() {
        assert_eq!(orders(None), [None]);
        let two = orders(Some(2));
        assert_eq!(two, [Some("random:1".into()), Some("random:2".into())]);
    }

    #[test]
    fn lists_of_checks() {
        assert!(checks("memory,race").is_ok());
        assert!(checks("").is_err() && checks("speed").is_err());
    }
}

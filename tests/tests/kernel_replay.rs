//! `__tgt_activate_record_replay` and `__tgt_target_kernel_replay`, called as LLVM's tool for recorded kernels does.

use std::fs;
use std::path::Path;

use e2e::{Binary, Build, Mode, Outcome};
use serde_json::Value;

const PROGRAM: &str = "tests/programs/kernel_replay.c";

#[track_caller]
fn passed(binary: &Binary, arguments: &[&str]) -> Outcome {
    let outcome = binary.run(arguments);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "PASS\n"),
        "{arguments:?}: {outcome:?}"
    );
    outcome
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// The memory around `areas`, as one range: that is how the tool knows it.
fn memory(areas: &[Value], content: &[u8]) -> Vec<u8> {
    let mut memory = Vec::new();
    let mut rest = content;
    for area in areas {
        let (bytes, others) = rest.split_at(number(&area["size"]) as usize);
        rest = others;
        if let Some(offset) = area["place"]["block"].as_u64() {
            let begin = offset as usize;
            memory.resize(memory.len().max(begin + bytes.len()), 0);
            memory[begin..begin + bytes.len()].copy_from_slice(bytes);
        }
    }
    memory
}

fn replayed(binary: &Binary, folder: &Path, faults_are_caught: bool) {
    let recording = folder.join("omptarget-recording");
    let file = |name: &str| fs::read(recording.join(name)).expect("recorded");
    let description: Value = serde_json::from_slice(&file("recording.json")).expect("JSON");
    let areas = description["areas"].as_array().expect("a list");
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    fs::write(folder.join("memory"), memory(areas, &file("before"))).expect("written");

    let kernel = description["kernel"].as_str().expect("a name");
    let mut words = vec![
        "replay".into(),
        text(folder),
        kernel.to_owned(),
        text(&recording.join("image")),
        text(&folder.join("memory")),
        number(&description["base"]).to_string(),
        number(&description["grid"][0]).to_string(),
        number(&description["block"][0]).to_string(),
    ];
    let arguments = description["arguments"].as_array().expect("a list");
    words.extend(arguments.iter().map(|word| number(word).to_string()));
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = passed(binary, &words).stderr;
    for fact in [
        "a kernel is replayed only after __tgt_activate_record_replay",
        "the target region at 0x2 is in no registered device image",
        "do not fit into the",
        "bytes of recorded memory at 0x0",
        "-1 bytes of recorded memory",
        "arguments at 0x0 with offsets",
        "-1 arguments",
        "-1 teams",
        "device 99 does not exist",
    ] {
        assert!(said.contains(fact), "{fact:?} is not in {said}");
    }
    let output = fs::read(folder.join(format!("{kernel}.replay.output"))).expect("saved");
    assert!(output == memory(areas, &file("after")), "other memory");
    assert!(output != memory(areas, &file("before")), "nothing happened");

    if faults_are_caught {
        words[0] = "fault";
        let said = passed(binary, &words).stderr;
        for fact in ["which is not mapped on the device", "kernel replay"] {
            assert!(said.contains(fact), "{fact:?} is not in {said}");
        }
    }
}

/// A recording is replayed in another process, where memory has other addresses. The resulting memory is the same.
#[test]
fn a_recorded_kernel_is_replayed_as_the_tool_does() {
    for mode in [Mode::Offload("-O1"), Mode::HostDevice] {
        let binary = Build::new(&[PROGRAM]).compile(mode);
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let folder = scratch.path().to_str().expect("UTF-8");
        let said = passed(&binary, &["record", folder]).stderr;
        for fact in [
            "omptarget: recorded kernel __omp_offloading_",
            "activated once, before the first use",
        ] {
            assert!(said.contains(fact), "{fact:?} is not in {said}");
        }
        replayed(&binary, scratch.path(), mode != Mode::HostDevice);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for mode in [Mode::Offload("-O1"), Mode::HostDevice] {
        let binary = Build::new(&[PROGRAM]).compile(mode);
        let said = passed(&binary, &["refuse", "/"]).stderr;
        for fact in [
            "device 99 does not exist",
            "kernels are replayed on devices only, not on the host",
            "reserving 18446744073709551615 bytes",
            "reserving 1152921504606846976 bytes",
            "18446744073709551615 bytes at 0x1000 are not a valid range of memory",
            "activated once, before the first use",
            "activation of record and replay",
        ] {
            assert!(said.contains(fact), "{fact:?} is not in {said}");
        }
    }
}

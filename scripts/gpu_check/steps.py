"""What is run, step by step. A step never raises: it gives an outcome, with `why` where it failed or was skipped."""

import json
import shlex
import tempfile
from dataclasses import dataclass

from . import running
from .running import FAILED, LATE, PASSED, SKIPPED, outcome

# The three examples for compute-sanitizer: streaming, reductions across warps, barriers of part of a block.
SANITIZED = ("saxpy", "dot", "histogram")
SANITIZERS = ("memcheck", "racecheck", "synccheck")
# Constructs that LLVM 19's device runtime does not have on NVIDIA GPUs (bench/footprint.d/llvm-19-missing.ll).
LACKING = ("critical", "copyprivate")
# What deadlocks with it on the virtual GPU (bench/README.md, "epcc").
STUCK = ("ordered", "dynamic", "guided")
# What compute-sanitizer ends with when it has found something.
FOUND = 99


@dataclass
class Surroundings:
    """What steps work with."""

    bundle: object
    machine: object
    chosen: object  # the command line

    def run(self, words, seconds, library=None):
        environment = self.bundle.environment(self.chosen.devices, library)
        return running.run(words, seconds * self.chosen.limit, environment, self.bundle.root)

    def run_tool(self, words, seconds):
        """A tool of the machine's, or what it made: with its own libraries."""
        return running.run(words, seconds * self.chosen.limit, None, self.bundle.root)

    def file(self, *parts):
        return self.bundle.root.joinpath(*parts)

    def out(self, name):
        return self.chosen.out.resolve() / name

    @property
    def command(self):
        return self.file("bin", "omptarget")


def status_of(ended):
    return LATE if ended.late else PASSED if ended.code == 0 else FAILED


def of_all(results, **data):
    """A step's outcome from those of its parts."""
    bad = [part for part in results if part["status"] != PASSED]
    if not results:
        return outcome(SKIPPED, "the bundle has none", **data)
    return outcome(FAILED if bad else PASSED, f"{len(bad)} of {len(results)} failed" if bad else "", **data)


def devices(it):
    ended = it.run([it.command, "info", "--json"], 60)
    if ended.code != 0:
        return outcome(status_of(ended), ended.why())
    found = json.loads(ended.output)
    if not any(device["plugin"] == it.chosen.devices for device in found):
        return outcome(FAILED, f"the runtime finds no device of family {it.chosen.devices}", devices=found)
    return outcome(PASSED, devices=found)


def checking_programs(it, kind, seconds):
    """Runs all programs of a kind: each must end well, PASS the last that it says."""
    results = []
    for program in it.bundle.programs(kind):
        for arguments in program["runs"]:
            words = [word.format(data=it.file("data")) for word in arguments]
            ended = it.run([it.file(kind, program["name"]), *words], seconds)
            status = status_of(ended)
            if status == PASSED and not ended.output.endswith("PASS\n"):
                status = FAILED
            shown = " ".join([program["name"], *(word.rsplit("/", 1)[-1] for word in words)])
            results.append({"name": shown, "status": status, "why": "" if status == PASSED else ended.why()})
    return of_all(results, programs=results)


def examples(it):
    return checking_programs(it, "examples", 60)


def tests(it):
    return checking_programs(it, "tests", 120)


def measured_epcc(it, folder, name, options=(), library=None):
    """`omptarget bench epcc` with programs of the bundle."""
    words = [it.command, "bench", "epcc", "--programs", folder, "--json", "--svg", it.out(f"{name}.svg"), "--label", name,
             *options, *shlex.split(it.chosen.epcc)]
    ended = it.run(words, 600, library)
    if ended.code != 0:
        return outcome(status_of(ended), ended.why())
    it.out(f"{name}.json").write_text(ended.output)
    return outcome(PASSED, rows=json.loads(ended.output)["rows"])


def epcc(it):
    if not it.bundle.programs("epcc"):
        return outcome(SKIPPED, "the bundle has no EPCC program")
    return measured_epcc(it, it.file("epcc"), "epcc")


def measured_nested(it, folder, name, programs, library=None):
    """`omptarget bench nested` with programs of the bundle."""
    words = [it.command, "bench", "nested", "--programs", folder, "--only", ",".join(programs), "--size", it.chosen.size,
             "--runs", 11, "--limit", int(120 * it.chosen.limit) or 1, "--json", "--svg", it.out(f"{name}.svg")]
    ended = it.run(words, 900, library)
    try:
        report = json.loads(ended.output)
    except ValueError:
        return outcome(LATE if ended.late else FAILED, ended.why())
    # With some programs failed there are still the figures of the others.
    return outcome(status_of(ended), ended.error.strip(), report=report)


def nested(it):
    programs = [program["name"] for program in it.bundle.programs("nested")]
    if not programs:
        return outcome(SKIPPED, "the bundle has none")
    return measured_nested(it, it.file("nested"), "nested", programs)


def lines_of(ended):
    """The lines of JSON that a peer prints: what was measured to its samples and bytes."""
    lines = [json.loads(line) for line in ended.output.splitlines()]
    return {line["what"]: {"ns": line["ns"], "bytes": line["bytes"]} for line in lines}


def peer_arguments(it):
    return ["--elements", it.chosen.elements, "--samples", 21]


def in_cuda(it, name, folder):
    """Compiles and runs the CUDA side of a peer: its figures, or why there are none."""
    architecture = it.machine.gpus[0]["architecture"]
    program = f"{folder}/{name}"
    compiled = it.run_tool([it.machine.nvcc, "-O3", f"-arch={architecture}", it.file("peers", f"{name}.cu"), "-o", program], 240)
    if compiled.code != 0:
        return {}, f"nvcc {name}.cu {compiled.why()}"
    ended = it.run_tool([program, *peer_arguments(it)], 120)
    return (lines_of(ended), "") if ended.code == 0 else ({}, f"{name} in CUDA {ended.why()}")


def peers(it):
    figures, failures = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for program in it.bundle.programs("peers"):
            name = program["name"]
            ended = it.run([it.file("peers", name), *peer_arguments(it)], 240)
            if ended.code != 0:
                failures.append(f"{name} {ended.why()}")
            sides = {"openmp": lines_of(ended) if ended.code == 0 else {}, "cuda": {}}
            if it.machine.nvcc and it.machine.gpus:
                sides["cuda"], why = in_cuda(it, name, folder)
                failures += [why] if why else []
            for what in {**sides["openmp"], **sides["cuda"]}:
                figures[what] = {side: lines.get(what) for side, lines in sides.items()}
    if failures:
        return outcome(FAILED, "\n".join(failures), figures=figures)
    if not it.machine.nvcc:
        return outcome(SKIPPED, "no nvcc: CUDA's side was not measured (set CUDA_HOME, or PATH)", figures=figures)
    return outcome(PASSED, figures=figures)


def sanitizer(it):
    if not it.machine.sanitizer:
        return outcome(SKIPPED, "no compute-sanitizer (set CUDA_HOME, or PATH)")
    results = []
    for name in (program["name"] for program in it.bundle.programs("examples") if program["name"] in SANITIZED):
        for tool in SANITIZERS:
            words = [it.machine.sanitizer, "--tool", tool, "--error-exitcode", FOUND, it.file("examples", name)]
            ended = it.run(words, 180)
            results.append({"name": f"{tool} {name}", "status": status_of(ended),
                            "why": "" if ended.code == 0 else ended.why()})
    return of_all(results, programs=results)


def constructs_of_llvm(it, programs, library):
    """Options of `omptarget bench epcc` for what these programs have and LLVM's runtime too; the command line's own come first."""
    if "--constructs" in it.chosen.epcc:
        return []
    lists = [it.run([program, "--list"], 60, library).output for program in programs]
    names = [line.split("\t")[1] for text in lists for line in text.splitlines()]
    lacking = LACKING if it.machine.gpus else (*LACKING, *STUCK)
    return ["--constructs", ",".join(name for name in names if name not in lacking)]


def llvm(it):
    carried = it.bundle.manifest["llvm"]
    if not carried:
        return outcome(SKIPPED, "LLVM's runtime was not carried along (--llvm-device)")
    # Without a GPU our host runtime runs the bitcode.
    folder = "llvm" if it.machine.gpus else "llvm-vgpu"
    library = it.file("llvm", "lib") if carried["host"] == "LLVM's" and it.machine.gpus else None
    there = {kind: [program["name"] for program in it.bundle.programs(kind) if program["name"] not in carried["left out"]]
             for kind in ("epcc", "nested")}
    parts = {}
    if there["epcc"]:
        programs = [it.file(folder, "epcc", name) for name in there["epcc"]]
        options = constructs_of_llvm(it, programs, library)
        parts["epcc"] = measured_epcc(it, it.file(folder, "epcc"), "epcc-llvm", options, library)
    if there["nested"]:
        parts["nested"] = measured_nested(it, it.file(folder, "nested"), "nested-llvm", there["nested"], library)
    why = "; ".join(f"{name}: {part['why']}" for name, part in parts.items() if part["status"] != PASSED)
    return outcome(FAILED if why else PASSED, why, parts=parts, **carried)


STEPS = {"devices": devices, "examples": examples, "tests": tests, "epcc": epcc, "nested": nested, "peers": peers,
         "sanitizer": sanitizer, "llvm": llvm}


def run(name, surroundings):
    """Runs a step. What nobody foresaw is that step's failure, not the end."""
    surroundings.chosen.out.mkdir(parents=True, exist_ok=True)
    try:
        return STEPS[name](surroundings)
    except Exception as error:  # noqa: BLE001  (reported, and the other steps go on)
        return outcome(FAILED, f"{type(error).__name__}: {error}")

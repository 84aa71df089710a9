"""What is run, step by step. A step never raises: it gives an outcome, with `why` where it failed or was skipped."""

import json
import os
import shlex
import tempfile
from dataclasses import dataclass

from . import running
from .running import BY_HAND, FAILED, LATE, OPENMP, PASSED, SKIPPED, outcome

# The three examples for compute-sanitizer: streaming, reductions across warps, barriers of part of a block.
SANITIZED = ("saxpy", "dot", "histogram")
SANITIZERS = ("memcheck", "racecheck", "synccheck")
# What deadlocks with LLVM 19's device runtime on the virtual GPU (bench/README.md, "epcc").
STUCK = ("ordered", "dynamic", "guided")
# What compute-sanitizer ends with when it has found something.
FOUND = 99


@dataclass
class Surroundings:
    """What steps work with."""

    bundle: object
    machine: object
    chosen: object  # the command line

    def programs(self, kind):
        """The bundle's programs of a kind, with the arguments of each run."""
        return {program["name"]: program["runs"] for program in self.bundle.manifest["programs"]
                if program["kind"] == kind}

    def run(self, words, seconds, library=None):
        environment = self.bundle.environment(self.machine.devices, library)
        return running.run(words, seconds * self.chosen.limit, environment, self.bundle.root)

    def run_tool(self, words, seconds):
        """A tool of the machine's, or what it made: with its own libraries, and on the GPU that OpenMP has."""
        hidden = self.machine.maker.compilers_own
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        return running.run(words, seconds * self.chosen.limit, environment, self.bundle.root)

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
    figures = {"devices": json.loads(ended.output), "inquiries": inquiries(it)}
    if not any(device["plugin"] == it.machine.devices for device in figures["devices"]):
        return outcome(FAILED, f"the runtime finds no device of family {it.machine.devices}", **figures)
    return outcome(PASSED, **figures)


def inquiries(it):
    """What the maker's tools say of the machine, in files for people: the file of each tool, or why there is none."""
    answers = {}
    for name, arguments in it.machine.maker.inquiries.items() if it.machine.gpus else ():
        if not it.machine.tools[name]:
            answers[name] = "missing"
            continue
        ended = it.run_tool([it.machine.tools[name], *arguments], 60)
        answers[name] = f"{name}.txt" if ended.code == 0 else ended.why()
        if ended.code == 0:
            it.out(f"{name}.txt").write_text(ended.output)
    return answers


def checking_programs(it, kind, seconds):
    """Runs all programs of a kind: each must end well, PASS the last that it says."""
    results = []
    for name, runs in it.programs(kind).items():
        for arguments in runs:
            words = [word.format(data=it.file("data")) for word in arguments]
            ended = it.run([it.file(kind, name), *words], seconds)
            status = status_of(ended)
            if status == PASSED and not ended.output.endswith("PASS\n"):
                status = FAILED
            shown = " ".join([name, *(word.rsplit("/", 1)[-1] for word in words)])
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
    if not it.programs("epcc"):
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
    if not it.programs("nested"):
        return outcome(SKIPPED, "the bundle has none")
    return measured_nested(it, it.file("nested"), "nested", it.programs("nested"))


def lines_of(ended):
    """The lines of JSON that a peer prints: what was measured to its samples and bytes."""
    lines = [json.loads(line) for line in ended.output.splitlines()]
    return {line["what"]: {"ns": line["ns"], "bytes": line["bytes"]} for line in lines}


def peer_arguments(it):
    return ["--elements", it.chosen.elements, "--samples", 21]


def by_hand(it, name, folder):
    """Compiles and runs the side of a peer that is written by hand: its figures, or why there are none."""
    maker, program = it.machine.maker, f"{folder}/{name}"
    compiler = it.machine.tools[maker.compiler]
    if not compiler:
        why = f"no {maker.compiler}: {maker.language}'s side was not measured ({maker.where()})"
        return outcome(SKIPPED, why, lines={})
    if not it.machine.gpus:
        return outcome(PASSED, lines={})
    words = maker.compile_words(compiler, it.machine.gpus[0], it.file("peers", f"{name}.cu"), program)
    compiled = it.run_tool(words, 240)
    if f"{maker.primitives} is missing" in compiled.error:
        return outcome(SKIPPED, f"no {maker.primitives}: {name} in {maker.language} was not measured", lines={})
    if compiled.code != 0:
        return outcome(FAILED, f"{maker.compiler} {name}.cu {compiled.why()}", lines={})
    ended = it.run_tool([program, *peer_arguments(it)], 120)
    if ended.code != 0:
        return outcome(FAILED, f"{name} in {maker.language} {ended.why()}", lines={})
    return outcome(PASSED, lines=lines_of(ended))


def with_openmp(it, name):
    """Runs the side of a peer that is in OpenMP: as `by_hand`."""
    ended = it.run([it.file("peers", name), *peer_arguments(it)], 240)
    if ended.code != 0:
        return outcome(FAILED, f"{name} {ended.why()}", lines={})
    return outcome(PASSED, lines=lines_of(ended))


def peers(it):
    figures, parts = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name in it.programs("peers"):
            ours, theirs = with_openmp(it, name), by_hand(it, name, folder)
            parts += [ours, theirs]
            for what in {**ours["lines"], **theirs["lines"]}:
                figures[what] = {OPENMP: ours["lines"].get(what), BY_HAND: theirs["lines"].get(what)}
    for status in (FAILED, SKIPPED):
        why = dict.fromkeys(part["why"] for part in parts if part["status"] == status)
        if why:
            return outcome(status, "\n".join(why), figures=figures)
    return outcome(PASSED, figures=figures)


def only_polling(report):
    """Whether all that racecheck reports is the software barrier, where lanes poll what another writes."""
    accesses = [line for line in report.splitlines() if " access at " in line]
    return bool(accesses) and all("software_barrier" in line for line in accesses)


def sanitizer(it):
    maker = it.machine.maker
    if not maker.sanitizer:
        return outcome(SKIPPED, f"{maker.name} has no such tool")
    program = it.machine.tools[maker.sanitizer]
    if not program:
        return outcome(SKIPPED, f"no {maker.sanitizer} ({maker.where()})")
    results = []
    for name in (name for name in it.programs("examples") if name in SANITIZED):
        for tool in SANITIZERS:
            ended = it.run([program, "--tool", tool, "--error-exitcode", FOUND, it.file("examples", name)], 180)
            harmless = ended.code == FOUND and only_polling(ended.output)
            results.append({"name": f"{tool} {name}", "status": PASSED if harmless else status_of(ended),
                            "why": "" if ended.code == 0 or harmless else ended.why()})
    return of_all(results, programs=results)


def constructs_of_llvm(it, programs, library):
    """Options of `omptarget bench epcc` for what these programs have and LLVM's runtime too; the command line's own come first."""
    if "--constructs" in it.chosen.epcc:
        return []
    lists = [it.run([program, "--list"], 60, library).output for program in programs]
    names = [line.split("\t")[1] for text in lists for line in text.splitlines()]
    lacking = (*it.machine.maker.lacking, *(() if it.machine.gpus else STUCK))
    return ["--constructs", ",".join(name for name in names if name not in lacking)]


def llvm(it):
    carried = it.bundle.manifest["llvm"]
    if not carried:
        return outcome(SKIPPED, "LLVM's runtime was not carried along (--llvm-device)")
    # Without a GPU our host runtime runs the bitcode.
    folder = "llvm" if it.machine.gpus else "llvm-vgpu"
    library = it.file("llvm", "lib") if carried["host"] == "LLVM's" and it.machine.gpus else None
    there = {kind: [name for name in it.programs(kind) if name not in carried["left out"]]
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


def of_maker(maker):
    """The steps that make sense on its GPUs."""
    return [name for name in STEPS if name != "sanitizer" or maker.sanitizer]


STEPS = {"devices": devices, "examples": examples, "tests": tests, "epcc": epcc, "nested": nested, "peers": peers,
         "sanitizer": sanitizer, "llvm": llvm}


def run(name, surroundings):
    """Runs a step. What nobody foresaw is that step's failure, not the end."""
    surroundings.chosen.out.mkdir(parents=True, exist_ok=True)
    try:
        return STEPS[name](surroundings)
    except Exception as error:  # noqa: BLE001  (reported, and the other steps go on)
        return outcome(FAILED, f"{type(error).__name__}: {error}")

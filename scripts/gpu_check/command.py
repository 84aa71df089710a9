"""The command line."""

import argparse
import datetime
import pathlib
import sys
import time

from . import bundle, goals, machine, makers, report, running, steps

HERE = pathlib.Path(__file__).resolve().parent.parent

DESCRIPTION = """\
Here, where the project is built:

  scripts/gpu-check --build gpu-bundle                          all programs, compiled for sm_80, sm_90 and sm_100
  scripts/gpu-check --build gpu-bundle --arch gfx90a,gfx1100    for GPUs of AMD; a list may have those of both makers

There, on a machine with an NVIDIA or AMD GPU, its driver and Python 3. For the comparison with programs in CUDA or HIP,
nvcc or hipcc:

  gpu-bundle/gpu-check --out results              everything; results/gpu-check.json and .md
  gpu-bundle/gpu-check --steps examples,nested    some steps; their results replace those in --out

Steps:
  devices     what the runtime finds
  examples    every example must end with PASS
  tests       the same of the self-checking test programs
  epcc        overheads of OpenMP constructs
  nested      kernels in two shapes, SPMD and nested
  peers       launch latency, bandwidth, reduction, histogram, next to CUDA or HIP written by hand (nvcc, hipcc)
  sanitizer   three examples under compute-sanitizer's memcheck, racecheck and synccheck (NVIDIA)
  llvm        epcc and nested with LLVM's runtime, if the bundle carries them

A step has a time limit; a failure of one never stops the rest.
"""

EXIT_CODES = """\
Exit codes:
  0   every step ran and nothing failed; goals that are missed are in the table
  1   a program failed, a step ran out of time, or the bundle could not be made, or not with all programs
  2   wrong usage
  3   no GPU that can be used, or a system that is too old: the message says what is missing
  4   nothing failed, but steps were left out for want of a tool (nvcc, compute-sanitizer, hipcc)
"""


def arguments():
    parser = argparse.ArgumentParser(prog="gpu-check", description=DESCRIPTION, epilog=EXIT_CODES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    building = parser.add_argument_group("making the bundle")
    building.add_argument("--build", type=pathlib.Path, metavar="FOLDER", help="make the bundle in this new folder")
    building.add_argument("--arch", default="sm_80,sm_90,sm_100", metavar="LIST",
                          help="GPUs to compile for: sm_90, gfx90a (%(default)s)")
    building.add_argument("--only", metavar="NAMES", help="these programs only, for a trial: saxpy,dot,lud")
    building.add_argument("--llvm-device", type=pathlib.Path, metavar="FOLDER",
                          help="folder with libompdevice.a of LLVM's device runtime (bench/README.md, \"footprint\")")
    building.add_argument("--llvm-host", type=pathlib.Path, metavar="FILE",
                          help="LLVM's libomptarget.so, to run those programs; carried with all it needs, 200 MiB. "
                               "Without it ours runs them")
    measuring = parser.add_argument_group("measuring")
    measuring.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gpu-check-results"), metavar="FOLDER",
                           help="where results go (%(default)s)")
    measuring.add_argument("--steps", metavar="LIST", help="which steps (all that there are on such a GPU)")
    measuring.add_argument("--limit", type=float, default=1.0, metavar="FACTOR", help="multiplies every time limit")
    measuring.add_argument("--size", type=int, default=16, help="problem size of nested, 1 to 64 (%(default)s)")
    measuring.add_argument("--elements", type=int, default=1 << 26, help="elements of the peers' arrays (%(default)s)")
    measuring.add_argument("--epcc", default="", metavar="OPTIONS", help="further options of omptarget bench epcc")
    measuring.add_argument("--devices", choices=(*makers.FAMILIES, machine.VIRTUAL),
                           help="OMPTARGET_DEVICES; vgpu is a dry run on the virtual GPU (the GPU that there is)")
    return parser


def chosen_steps(parser, text):
    """The steps that the command line names, or nothing."""
    if text is None:
        return None
    names = [name for name in text.split(",") if name]
    unknown = [name for name in names if name not in steps.STEPS]
    if unknown or not names:
        parser.error(f"no step {', '.join(unknown) or 'given'}; there are {', '.join(steps.STEPS)}")
    return names


def build(chosen):
    if (HERE / bundle.MANIFEST).exists():
        print("gpu-check: error: this is a bundle; --build works in the project's tree", file=sys.stderr)
        return 2
    try:
        size, failures = bundle.build(HERE.parent, chosen)
    except bundle.BundleError as error:
        print(f"gpu-check: error: {error}", file=sys.stderr)
        return 1
    for failure in failures.values():
        print(f"gpu-check: error: left out: {failure}", file=sys.stderr)
    if size > bundle.MOST:
        print(f"gpu-check: note: the bundle is larger than {bundle.MOST / 2**20:.0f} MiB; --arch with fewer makes it smaller", file=sys.stderr)
    print(f"{chosen.build}: {size / 2**20:.1f} MiB; on the machine with the GPU: {chosen.build.name}/gpu-check")
    return 1 if failures else 0


def measure(chosen, names):
    try:
        carried = bundle.Bundle(HERE)
    except bundle.BundleError as error:
        print(f"gpu-check: error: {error}", file=sys.stderr)
        return 2
    found = machine.look(chosen.devices, carried.architectures, carried.manifest["C library"])
    if found.why_not:
        print(f"gpu-check: {found.why_not}", file=sys.stderr)
        return 3
    try:
        carried.unpack()
    except bundle.BundleError as error:
        print(f"gpu-check: error: {error}", file=sys.stderr)
        return 1
    results = report.Results(chosen.out, carried, found)
    surroundings = steps.Surroundings(carried, found, chosen)
    names = names or steps.of_maker(found.maker)
    for name in names:
        begin = time.monotonic()
        print(f"== {name}", flush=True)
        outcome = steps.run(name, surroundings)
        outcome["seconds"] = round(time.monotonic() - begin, 1)
        outcome["date"] = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        print(f"   {outcome['status']}{': ' + outcome['why'] if outcome['why'] else ''}", flush=True)
        # Written after each step: whatever happens later, this is kept.
        results.add(name, outcome)
        results.write(goals.judge(results.steps, found))
    print(results.markdown_file)
    return exit_code(results.steps[name]["status"] for name in names)


def exit_code(statuses):
    statuses = set(statuses)
    if statuses & {running.FAILED, running.LATE}:
        return 1
    return 4 if running.SKIPPED in statuses else 0


def main():
    parser = arguments()
    chosen = parser.parse_args()
    if not 1 <= chosen.size <= 64 or not 1 <= chosen.elements <= 1 << 30 or chosen.limit <= 0:
        parser.error("--size is 1 to 64, --elements 1 to 2^30, --limit more than 0")
    if chosen.build:
        return build(chosen)
    return measure(chosen, chosen_steps(parser, chosen.steps))

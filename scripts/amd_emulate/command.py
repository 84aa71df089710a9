"""The command line of scripts/amd-emulate."""

import argparse
import importlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

from . import dispatch, memory, output
from .code_object import CodeObject
from .recording import Recording

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DIST = ROOT / "dist"
PROCESSOR = "gfx1100"
REPOSITORY = "https://github.com/tinygrad/tinygrad"
# The last commit that was tried.
COMMIT = "a9069c177a9da9cca18593edf55acd2e6073cca6"
HEAP = 64 << 20
OUTPUT = 1 << 20
# Private memory of each thread where the compiler does not know how much calls need.
DYNAMIC_STACK = 16 << 10


@dataclass
class Program:
    """A program: its sources, and the launches to take from it, numbered from 1."""

    name: str
    sources: list
    launches: list
    arguments: list = field(default_factory=list)


PROGRAMS = [
    Program("saxpy", ["examples/saxpy.c"], [1]),
    Program("dot", ["examples/dot.c"], [1, 3, 5]),
    Program("heartwall", ["examples/heartwall.c", "examples/heartwall_kernel.c"], [1, 2]),
    Program("reduce_warp", ["examples/reduce_warp.c"], [1, 2, 3, 4]),
    Program("histogram", ["examples/histogram.c"], [1], ["dist/data/mri.pgm"]),
    Program("printf", ["scripts/amd_emulate/printf.c"], [1]),
    Program("malloc", ["scripts/amd_emulate/malloc.c"], [1, 2]),
]


class Failure(Exception):
    """What ends the script."""


def run(command, **options):
    """Runs a program that must succeed; its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=ROOT, **options)
    if done.returncode != 0:
        raise Failure(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(program, folder):
    """Compiles a program for the processor."""
    path = folder / program.name
    run(["clang-22", f"--config={DIST / 'etc' / 'omptarget-amdgpu.cfg'}", "--no-offload-arch=all",
         f"--offload-arch={PROCESSOR}", "-O2", *program.sources, "-lm", "-o", path])
    return path


def record(program, path, launch, folder):
    """Records a launch on the virtual GPU; the recording, and what the program printed."""
    environment = {**os.environ, "OMPTARGET_DEVICES": "vgpu", "OMP_TARGET_OFFLOAD": "MANDATORY",
                   "OMPTARGET_RECORD": str(folder), "OMPTARGET_RECORD_LAUNCH": str(launch)}
    said = run([path, *program.arguments], env=environment)
    if not folder.exists():
        raise Failure(f"{program.name} has no launch {launch}")
    return Recording(folder), said


def give_services(code):
    """Gives the device services their memory (docs/abi.md)."""
    for name, size in (("__omptarget_heap", HEAP), ("__omptarget_printf_buffer", OUTPUT)):
        if name in code.symbols:
            memory.write(code.symbols[name], struct.pack("<QQ", memory.allocate(size), size))


def printed(code):
    """What the kernel printed."""
    if "__omptarget_printf_buffer" not in code.symbols:
        return ""
    base, _, used, lost = struct.unpack("<QQQQ", memory.read(code.symbols["__omptarget_printf_buffer"], 32))
    if lost:
        raise Failure(f"{lost} records of printf had no room")
    return output.texts(memory.read(base, used))


def emulate(emulator, instructions, recording, said):
    """Runs a recorded launch in the emulator; what came of it, in words, and the number of instructions."""
    object_file = recording.image.with_suffix(".so")
    run([DIST / "libexec" / "omptarget-codegen", "amdgcn", f"--mcpu={PROCESSOR}", recording.image, "-o", object_file])
    code = CodeObject(object_file.read_bytes())
    give_services(code)
    real = recording.place(code.symbols)
    kernel = code.kernels[recording.kernel]
    private = DYNAMIC_STACK if kernel.get(".uses_dynamic_stack") else 0
    launch = dispatch.Dispatch(emulator, instructions, code.descriptor(recording.kernel), recording,
                               dispatch.arguments(kernel, recording, real), private)
    executed = launch.run()
    compared, differing, wrong = recording.differences(code.symbols, real)
    text = printed(code)
    # Threads print in another order.
    if text and sorted(text.splitlines()) != sorted(said.splitlines()):
        return f"FAIL: printed {text!r} instead of {said!r}", executed
    if wrong:
        return f"FAIL: {wrong} of {compared // 4} words differ", executed
    words = f"{compared} bytes equal" if not differing else f"{compared} bytes, {differing} words differ in last digits"
    return words + (f", {len(text.splitlines())} lines printed" if text else ""), executed


def load_emulator(folder):
    """The emulator of a copy of tinygrad."""
    how = f"git clone {REPOSITORY} && git -C tinygrad checkout {COMMIT}"
    if folder is None or not (folder / "test/mockgpu/amd/emu.py").is_file():
        raise Failure(f"give the folder of a copy of tinygrad, which has the emulator: --emulator=tinygrad\n  {how}")
    sys.path.insert(0, str(folder))
    return (importlib.import_module("test.mockgpu.amd.emu"),
            importlib.import_module("tinygrad.runtime.autogen.amd.rdna3.ins"))


def in_child(words):
    """Runs one launch in a process of its own: recorded memory has a fixed address."""
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "amd-emulate"), *map(str, words)], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        lines = (done.stderr.strip() or "no message").splitlines()
        return f"FAIL: {f'signal {-done.returncode}' if done.returncode < 0 else lines[-1]}", "-"
    result, executed = done.stdout.strip().rsplit("\t", 1)
    return result, executed


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="amd-emulate",
        description=f"Runs kernels of the examples, compiled for {PROCESSOR}, in the instruction emulator of tinygrad's tests, "
        "and compares memory and output with what the virtual GPU leaves. Prints a table; exit code 1 when a kernel differs.",
        epilog=f"The emulator: git clone {REPOSITORY}; tried with commit {COMMIT}. It needs Python 3.11 and clang. dist/ comes "
        "from scripts/build.")
    parser.add_argument("--emulator", type=pathlib.Path, metavar="DIR", help="a copy of tinygrad")
    parser.add_argument("--only", metavar="NAME", choices=[program.name for program in PROGRAMS], help="one program")
    parser.add_argument("--recording", type=pathlib.Path, metavar="DIR", help="one launch, recorded by OMPTARGET_RECORD "
                        f"with an image compiled for {PROCESSOR}")
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE", help="with --recording: what the program printed")
    return parser.parse_args()


def table(options):
    """Runs every launch; whether all came out right."""
    print(f"{'program':<12} {'kernel':<34} {'blocks':>7} {'threads':>7} {'instructions':>12} {'seconds':>8}  result")
    right = True
    for program in PROGRAMS:
        if options.only not in (None, program.name):
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            path = build(program, folder)
            for launch in program.launches:
                recorded = folder / f"launch{launch}"
                recording, said = record(program, path, launch, recorded)
                (folder / "said").write_text(said)
                start = time.monotonic()
                result, executed = in_child(["--emulator", options.emulator, "--recording", recorded, "--output", folder / "said"])
                kernel = re.sub(r"^__omp_offloading_[0-9a-f]+_[0-9a-f]+_", "", recording.kernel)
                print(f"{program.name:<12} {kernel:<34} {recording.grid[0]:>7} {recording.block[0]:>7} {executed:>12} "
                      f"{time.monotonic() - start:>8.1f}  {result}", flush=True)
                right = right and not result.startswith("FAIL")
    return right


def main():
    """The script."""
    options = arguments()
    try:
        if options.emulator is not None:
            options.emulator = options.emulator.resolve()
        emulator, instructions = load_emulator(options.emulator)
        if options.recording is None:
            return 0 if table(options) else 1
        said = options.output.read_text() if options.output else ""
        print(*emulate(emulator, instructions, Recording(options.recording), said), sep="\t")
    except (Failure, dispatch.EmulationError, OSError) as error:
        print(f"amd-emulate: error: {error}", file=sys.stderr)
        return 1
    return 0

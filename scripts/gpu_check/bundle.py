"""The bundle: made by --build, read on the machine with the GPU.

  gpu-check, gpu_check/    this command
  bundle.json              what there is and how it was made
  files.tar.xz             all that follows; unpacked beside it, into files/, when the first step is run

  bin/ lib/                the omptarget command, the runtime libraries
  lib/spare/               the compilers' libraries, for machines that have none
  examples/ tests/ nested/ epcc/ peers/    programs, with machine code for the GPUs and bitcode for the virtual one
  peers/*.cu               to be compiled with nvcc or hipcc there
  data/                    data files of two examples
  llvm/                    epcc and nested with LLVM's device runtime, if it was given; LLVM's host runtime, if it was
  llvm-vgpu/               the former as bitcode, for the virtual GPU

Machine code of several GPUs is much the same: packed it takes a tenth.
"""

import concurrent.futures
import ctypes
import datetime
import itertools
import json
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import time

from . import catalogue, makers, running

MANIFEST, FILES, PACKED = "bundle.json", "files", "files.tar.xz"
# Bytes that a machine with a GPU takes.
MOST = 64 << 20
# Of a program, which may be compiled for several GPUs next to others.
COMPILE_LIMIT = 900
STRIP, READELF = "llvm-strip-22", "llvm-readelf-22"
# What every machine with a driver has, or has in a version that fits it only.
SYSTEM = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libcuda.so",
          "libhsa-runtime64.so")
# What comes with a compiler. The machine's own are preferred: they fit its C library, and its compilers need them.
OF_COMPILER = ("libgcc_s.so", "libstdc++.so")


class BundleError(Exception):
    """The bundle cannot be made or read."""


class Bundle:
    """A bundle as it lies there."""

    def __init__(self, folder):
        self.folder, self.root = folder, folder / FILES
        try:
            self.manifest = json.loads((folder / MANIFEST).read_text())
            self.architectures = self.manifest["architectures"]
        except (OSError, ValueError, KeyError) as error:
            raise BundleError(f"{folder} holds no bundle ({error}); make one with scripts/gpu-check --build FOLDER") from None

    def unpack(self):
        """Makes the files be there. Half of them never are: they come into place all at once."""
        if self.root.exists():
            return
        try:
            with tempfile.TemporaryDirectory(dir=self.folder) as part, tarfile.open(self.folder / PACKED) as archive:
                # Pythons that know the filter ask for one.
                archive.extractall(part, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
                (pathlib.Path(part) / FILES).rename(self.root)
        except (OSError, tarfile.TarError, lzma.LZMAError, EOFError) as error:
            raise BundleError(f"{self.folder / PACKED} cannot be unpacked: {error}") from None

    def environment(self, devices, library=None):
        """For the bundle's programs."""
        folders = [str(library or self.root / "lib")]
        folders += [folder for folder in [os.environ.get("LD_LIBRARY_PATH")] if folder]
        if not all(loads(name) for name in self.manifest["spare"]):
            folders.append(str(self.root / "lib" / "spare"))
        # The host's runtime says that it has fewer cores than threads, and spins while they wait.
        return dict(os.environ, LD_LIBRARY_PATH=os.pathsep.join(folders), OMP_TARGET_OFFLOAD="MANDATORY",
                    OMPTARGET_DEVICES=devices, KMP_WARNINGS="0", KMP_BLOCKTIME="0")


def loads(name):
    """Whether this machine has a library."""
    try:
        ctypes.CDLL(name)
        return True
    except OSError:
        return False


def compile_command(root, architectures, program):
    """`omptarget cc`, to machine code for the GPUs, and bitcode for the virtual one."""
    return [root / "dist" / "bin" / "omptarget", "cc" if program.is_c() else "c++",
            f"--aot={','.join(architectures)}", "-O3", "-Wno-openmp-mapping"]


def compile_one(root, program, folder, command):
    """Compiles a program of the catalogue into `folder`; gives what went wrong, or nothing."""
    sources = [root / source for source in program.sources]
    output = ["-lm", "-Wl,-rpath,$ORIGIN/../lib", "-o", folder / program.name]
    words = [*command(program), *program.flags, *sources, *output]
    ended = running.run(words, COMPILE_LIMIT)
    # Warnings, of each GPU, would hide what is wrong.
    ended.error = running.errors(ended.error)
    return "" if ended.code == 0 else f"{program.kind} {program.name} does not compile: {ended.why()}"


def compile_all(root, programs, target, command):
    """Compiles `programs` into a folder per kind below `target`, as many at a time as there are CPUs, and prints each that is done;
    gives those that failed and why. `command` gives the compiler's words for a program."""
    done = itertools.count(1)

    def one(program):
        folder = target / program.kind
        folder.mkdir(parents=True, exist_ok=True)
        begin = time.monotonic()
        failure = compile_one(root, program, folder, command)
        print(f"{next(done)} of {len(programs)}: {program.kind}/{program.name} "
              f"{'failed' if failure else 'compiled'}, {time.monotonic() - begin:.0f} s", flush=True)
        return program, failure

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {program: failure for program, failure in pool.map(one, programs) if failure}


def copy_stripped(source, destination):
    destination.parent.mkdir(parents=True, exist_ok=True)
    ended = running.run([STRIP, "-o", destination, source], 60)
    if ended.code != 0:
        raise BundleError(f"{STRIP} {source}: {ended.why()}")


def needed_libraries(files):
    """The libraries that `files` need, by name, as ldd says; not those that belong to a machine's system."""
    found = {}
    for file in files:
        output = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=True).stdout
        for line in output.splitlines():
            name, arrow, rest = line.strip().partition(" => ")
            if arrow and rest == "not found":
                raise BundleError(f"{file} needs {name}, which is not there")
            if arrow and not name.startswith(SYSTEM):
                found[name] = pathlib.Path(rest.split(" (")[0])
    return found


def lay_out_runtime(root, target, programs):
    """The command, and the libraries that it and programs need; gives the names of those a compiler brings."""
    command = root / "dist" / "bin" / "omptarget"
    copy_stripped(command, target / "bin" / "omptarget")
    ours = root / "dist" / "lib" / "libomptarget.so"
    soname = ours.resolve().name
    libraries = {**needed_libraries([command, ours, *programs]), soname: ours}
    spare = [name for name in libraries if name.startswith(OF_COMPILER)]
    for name, path in libraries.items():
        copy_stripped(path, target / "lib" / ("spare" if name in spare else "") / name)
    return spare


def c_library(files):
    """The oldest version of the GNU C library with all that `files` ask of it, as text."""
    ended = running.run([READELF, "--version-info", *files], 60)
    if ended.code != 0:
        raise BundleError(f"{READELF}: {ended.why()}")
    versions = re.findall(r"\bGLIBC_(\d+)\.(\d+)", ended.output)
    return "{}.{}".format(*max((int(major), int(minor)) for major, minor in versions))


def copy_texts(root, bundle, target):
    """This command, the peers' sources, the examples' data."""
    shutil.copy2(root / "scripts" / "gpu-check", bundle / "gpu-check")
    shutil.copytree(root / "scripts" / "gpu_check", bundle / "gpu_check", ignore=shutil.ignore_patterns("__pycache__", "test_*"))
    for source in (root / "bench" / "peers").glob("*.[ch]u*"):
        shutil.copy2(source, target / "peers")
    shutil.copy2(root / "bench" / "peers" / "peers.h", target / "peers")
    shutil.copytree(root / "dist" / "data", target / "data")


def with_llvm(root, architectures, device, program, *more):
    """clang, with the device runtime in the folder `device`: to machine code, unless `more` says otherwise."""
    return ["clang-22" if program.is_c() else "clang++-22", "-fopenmp", f"--offload-arch={','.join(architectures)}",
            "-foffload-lto", *makers.of(architectures[0]).llvm_flags, *more, "-O3",
            f"--cuda-path={root}/dist/cuda-stub", f"-L{root}/dist/lib", "-Xoffload-linker", f"-L{device}", "-Wno-openmp-mapping"]


def add_llvm(root, target, programs, chosen, architectures):
    """EPCC's and nested's programs with LLVM's device runtime; gives those that it has not all functions for. Our host
    runtime runs them, or LLVM's, if it was given, which comes along with what it needs."""
    measured = [program for program in programs if program.kind in ("epcc", "nested")]
    device = chosen.llvm_device.resolve()
    if not (device / "libompdevice.a").exists():
        raise BundleError(f"{device} has no libompdevice.a")
    if len(makers.of_all(architectures)) > 1:
        raise BundleError("LLVM's device runtime is for GPUs of one maker: --arch names those of several")
    left_out = compile_all(root, measured, target / "llvm",
                           lambda program: with_llvm(root, architectures, device, program))
    measured = [program for program in measured if program not in left_out]
    left_out |= compile_all(root, measured, target / "llvm-vgpu",
                            lambda program: with_llvm(root, architectures[:1], device, program, "-fopenmp-target-jit"))
    if chosen.llvm_host:
        for name, path in {chosen.llvm_host.name: chosen.llvm_host, **needed_libraries([chosen.llvm_host])}.items():
            copy_stripped(path, target / "llvm" / "lib" / name)
    for failure in left_out.values():
        print(f"note: without LLVM's device runtime: {failure}", flush=True)
    return {program.name: failure for program, failure in left_out.items()}


def pack(folder):
    """Packs the files."""
    with tarfile.open(folder / PACKED, "w:xz", preset=4) as archive:
        archive.add(folder / FILES, FILES)
    shutil.rmtree(folder / FILES)


def commit(root):
    ended = running.run(["git", "-C", root, "rev-parse", "HEAD"], 30)
    return ended.output.strip() if ended.code == 0 else "unknown"


def chosen_programs(root, only):
    programs = catalogue.programs(root)
    if not only:
        return programs
    names = only.split(",")
    unknown = set(names) - {program.name for program in programs}
    if unknown:
        raise BundleError(f"no program {', '.join(sorted(unknown))}")
    return [program for program in programs if program.name in names]


def build(root, chosen):
    """Makes the bundle; gives its size in bytes, and the programs that failed, with the reason."""
    bundle, architectures = chosen.build, chosen.arch.split(",")
    target = bundle / FILES
    nobodys = [name for name in architectures if not makers.of(name)]
    if nobodys:
        raise BundleError(f"--arch: {', '.join(nobodys)}: a GPU of NVIDIA's is sm_90, one of AMD's gfx90a")
    if bundle.exists():
        raise BundleError(f"{bundle} exists; give a new folder")
    for name in ("bin/omptarget", "data/mri.pgm"):
        if not (root / "dist" / name).exists():
            raise BundleError(f"dist/{name} is missing: run scripts/setup and scripts/build first")
    if chosen.llvm_host and not chosen.llvm_device:
        raise BundleError("--llvm-host needs --llvm-device")
    programs = chosen_programs(root, chosen.only)
    (target / "peers").mkdir(parents=True)
    failures = compile_all(root, programs, target, lambda program: compile_command(root, architectures, program))
    programs = [program for program in programs if program not in failures]
    if not programs:
        raise BundleError("\n".join(failures.values()))
    files = [target / program.kind / program.name for program in programs]
    spare = lay_out_runtime(root, target, files)
    copy_texts(root, bundle, target)
    llvm = None
    if chosen.llvm_device:
        llvm = {"host": "LLVM's" if chosen.llvm_host else "ours",
                "left out": add_llvm(root, target, programs, chosen, architectures)}
    manifest = {
        "commit": commit(root), "built": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "clang": running.run(["clang-22", "--version"], 30).output.splitlines()[0], "architectures": architectures,
        "llvm": llvm, "spare": spare,
        "C library": c_library([*files, target / "bin" / "omptarget", *(target / "lib").glob("*.so*")]),
        "programs": [{"kind": program.kind, "name": program.name, "runs": program.runs} for program in programs],
    }
    pack(bundle)
    (bundle / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    return sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file()), failures

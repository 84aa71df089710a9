"""What the machine has: GPU, driver, tools."""

import ctypes
import os
import pathlib
import platform
import shutil
from dataclasses import dataclass, field

# CUdevice_attribute.
MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76


@dataclass
class Machine:
    """What was found."""

    why_not: str = ""  # why nothing can be measured
    gpus: list = field(default_factory=list)
    driver: str = ""  # the newest CUDA it serves
    kernel_driver: str = ""
    nvcc: str = ""
    sanitizer: str = ""
    host: str = ""

    def words(self):
        """For reports."""
        return {"host": self.host, "gpus": self.gpus, "driver": self.driver, "kernel driver": self.kernel_driver,
                "nvcc": self.nvcc, "compute-sanitizer": self.sanitizer}


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.split(':', 1)[1].strip()}, {os.cpu_count()} CPUs"
    return platform.processor()


def tool(name):
    """A tool of the toolkit: from CUDA_PATH, CUDA_HOME, PATH, the usual folders."""
    folders = [os.environ[variable] + "/bin" for variable in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(variable)]
    folders += [os.environ.get("PATH", ""), "/usr/local/cuda/bin", "/opt/cuda/bin"]
    return shutil.which(name, path=os.pathsep.join(folders)) or ""


class Driver:
    """The CUDA driver, as far as looking goes."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        """Raises RuntimeError with the driver's word for what went wrong."""
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            named = self.library.cuGetErrorName(code, ctypes.byref(text)) == 0 and text.value
            raise RuntimeError(f"{name}: {text.value.decode() if named else f'error {code}'}")

    def number(self, name, *arguments):
        value = ctypes.c_int()
        self.call(name, ctypes.byref(value), *arguments)
        return value.value

    def gpu(self, index):
        device = self.number("cuDeviceGet", index)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), device)
        memory = ctypes.c_size_t()
        self.call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
        major, minor, multiprocessors = (self.number("cuDeviceGetAttribute", which, device)
                                         for which in (MAJOR, MINOR, MULTIPROCESSORS))
        return {"name": name.value.decode(errors="replace"), "architecture": f"sm_{major}{minor}",
                "multiprocessors": multiprocessors, "memory": memory.value}


def too_old(needed):
    """Why programs that need this version of the GNU C library cannot run, or nothing."""
    kind, found = platform.libc_ver()
    if kind != "glibc":
        return f"the bundle's programs need the GNU C library {needed} or newer; this machine has {kind or 'another one'}"
    if [int(part) for part in found.split(".")[:2]] < [int(part) for part in needed.split(".")]:
        return (f"the bundle's programs need the GNU C library {needed} or newer, this machine has {found}; build the bundle on a system "
                "as old as this one, or run it in a container of a newer one")
    return ""


def runs_on(architecture, built):
    """Machine code runs on GPUs of its major version, of its own or a newer minor one; with a device compiler at hand
    the programs' bitcode runs on any."""
    if os.environ.get("OMPTARGET_CODEGEN"):
        return True
    gpu = int(architecture.removeprefix("sm_"))
    return any(gpu // 10 == int(name.removeprefix("sm_")) // 10 and gpu >= int(name.removeprefix("sm_")) for name in built)


def look_at_gpus(found, built):
    try:
        driver = Driver()
    except OSError:
        found.why_not = ("no NVIDIA driver: libcuda.so.1 cannot be opened. This half needs a machine with a GPU; "
                         "--devices vgpu is a dry run on the virtual GPU")
        return
    try:
        driver.call("cuInit", 0)
        version = driver.number("cuDriverGetVersion")
        found.driver = f"CUDA {version // 1000}.{version % 1000 // 10}"
        found.gpus = [driver.gpu(index) for index in range(driver.number("cuDeviceGetCount"))]
    except (RuntimeError, AttributeError) as error:
        found.why_not = f"the NVIDIA driver is there, but does not work: {error}"
        return
    if not found.gpus:
        found.why_not = "the NVIDIA driver finds no GPU"
    elif not any(runs_on(gpu["architecture"], built) for gpu in found.gpus):
        names = ", ".join(f"{gpu['name']} ({gpu['architecture']})" for gpu in found.gpus)
        found.why_not = (f"the bundle's programs are compiled for {', '.join(built)}, the machine has {names}; "
                         "build another with --build FOLDER --arch")


def kernel_driver():
    version = pathlib.Path("/proc/driver/nvidia/version")
    return version.read_text().splitlines()[0] if version.exists() else ""


def look(devices, built, c_library):
    """What there is; `built` are the architectures that the programs are compiled for, `c_library` is the version that they need."""
    found = Machine(host=processor(), nvcc=tool("nvcc"), sanitizer=tool("compute-sanitizer"), kernel_driver=kernel_driver())
    found.why_not = too_old(c_library)
    if devices == "cuda" and not found.why_not:
        look_at_gpus(found, built)
    return found

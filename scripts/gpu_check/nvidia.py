"""NVIDIA's GPUs."""

import pathlib
import re

from . import cuda
from .maker import Maker, Unusable


def capability(architecture):
    """Major and minor version: sm_90a is 9.0."""
    number = int(re.match(r"sm_(\d+)", architecture)[1])
    return number // 10, number % 10


class Nvidia(Maker):
    """NVIDIA: the CUDA driver, nvcc, compute-sanitizer."""

    name, family, prefix, units = "NVIDIA", "cuda", "sm_", "multiprocessors"
    visible = "CUDA_VISIBLE_DEVICES"
    settings = (visible, "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_FORCE_PTX_JIT")
    language, compiler, sanitizer = "CUDA", "nvcc", "compute-sanitizer"
    toolkit = (("CUDA_PATH", "CUDA_HOME"), ("/usr/local/cuda/bin", "/opt/cuda/bin"))
    inquiries = {"nvidia-smi": ["-q"]}
    barriers, launch, primitives = "named barriers", "cuLaunchKernel", "CUB"
    # bench/footprint.d/llvm-19-missing.ll; the last three stop with an address error on an H100.
    lacking = ("critical", "copyprivate", "ordered", "dynamic", "guided")

    def look(self, found):
        try:
            driver = cuda.Driver()
        except OSError:
            raise Unusable(f"no NVIDIA driver: {cuda.LIBRARY} cannot be opened") from None
        try:
            found.gpus, found.driver = driver.gpus(), driver.version()
        except (RuntimeError, AttributeError) as error:
            raise Unusable(f"the NVIDIA driver is there, but does not work: {error}") from None
        if not found.gpus:
            raise Unusable("the NVIDIA driver finds no GPU")

    def kernel_driver(self):
        version = pathlib.Path("/proc/driver/nvidia/version")
        return version.read_text().splitlines()[0] if version.exists() else ""

    def runs_on(self, gpu, built):
        """Machine code runs on GPUs of its major version, of its own minor one or a newer."""
        major, minor = capability(gpu["architecture"])
        return any(major == code[0] and minor >= code[1] for code in map(capability, built))

    def compile_words(self, compiler, gpu, source, program):
        return [compiler, "-O3", f"-arch={gpu['architecture']}", source, "-o", program]

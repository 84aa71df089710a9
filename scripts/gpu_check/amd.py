"""AMD's GPUs."""

import grp
import os
import pathlib
import platform
import pwd

from . import hsa
from .maker import Maker, Unusable

# What the kernel's driver gives programs: itself and each GPU.
KFD, NODES = pathlib.Path("/dev/kfd"), pathlib.Path("/dev/dri")


class Amd(Maker):
    """AMD: the HSA runtime, hipcc."""

    name, family, prefix, units = "AMD", "amdgpu", "gfx", "compute units"
    visible = "ROCR_VISIBLE_DEVICES"
    compilers_own = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")
    settings = (visible, *compilers_own, "HSA_XNACK", "HSA_OVERRIDE_GFX_VERSION", "HSA_ENABLE_SDMA", "HSA_CU_MASK")
    language, compiler = "HIP", "hipcc"
    toolkit = (("ROCM_PATH", "HIP_PATH"), ("/opt/rocm/bin",))
    inquiries = {"rocminfo": [], "amd-smi": ["static"], "rocm-smi": ["--showhw", "--showdriverversion"]}
    barriers, launch, primitives = "barriers", "HIP's launch", "hipCUB"
    # bench/footprint.d/llvm-19-missing-amdgpu.ll; its locks are traps.
    lacking = ("copyprivate", "lock/unlock")
    llvm_flags = ("-Xopenmp-target=amdgcn-amd-amdhsa", "-nogpulib")

    def look(self, found):
        try:
            runtime = hsa.Runtime()
        except OSError as error:
            raise Unusable(no_runtime(error)) from None
        try:
            with runtime:
                found.gpus, found.driver = runtime.gpus(), runtime.version()
        except hsa.RuntimeFailed as error:
            why = (error.code == hsa.OUT_OF_RESOURCES and no_access()) or f"does not work: {error}"
            raise Unusable(f"the AMD runtime {hsa.LIBRARY} is there, but {why}") from None
        except AttributeError as error:
            raise Unusable(f"the AMD runtime {hsa.LIBRARY} is too old (ROCm 5.2 or newer is needed): {error}") from None
        if not found.gpus:
            raise Unusable(f"the AMD runtime finds no GPU; {no_access() or self.hidden()}")

    def hidden(self):
        value = os.environ.get(self.visible)
        return f"{self.visible}={value} may hide them" if value is not None else "rocminfo says what it finds"

    def kernel_driver(self):
        module = pathlib.Path("/sys/module/amdgpu")
        if not module.exists():
            return ""
        version = module / "version"
        own = version.read_text().strip() if version.exists() else "the kernel's own"
        return f"amdgpu {own}, Linux {platform.release()}"

    def runs_on(self, gpu, built):
        """The runtime lists what a GPU runs, generic processors too. Code names settings only if it needs them."""
        def fits(code, runs):
            (processor, *needed), (own, *settings) = code.split(":"), runs.split(":")
            return processor == own and set(needed) <= set(settings)
        return any(fits(code, runs) for code in built for runs in gpu["machine code"])

    def compile_words(self, compiler, gpu, source, program):
        return [compiler, "-O3", f"--offload-arch={gpu['architecture']}", source, "-o", program]


def no_runtime(error):
    """Why there is no library, in words."""
    said = f"no AMD runtime: {hsa.LIBRARY} cannot be opened ({error})"
    folder = pathlib.Path(os.environ.get("ROCM_PATH") or "/opt/rocm") / "lib"
    if (folder / hsa.LIBRARY).exists():
        return f"{said}; there is one in {folder}: set LD_LIBRARY_PATH"
    return said


def no_access():
    """What of the kernel's driver is missing or closed to this user, in words, or nothing."""
    if not KFD.exists():
        return (f"there is no {KFD}: no AMD GPU, no kernel driver amdgpu, or a container that was not given {KFD} "
                f"and {NODES}")
    closed = [path for path in (KFD, *sorted(NODES.glob("renderD*"))) if not os.access(path, os.R_OK | os.W_OK)]
    if not closed:
        return ""
    group = group_of(closed[0])
    return (f"user {user()} may not open {', '.join(map(str, closed))}; members of the group {group} may "
            f"(usermod -aG {group} {user()}, then log in again)")


def group_of(path):
    number = path.stat().st_gid
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def user():
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())

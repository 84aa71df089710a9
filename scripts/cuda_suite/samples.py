"""NVIDIA's cuda-samples: how each is built and run, by its build file, which is CMake's and of a form that is simple to
read."""

import json
import re

# What a sample asks for in its build file, and the virtual GPU has not.
NOT_HERE = {"OpenGL": "graphics", "GLUT": "graphics", "Vulkan": "graphics", "EGL": "graphics", "D3D": "graphics",
            "npp": "NPP", "nvjpeg": "nvJPEG", "NVSCI": "NvSci", "NvSci": "NvSci", "nvrtc": "NVRTC", "libNVVM": "libNVVM",
            "libnvvm": "libNVVM", "find_package(MPI": "MPI", "FreeImage": "FreeImage", "Tegra": "Tegra",
            "cusolver": "cuSOLVER", "nvJitLink": "nvJitLink"}
# Sources that clang refuses for a character, which `nvcc` does without: file, what is there, what is compiled. A copy
# is compiled, and the outcome says so.
MENDED = {"conjugateGradientMultiDeviceCG": ("conjugateGradientMultiDeviceCG.cu", '"r"(reg_val) "l"', '"r"(reg_val), "l"')}
# Samples whose kernels fail on purpose.
FAILING = {"simpleAssert"}
# Samples that are about several GPUs.
SEVERAL = {"conjugateGradientMultiDeviceCG"}
# Options of samples that measure for long, for --small.
ARGUMENTS = {"UnifiedMemoryPerf": ["-kernel-iterations=1"]}


def device_file(text, nvcc):
    """The command that makes the file with device code that a sample loads by the driver's interface."""
    found = re.search(r'set\(CUDA_(FATBIN|PTX)_FILE "\$\{CMAKE_CURRENT_BINARY_DIR\}/(\S+)"\)', text)
    source = re.search(r'set\(CUDA_KERNEL_SOURCE "\$\{CMAKE_CURRENT_SOURCE_DIR\}/(\S+)"\)', text)
    if not found or not source:
        return []
    return [[*nvcc, f"-{found.group(1).lower()}", "-o", found.group(2), source.group(1)]]


def sources_of(name, folder, text):
    """The sources of a sample; of some a copy that clang takes."""
    found = re.search(r"add_executable\(\s*\S+\s+([^)]*)\)", text)
    sources = [source for source in found.group(1).split() if source.endswith((".cu", ".cpp", ".c"))] if found else []
    if name in MENDED:
        source, there, taken = MENDED[name]
        content = (folder / source).read_text()
        if there not in content:
            return sources
        copy = f"mended_{source}"
        (folder / copy).write_text(content.replace(there, taken))
        sources = [copy if each == source else each for each in sources]
    return sources


def programs(folder, nvcc, headers_13, options):
    """The name of each sample, its folder, the commands that build and run it, why it is left out. `headers_13`:
    whether CUDA 13's headers are there, which the driver's interface is written for."""
    arguments = json.loads((folder / "test_args.json").read_text())
    for made in sorted(folder.glob("Samples/*/*/CMakeLists.txt")):
        text, name = made.read_text(), made.parent.name
        needs = [why for sign, why in NOT_HERE.items() if sign in text]
        if "Tegra" in str(made) or "8_Platform" in str(made):
            needs = ["another platform"]
        driver = "cuda_driver" in text
        if driver and not headers_13:
            needs.append("CUDA 13's headers (scripts/fetch --cuda-headers 13)")
        sources = sources_of(name, made.parent, text)
        if not sources and not needs:
            continue
        compiler = [nvcc, *(["--cuda-headers=13"] if driver else []), "-O2", "-std=c++17"]
        libraries = [f"-l{name}" for name in sorted(set(re.findall(r"CUDA::(cublas|cufft|curand|cusparse)\b", text)))]
        libraries += ["-Xcompiler", "-fopenmp"] if "OpenMP" in text else []
        libraries += [f"-L{nvcc.parent.parent}/lib64/stubs", "-lcuda"] if driver else []
        include = [path for line in re.findall(r"include_directories\(([^)]*)\)", text) for path in line.split()]
        includes = [f"-I{path}" for path in include if not path.startswith("$")]
        program = f"./{name}.vgpu"
        build = [*device_file(text, [*compiler, *includes]), [*compiler, *includes, *sources, "-o", program, *libraries]]
        known = arguments.get(name, {})
        small = ARGUMENTS.get(name, []) if options.small else []
        devices = ["env", "OMPTARGET_VGPU_DEVICES=2"] if name in SEVERAL else []
        runs = [[*devices, program, *run.get("args", []), *small] for run in known.get("runs", [known])]
        skip = ", ".join(dict.fromkeys(needs)) or ("graphics" if known.get("skip") else None)
        yield name, made.parent, build, runs, skip

"""AMD GPUs' half of bench/footprint: code objects, and what LLVM makes of the same programs with its own device runtime."""

import re
from dataclasses import dataclass

ARCHITECTURE = "gfx90a"
# How much registers and instructions may grow beyond LAST: other releases of LLVM choose a little differently.
SPARE_REGISTERS = 2
SPARE_INSTRUCTIONS = 1.03


@dataclass
class Figures:
    """What a kernel costs: bytes of LDS, vector and scalar registers, spilled ones, machine instructions, bytes of private
    memory per thread."""

    lds: int
    vector: int
    scalar: int
    spilled: int
    instructions: int
    private: int

    def bounded(self):
        """The figures that have bounds, with their names."""
        return {"bytes of LDS": self.lds, "vector registers": self.vector, "scalar registers": self.scalar,
                "spilled registers": self.spilled, "instructions": self.instructions}


# Figures of LLVM 19.1.7's device runtime, by clang 22.1.8 alone, for ARCHITECTURE at -O2. Programs with 128 shared scalars
# cannot be linked with it, and its locks are traps.
LLVM_19 = {
    "generic, no openmp-opt": Figures(2112, 43, 106, 0, 1290, 16),
    "SPMD, no openmp-opt": Figures(64, 30, 68, 0, 922, 0),
    "parallel through a pointer": Figures(536, 32, 76, 0, 340, 0),
    "1 shared scalar": Figures(64, 20, 37, 0, 517, 0),
    "32 shared scalars": Figures(1064, 88, 37, 0, 940, 0),
    "62 shared scalars": Figures(1544, 99, 37, 0, 1456, 512),
    "saxpy": Figures(0, 11, 24, 0, 72, 0),
    "EPCC for": Figures(0, 6, 20, 0, 93, 0),
    "EPCC barrier": Figures(0, 2, 16, 0, 60, 0),
    "EPCC single": Figures(0, 2, 13, 0, 58, 0),
    "EPCC master": Figures(0, 2, 13, 0, 58, 0),
    "EPCC atomic": Figures(0, 2, 10, 0, 1300, 0),
    "EPCC critical": Figures(0, 6, 18, 0, 127, 0),
    "reduction across teams": Figures(264, 28, 50, 0, 446, 0),
    "nested parallel": Figures(56, 22, 48, 0, 1521, 0),
}
# The figures of the rows last measured.
LAST = {
    "generic, no openmp-opt": Figures(440, 32, 56, 0, 936, 16),
    "SPMD, no openmp-opt": Figures(0, 10, 22, 0, 52, 0),
    "parallel through a pointer": Figures(32, 32, 74, 0, 252, 0),
    "1 shared scalar": Figures(16, 12, 37, 0, 169, 0),
    "32 shared scalars": Figures(144, 28, 37, 0, 333, 0),
    "62 shared scalars": Figures(264, 34, 37, 0, 499, 0),
    "128 shared scalars": Figures(528, 54, 37, 0, 858, 0),
    "saxpy": Figures(0, 10, 22, 0, 52, 0),
    "EPCC for": Figures(0, 6, 20, 0, 92, 0),
    "EPCC barrier": Figures(0, 2, 16, 0, 59, 0),
    "EPCC single": Figures(0, 2, 13, 0, 56, 0),
    "EPCC master": Figures(0, 2, 13, 0, 56, 0),
    "EPCC atomic": Figures(0, 2, 10, 0, 1297, 0),
    "EPCC critical": Figures(0, 4, 20, 0, 61, 0),
    "EPCC lock": Figures(0, 10, 55, 0, 702, 0),
    "reduction across teams": Figures(260, 18, 46, 0, 446, 0),
    "nested parallel": Figures(0, 2, 10, 0, 6, 0),
    "runtime": Figures(576, 36, 68, 0, 941, 0),
    "dynamic": Figures(64, 12, 21, 0, 114, 0),
    "guided": Figures(64, 22, 48, 0, 356, 0),
    "ordered": Figures(576, 39, 54, 0, 1323, 0),
    "doacross": Figures(520, 40, 53, 0, 1323, 48),
    "tasks": Figures(0, 16, 38, 0, 570, 16),
    "taskloop": Figures(512, 78, 106, 9, 1619, 128),
    "taskgroup": Figures(2560, 59, 106, 23, 3393, 224),
    "detach": Figures(2560, 63, 106, 19, 3513, 240),
    "scan": Figures(784, 74, 46, 0, 1577, 0),
    "nest lock": Figures(0, 12, 34, 0, 180, 0),
    "allocator": Figures(512, 16, 48, 0, 619, 0),
    "allocate": Figures(512, 8, 14, 0, 24, 48),
    "sections": Figures(0, 6, 14, 0, 86, 0),
    "loop": Figures(0, 8, 18, 0, 48, 0),
    "copyprivate": Figures(520, 32, 50, 0, 996, 32),
    "num threads": Figures(2060, 32, 37, 0, 165, 0),
    "set schedule": Figures(10336, 62, 104, 14, 6185, 112),
    "set in region": Figures(2560, 32, 77, 0, 768, 32),
    "team reduction": Figures(256, 14, 16, 0, 158, 0),
    "array reduction": Figures(260, 32, 52, 0, 865, 48),
    "dispersed": Figures(0, 4, 24, 0, 27, 0),
}


def source_text(text):
    """A generated program with AMD's constraints of inline assembly."""
    return text.replace('"l"(p)', '"v"(p)').replace('"r"(', '"v"(')


def clang_flags(options):
    """What clang is told where the runtime is not ours: whether the image stays bitcode with its LDS not laid out, or
    becomes machine code."""
    link = ["-fno-openmp-target-jit"] if options.clang else \
        ["-fopenmp-target-jit", "-Xoffload-linker", "-mllvm=-amdgpu-enable-lower-module-lds=false"]
    return ["-Xopenmp-target=amdgcn-amd-amdhsa", "-nogpulib", *link]


def read(object_file, llvm, run):
    """The figures of a code object's only kernel."""
    notes, _ = run([llvm / "llvm-readelf", "--notes", object_file], "llvm-readelf")

    def number(name):
        found = re.findall(rf"^ *(?:- )?\.{name}: *(\d+)$", notes, re.M)
        return max(map(int, found))
    code, _ = run([llvm / "llvm-objdump", "-d", "--no-leading-addr", "--no-show-raw-insn", object_file], "llvm-objdump")
    lines = re.findall(r"^\t(\S+)", code, re.M)
    padding = ("s_nop", "s_code_end")
    return Figures(number("group_segment_fixed_size"), number("vgpr_count"), number("sgpr_count"),
                   number("vgpr_spill_count") + number("sgpr_spill_count"),
                   sum(1 for line in lines if line not in padding), number("private_segment_fixed_size"))


# Where a figure may be above LLVM's, and up to what.
EXCEPTIONS = {
    # The mask of the lanes that enter, so that the loop around them has an iteration for each and not for each thread.
    ("EPCC critical", "scalar registers"): 20,
}


def failures(name, figures):
    """Where a row is above LLVM's, or has grown, in words."""
    wrong = []
    for what, limit in (LLVM_19[name].bounded().items() if name in LLVM_19 else ()):
        value = figures.bounded()[what]
        if value > EXCEPTIONS.get((name, what), limit):
            wrong.append(f"{value} {what}, LLVM has {limit}")
    last = LAST[name].bounded()
    for what, value in figures.bounded().items():
        spare = SPARE_REGISTERS if "registers" in what else last[what] * (SPARE_INSTRUCTIONS - 1) + 2
        if value > last[what] + (0 if what.startswith(("bytes", "spilled")) else spare):
            wrong.append(f"{value} {what}, last measured {last[what]}")
    return wrong


def table(rows, options, measure):
    """Prints the table; returns what is not kept. `measure` compiles a row with options."""
    print(f"{'kernel':<27}{'LDS':>7}{'VGPRs':>7}{'SGPRs':>7}{'spilled':>8}{'code':>7}{'private':>8}"
          f"  LLVM 19: {'LDS':>6}{'VGPRs':>7}{'SGPRs':>7}{'spilled':>8}{'code':>7}")
    wrong = []
    for row in rows:
        figures = measure(row, options)
        default = (options.arch, options.level, options.clang) == (ARCHITECTURE, "-O2", False)
        failed = failures(row.name, figures) if default else []
        wrong += [f"{row.name}: {what}" for what in failed]
        llvm = LLVM_19.get(row.name)
        other = "none" if llvm is None else \
            f"{llvm.lds:>6}{llvm.vector:>7}{llvm.scalar:>7}{llvm.spilled:>8}{llvm.instructions:>7}"
        print(f"{row.name:<27}{figures.lds:>7}{figures.vector:>7}{figures.scalar:>7}{figures.spilled:>8}"
              f"{figures.instructions:>7}{figures.private:>8}{' !' if failed else '  '}         {other}", flush=True)
    return wrong

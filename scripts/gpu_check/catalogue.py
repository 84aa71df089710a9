"""Which programs a bundle has."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Program:
    """A program of one or more source files, relative to the project's root."""

    kind: str
    name: str
    sources: tuple
    flags: tuple = ()
    # Argument lists it is run with; `{data}` is the folder of data files.
    runs: tuple = field(default=((),))

    def is_c(self):
        """Whether it is in C; otherwise in C++."""
        return all(source.endswith(".c") for source in self.sources)


def example(name, *more, runs=((),)):
    sources = tuple(f"examples/{source}" for source in (name, *more))
    return Program("examples", name.split(".")[0], sources, (), runs)


def test(name, *more, flags=(), suffix=""):
    sources = tuple(f"tests/programs/{source}" for source in (name, *more))
    return Program("tests", name.split(".")[0] + suffix, sources, ("-DOFFLOAD", *flags))


EXAMPLES = [
    example("saxpy.c"), example("dot.c"), example("heartwall.c", "heartwall_kernel.c"),
    example("histogram.c", runs=((), ("{data}/mri.pgm",))), example("sharing.c"),
    example("kmeans.cpp", runs=((), ("{data}/digits.csv",))), example("stencil.cpp"), example("reduce_warp.c"),
    example("declare_target.cpp"), example("nested.c"),
]

# Self-checking programs: with offload they end with PASS and nothing else. Left out is what machine code cannot have
# (docs/codegen.md): long double on the device, more than 48 KiB of static shared memory.
TESTS = [
    *(test(f"{name}.c") for name in ("map", "modifiers", "structs", "data", "privates", "mapper", "async", "schedules",
                                     "sync", "doacross", "queries", "heap", "guards", "reduce_sizes", "reduce_apart",
                                     "shared_captures")),
    test("link.c", "link_other.c"), test("units.c", "units_other.c"), test("classes.cpp"),
    test("captured_values.cpp"), test("math_special.cpp"),
    test("constructs.c", flags=("-fopenmp-version=52",)), test("tasks.c", flags=("-fopenmp-version=51",)),
    test("routines.c", flags=("-fopenmp-version=51",)),
    *(test("reductions.cpp", flags=(f"-DPART={part}",), suffix=f"_{part}") for part in (1, 2, 3, 4, 5, 6)),
    *(test("reduce_kinds.cpp", flags=(f"-DPART={part}",), suffix=f"_{part}") for part in (1, 2, 3)),
]

PEERS = [Program("peers", name, (f"bench/peers/{name}.c",)) for name in
         ("launch", "saxpy", "sum", "histogram", "transfer")]


# What the bundle for a machine with a GPU leaves out: programs that need a device's answer to be judged, or more than a
# GPU has.
OTHERS = [
    *(test(name) for name in ("captures.c", "copyprivate.cpp", "dag.c", "devices.c", "faults.c", "in_flight.c", "info.c",
                              "kernel_replay.c", "leak.c", "library.cpp", "life.cpp", "limits.c", "ompx.cpp", "print.c",
                              "record.c", "state.c", "text.c", "threadprivate.c", "types.c", "usm.c")),
    test("interop.c", flags=("-fopenmp-version=52",)), test("private_state.c", flags=("-fopenmp-version=51",)),
    test("atomics.c", flags=("-fopenmp-version=51", "-Wno-atomic-alignment", "-latomic")),
]


def nested(root):
    return [Program("nested", path.stem, (f"bench/nested/{path.name}",))
            for path in sorted((root / "bench" / "nested").glob("*.c"))]


def epcc(root):
    return [Program("epcc", f"epcc-{path.stem}", (f"bench/epcc/{path.name}",))
            for path in sorted((root / "bench" / "epcc").glob("*.c"))]


def programs(root):
    """Those of the bundle."""
    return [*EXAMPLES, *TESTS, *PEERS, *nested(root), *epcc(root)]


def every_program(root):
    """Those of the bundle, and the others of tests and benchmarks."""
    benches = [Program(folder, path.stem, (path.relative_to(root).as_posix(),))
               for folder in ("vgpu.d", "host.d") for path in sorted((root / "bench" / folder).glob("*.c"))]
    return [*benches, *OTHERS, *programs(root)]

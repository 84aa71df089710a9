"""The programs of examples/ and tests/programs that check themselves: sources, flags, arguments."""

EXAMPLES = [
    (["examples/saxpy.c"], [], []),
    (["examples/dot.c"], [], []),
    (["examples/heartwall.c", "examples/heartwall_kernel.c"], [], []),
    (["examples/histogram.c"], [], []),
    (["examples/sharing.c"], [], []),
    (["examples/kmeans.cpp"], [], []),
    (["examples/stencil.cpp"], [], []),
    (["examples/reduce_warp.c"], [], []),
    (["examples/declare_target.cpp"], [], []),
    (["examples/nested.c"], [], []),
]
OPENMP = "-fopenmp-version="
PLAIN = ["map", "team_sizes", "records", "shared_captures", "structs", "data", "guards", "privates", "async", "types",
         "collapsed", "schedules", "reduce_sizes", "reduce_apart", "sync", "doacross", "sent", "queries", "captures",
         "text", "heap", "services", "mapper", "modifiers", "dag", "math_intrinsics", "variables_only"]
PLAIN_CXX = ["math_special", "captured_values", "classes", "math", "library", "ompx", "copyprivate", "host_pointers"]
# Programs that need a GPU whose kernels follow host pointers.
UNIFIED = ["tests/programs/usm.c", "tests/programs/usm_classes.cpp"]
PROGRAMS = (
    [([f"tests/programs/{name}.c"], [], []) for name in PLAIN]
    + [([f"tests/programs/{name}.cpp"], [], []) for name in PLAIN_CXX]
    + [
        (["tests/programs/link.c", "tests/programs/link_other.c"], [], []),
        (["tests/programs/units.c", "tests/programs/units_other.c"], [], []),
        (["tests/programs/distribute.c"], [], ["any"]),
        (["tests/programs/constructs.c"], [OPENMP + "52"], []),
        (["tests/programs/more_constructs.c"], [OPENMP + "60"], []),
        (["tests/programs/tasks.c"], [OPENMP + "51"], []),
        (["tests/programs/atomics.c"], [OPENMP + "51", "-Wno-atomic-alignment", "-latomic"], []),
        (["tests/programs/routines.c"], [OPENMP + "51"], []),
        (["tests/programs/private_state.c"], [OPENMP + "51"], []),
        (["tests/programs/features_50.cpp"], [OPENMP + "51"], []),
        (["tests/programs/features_60.c"], [OPENMP + "60"], []),
    ]
    + [([source], [], []) for source in UNIFIED]
    + [(["tests/programs/reductions.cpp"], [f"-DPART={part}"], []) for part in range(1, 7)]
    + [(["tests/programs/reduce_kinds.cpp"], [f"-DPART={part}"], []) for part in range(1, 4)]
)

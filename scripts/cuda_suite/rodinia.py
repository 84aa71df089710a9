"""Rodinia's CUDA programs: how each is built and run, on which input, and how its results are known to be right: by a
check of its own, by those of its OpenMP version, or by what the input was made for."""

import math
import pathlib
import re

from . import rodinia_inputs as inputs

# Programs seed their random numbers with the time.
FIXED_TIME = "#include <time.h>\n#define time(place) ((time_t)7)\n"
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)\b")


def values(text):
    """The numbers in a text."""
    return [float(number) for number in NUMBER.findall(text)]


def differ(ours, theirs, tolerance):
    """Where two lists of numbers differ. `None`: nowhere."""
    if len(ours) != len(theirs) or not ours:
        return f"{len(ours)} numbers, not {len(theirs)}"
    for index, (one, other) in enumerate(zip(ours, theirs)):
        same = one == other or math.isnan(one) and math.isnan(other)
        if not same and not abs(one - other) <= tolerance * max(1.0, abs(other)):
            return f"number {index} is {one:g}, not {other:g}"
    return None


def files(ours, theirs, tolerance=1e-4):
    """Compares the numbers of two files."""
    def check(folder, _said):
        return differ(values((folder / ours).read_text()), values((folder / theirs).read_text()), tolerance)
    return check


def says(*wanted, never=()):
    """The program prints these texts, and none of those."""
    def check(_folder, said):
        missing = [text for text in wanted if text not in said]
        bad = [text for text in never if text in said]
        return f"it does not print {missing[0]!r}" if missing else f"it prints {bad[0]!r}" if bad else None
    return check


def heat(folder, _said):
    """hotspot's: twenty steps of a plate of 64 by 64 cells. (The OpenMP version takes steps of another length.)"""
    side, before, power = 64, values((folder / "heat.txt").read_text()), values((folder / "power.txt").read_text())
    cell, thickness, conductivity, capacity = 0.016 / side, 0.0005, 100, 1.75e6
    resistances = 1 / (2.0 * conductivity * thickness), thickness / (conductivity * cell * cell)
    stored = 0.5 * capacity * thickness * cell * cell
    step = 0.001 / (3.0e6 / (0.5 * thickness * capacity)) / stored
    for _ in range(20):
        after = []
        for index, here in enumerate(before):
            y, x = divmod(index, side)
            around = (before[max(y - 1, 0) * side + x] + before[min(y + 1, side - 1) * side + x]
                      + before[y * side + max(x - 1, 0)] + before[y * side + min(x + 1, side - 1)])
            gain = power[index] + (around - 4 * here) / resistances[0] + (80 - here) / resistances[1]
            after.append(here + step * gain)
        before = after
    written = values((folder / "output.out").read_text())[1::2]
    return differ(written, before, 1e-3)


def levels(folder, _said):
    """bfs's: each node's distance from the source."""
    text = iter((folder / "graph.txt").read_text().split())
    count = int(next(text))
    nodes = [(int(next(text)), int(next(text))) for _ in range(count)]
    source, edges = int(next(text)), int(next(text))
    ends = [(int(next(text)), next(text))[0] for _ in range(edges)]
    costs, frontier = [-1] * count, [source]
    costs[source] = 0
    while frontier:
        found = []
        for node in frontier:
            first, degree = nodes[node]
            for end in ends[first:first + degree]:
                if costs[end] < 0:
                    costs[end] = costs[node] + 1
                    found.append(end)
        frontier = found
    written = [int(line.split("cost:")[1]) for line in (folder / "result.txt").read_text().splitlines()]
    return differ([float(cost) for cost in written], [float(cost) for cost in costs], 0)


def cheapest(_folder, said):
    """pathfinder's: the cheapest way down to each column."""
    rows = [[int(word) for word in line.split()] for line in said.splitlines() if re.fullmatch(r"[\d ]+", line)]
    wall, result = rows[:20], rows[-1]
    costs = wall[0]
    for row in wall[1:]:
        costs = [row[x] + min(costs[max(0, x - 1):x + 2]) for x in range(len(row))]
    return differ([float(cost) for cost in result], [float(cost) for cost in costs], 0)


def nearest(folder, said):
    """nn's: the distances of the five nearest storms."""
    lines = (folder / "storms.db").read_text().splitlines()
    distances = sorted(math.hypot(float(line[28:33]) - 30, float(line[33:38]) - 90) for line in lines)
    found = [float(distance) for distance in re.findall(r"Distance=([\d.]+)", said)]
    return differ(found, distances[:5], 1e-3)


def centres(folder, said):
    """kmeans's: each centre is that of the points that are nearest to it."""
    points = [[float(word) for word in line.split()[1:]] for line in (folder / "points.txt").read_text().splitlines()]
    found = [[float(word) for word in line.split(":")[1].split()] for line in said.splitlines() if re.match(r"\d+: ", line)]
    if not found:
        return "it prints no centres"
    near = [[] for _ in found]
    for point in points:
        near[min(range(len(found)), key=lambda index: math.dist(found[index], point))].append(point)
    means = [sum(column) / len(group) for group in near if group for column in zip(*group)]
    return differ([value for centre in found for value in centre], means, 0.02)


def accuracy(_folder, said):
    """hotspot3D's: how far it is from what the CPU computed."""
    found = re.search(r"Accuracy: (\S+)", said)
    return None if found and float(found.group(1)) < 1e-2 else "no accuracy, or a bad one"


def printed(name, tolerance, last=0):
    """Compares what is printed with what the OpenMP version wrote to a file, but for times: all, or only the last
    numbers."""
    def check(folder, said):
        kept = re.compile(r"^(XE|YE|\d+:)")
        def of(text):
            return values("\n".join(line for line in text.splitlines() if kept.match(line.strip())))
        return differ(of(said)[-last:], of((folder / name).read_text())[-last:], tolerance)
    return check


def with_whole_brackets(folder):
    """Writes `<<<` for `<< <` in particlefilter's source: nvcc takes both, clang only one."""
    source = folder / "ex_particle_CUDA_float_seq.cu"
    source.write_text(source.read_text().replace("<< <", "<<<").replace(">> >", ">>>"))


class Program:
    """A program: its folder below cuda/, what is made for it, how it is built and run, and the check. What has no
    `make` is built by the commands of its reference."""

    def __init__(self, folder, run, check, make="make", prepare=None, reference=(), skip=None, flags=""):
        self.flags = flags
        self.folder, self.run, self.check, self.make, self.prepare = folder, run, check, make, prepare
        self.reference, self.skip = list(reference), skip


OPENMP = "../../openmp"
TEXTURES = "-DOMPTARGET_TEXTURE_REFERENCES"
GXX = "g++ -O2 -fopenmp -w -include unistd.h -include cuda_suite_time.h -DOPEN"
GCC = "gcc -std=gnu99 -O2 -fopenmp -w -include cuda_suite_time.h"
PROGRAMS = {
    "b+tree": Program("b+tree", "./b+tree.out file keys.txt command commands.txt", files("output.txt", "theirs.txt"),
                      prepare=lambda folder: inputs.tree(folder, 4000),
                      reference=[f"{GCC} -I{OPENMP}/b+tree {OPENMP}/b+tree/main.c {OPENMP}/b+tree/kernel/*.c "
                                 f"{OPENMP}/b+tree/util/*/*.c -lm -o theirs",
                                 "./theirs core 2 file keys.txt command commands.txt && mv output.txt theirs.txt"]),
    "backprop": Program("backprop", "./backprop 1024", says("Training done")),
    "bfs": Program("bfs", "./bfs.out graph.txt", levels, prepare=lambda folder: inputs.graph(folder / "graph.txt", 3000, 4)),
    "cfd": Program("cfd", "./euler3d mesh.txt", files("density", "theirs.txt", 1e-3),
                   make="make euler3d", prepare=lambda folder: inputs.mesh(folder / "mesh.txt", 16),
                   reference=[f"{GXX} -Dblock_length=192 {OPENMP}/cfd/euler3d_cpu.cpp -o theirs",
                              "./theirs mesh.txt && mv density theirs.txt"]),
    "dwt2d": Program("dwt2d", "./dwt2d image.raw -d 64x64 -f -5 -l 3", says(never=["rror"]),
                     prepare=lambda folder: inputs.raw_image(made(folder / "../../data/dwt2d") / "image.raw", 64, 64)),
    "gaussian": Program("gaussian", "./gaussian -f equations.txt", says("Time for CUDA kernels"),
                        prepare=lambda folder: inputs.equations(folder / "equations.txt", 16)),
    "heartwall": Program("heartwall", "", None, skip="its input is a film, and no other serves"),
    "hotspot": Program("hotspot", "./hotspot 64 2 20 heat.txt power.txt output.out", heat,
                       prepare=lambda folder: [inputs.numbers(folder / "heat.txt", 4096, 320, 340),
                                               inputs.numbers(folder / "power.txt", 4096, 0, 0.02)]),
    "hotspot3D": Program("hotspot3D", "./3D 64 8 20 power.txt heat.txt output.out", accuracy,
                         prepare=lambda folder: [inputs.numbers(folder / "heat.txt", 32768, 320, 340),
                                                 inputs.numbers(folder / "power.txt", 32768, 0, 0.02)]),
    "huffman": Program("huffman", "./pavle text.in", says("PASS!", never=["FAIL"]), make="make TESTING=1",
                       prepare=lambda folder: inputs.text(folder / "text.in", 65536)),
    "hybridsort": Program("hybridsort", "./hybridsort r", says("PASSED", never=["missmatch"]), make="make VERIFY=1", flags=TEXTURES),
    "kmeans": Program("kmeans", "./kmeans -o -i points.txt", centres, make="make 'CC=$(NVCC)' 'CC_FLAGS=-fcommon -Wno-implicit-function-declaration'", flags=TEXTURES,
                      prepare=lambda folder: inputs.points(folder / "points.txt", 1000, 4)),
    "lavaMD": Program("lavaMD", "./lavaMD -boxes1d 3", files("result.txt", "theirs.txt", 1e-3), make="make OUTPUT=1 KERNEL_DIM='-include cuda_suite_time.h'",
                      reference=[f"{GCC} -DOUTPUT {OPENMP}/lavaMD/main.c {OPENMP}/lavaMD/kernel/kernel_cpu.c "
                                 f"{OPENMP}/lavaMD/util/*/*.c -lm -o theirs",
                                 "./theirs -cores 2 -boxes1d 3 && mv result.txt theirs.txt"]),
    "leukocyte": Program("leukocyte", "", None, skip="its input is a film, and no other serves"),
    "lud": Program("lud", "cuda/lud_cuda -s 64 -v", says(">>>Verify<<<", never=["dismatch"])),
    # Its suffix tree has undefined behaviour, which optimisation makes an error of. Its own rules want OpenGL.
    "mummergpu": Program("mummergpu", "./mummergpu -l 10 genome.fa reads.fa > found.txt", files("found.txt", "theirs.txt", 0), make=None,
                         prepare=inputs.genome,
                         reference=["for each in mummergpu_main mummergpu_gold PoolMalloc suffix-tree; do "
                                    "g++ -O0 -w -fopenmp -include unistd.h -c src/$each.cpp -o $each.o || exit 1; done",
                                    f"$NVCC -O2 -w -Xcompiler -Wno-reserved-user-defined-literal {TEXTURES} -Isrc "
                                    "src/mummergpu.cu *.o -lcuda -lgomp -o mummergpu",
                                    "./mummergpu -C -l 10 genome.fa reads.fa > theirs.txt"]),
    "myocyte": Program("myocyte", "./myocyte.out 10 1 0", says("Total time:"), prepare=lambda folder: inputs.cells(
        made(folder / "../../data/myocyte"))),
    "nn": Program("nn", "./nn storms.list -r 5 -lat 30 -lng 90", nearest,
                  prepare=lambda folder: inputs.records(folder, 500)),
    "nw": Program("nw", "./needle 256 10", files("result.txt", "theirs.txt"), make="make KERNEL_DIM=-DTRACEBACK",
                  reference=[f"{GXX} {OPENMP}/nw/needle.cpp -o theirs", "./theirs 256 10 2 && mv result.txt theirs.txt"]),
    "particlefilter_float": Program("particlefilter", "./particlefilter_float -x 64 -y 64 -z 6 -np 500",
                                    printed("theirs.txt", 0.02, last=2), make="make float", prepare=with_whole_brackets,
                                    reference=[f"{GCC} {OPENMP}/particlefilter/ex_particle_OPENMP_seq.c -lm -o theirs",
                                               "./theirs -x 64 -y 64 -z 6 -np 500 > theirs.txt"]),
    "particlefilter_naive": Program("particlefilter", "./particlefilter_naive -x 64 -y 64 -z 6 -np 500",
                                    printed("theirs.txt", 0.02), make="make naive",
                                    reference=[f"{GCC} {OPENMP}/particlefilter/ex_particle_OPENMP_seq.c -lm -o theirs",
                                               "./theirs -x 64 -y 64 -z 6 -np 500 > theirs.txt"]),
    "pathfinder": Program("pathfinder", "./pathfinder 300 20 5", cheapest),
    "srad_v1": Program("srad/srad_v1", "./srad 20 0.5 64 64", files("image_out.pgm", "theirs.txt", 0.02),
                       prepare=lambda folder: inputs.image(made(folder / "../../../data/srad") / "image.pgm", 64, 64),
                       reference=["gcc -O2 -fopenmp -w ../../../openmp/srad/srad_v1/main.c -lm -o theirs",
                                  "./theirs 20 0.5 64 64 2 && mv image_out.pgm theirs.txt"]),
    "srad_v2": Program("srad/srad_v2", "./srad 128 128 0 31 0 31 0.5 2", says("Computation Done")),
    "streamcluster": Program("streamcluster", "./sc_gpu 5 10 16 512 512 100 none output.txt 1",
                             files("output.txt", "theirs.txt", 1e-3),
                             reference=[f"{GXX} {OPENMP}/streamcluster/streamcluster_omp.cpp -lpthread -o theirs",
                                        "./theirs 5 10 16 512 512 100 none theirs.txt 1"]),
}


def made(folder):
    """A folder that exists from now on."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def home(folder, samples):
    """A folder with what build files expect in the user's: the suite itself, headers that old CUDA brought along."""
    place = made(folder / "cuda_suite_home")
    link = place / "rodinia_3.0"
    if not link.exists():
        link.symlink_to(folder)
    headers = made(place / "include")
    made(headers / "GL")
    # Named and not used.
    (headers / "GL/glew.h").write_text("")
    (headers / "cuda_suite_time.h").write_text(FIXED_TIME)
    found = [str(headers)]
    if samples:
        found.append(str(pathlib.Path(samples).resolve() / "Common"))
    return place, ":".join(found)


def programs(folder, samples, toolkit, nvcc):
    """The name of each program, its folder, the commands that build it, the one that runs it, why it is left out, and
    the check."""
    place, headers = home(folder, samples)
    environment = f"HOME={place} CPATH={headers} LD_LIBRARY_PATH={toolkit}/lib64 LIBRARY_PATH={toolkit}/lib64"
    for name, program in PROGRAMS.items():
        where = folder / "cuda" / program.folder
        if program.skip or not where.exists():
            yield name, where, [], "", program.skip or "not in the folder", None
            continue
        if program.prepare:
            program.prepare(where)
        flags = f"-DBENCH_PRINT -w -include cuda_suite_time.h {program.flags}"
        build = []
        if program.make:
            make = program.make.replace("make", f"make -B CUDA_DIR={toolkit} NVCC={nvcc}", 1)
            build = [["sh", "-c", f"{environment} NVCC_APPEND_FLAGS='{flags}' {make}"]]
        build += [["sh", "-c", f"export NVCC={nvcc} {environment}; {command}"] for command in program.reference]
        yield name, where, build, f"{environment} {program.run}", None, program.check

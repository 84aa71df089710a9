"""HeCBench's CUDA programs: how each is built and run, by its build file, and with which arguments."""

import re
import subprocess

from . import hecbench_inputs as inputs

# What build files leave to their users. A launcher starts several processes; one of MPI's does without.
VARIABLES = ["ARCH=sm_80", "LAUNCHER=", "GSL=/usr", "GSL_INC=", "GSL_LIB=-lgsl -lgslcblas"]
# Where Debian has Open MPI's headers; its libraries are found anyhow.
MPI = "/usr/lib/x86_64-linux-gnu/openmpi"
# What a build file names, and is not here.
NOT_HERE = {"-lnccl": "NCCL", "nvshmem": "NVSHMEM", "-lcudnn": "cuDNN", "-lcusolver": "cuSOLVER",
            "setup.py": "PyTorch"}
# Words of a command line that are files, those of them that it writes, and how programs complain of absent ones.
FILE = re.compile(r"(?:[\w.+-]+/)*[\w.+-]+\.[a-zA-Z]\w*|(?:[\w.+-]+/)+[\w.+-]+")
RESULT = re.compile(r"(?<!trace\.)out|result|denoised", re.IGNORECASE)
ABSENT = re.compile(r".*(?:(?:cannot|can't|could ?n[o']t|can not|unable to|failed to|error|fail to) ?(?:be )?"
                    r"(?:open|read|load|find|access)|not (?:be )?(?:open|found)|file error|file open).*", re.IGNORECASE)
# Complaints that leave no doubt, also of programs that end as if all were well.
SURELY_ABSENT = re.compile(r".*(?:no such (?:file|folder)|file \S+ does not exist|bad file path).*", re.IGNORECASE)
# Smaller arguments, for --small, of programs that the rule for sizes does not suit.
ARGUMENTS = {
    "adv": "7 15 200 2", "aidw": "4 1 2", "atomicIntrinsics": "20 2", "atomicPerf": "2",
    "atomicReduction": "1048576 2", "attention-paged": "2 4 128 256 128 2", "babelstream": "-s 1048576 -n 2",
    "bezier-surface": "-n 256", "bh": "512 1",
    "bitcracker": "-f ./hash_pass/img_win8_user_hash.txt -d ./hash_pass/user_passwords_60000.txt -b 16",
    "bitonic-sort": "16 2", "blas-gemmBatched": "-l 2 -u 20 -n 100 -r 1", "blockScan": "2048 2",
    "channelShuffle": "2 32 32 2", "channelSum": "32 32 2", "compute-score": "-p=2", "contract": "16 2",
    "crc64": "10 5 33554432", "crs": "1 2", "dense-embedding": "100000 256 2", "doh": "120 160 2",
    "dpid": "64 48 0.5 2", "dwconv": "4 4 32 32 2", "eikonal": "-s 32", "epistasis": "32 2000 2", "ert": "2 16",
    "fdtd3d": "--dimx=96 --dimy=96 --timesteps=2", "flip": "3 64 2", "floydwarshall": "128 2 16",
    "gaussian": "-q -t -s 256", "gelu": "8 256 512 2", "gemv": "-s 4096 -i 2 -x 32 -y 4", "glu": "3 64 2",
    "gmm": "10 data result", "gpp": "test", "gru": "256 64 2", "hadamard": "128 2", "histogram": "--i=1",
    "hotspot3D": "512 8 20 ../data/hotspot3D/power_512x8 ../data/hotspot3D/temp_512x8 output.out", "lfib4": "4194304",
    "linearprobing": "1 1", "logprob": "64 8 1000 2", "lr": "2 0", "lud": "-s 512",
    "lulesh": "-i 2 -s 16 -r 11 -b 1 -c 1", "lut-gemm": "0 2", "mask": "64 64 64 2", "matern": "16 2",
    "mdh": "-itmax 1", "metropolis": "-l 32 11 -t 4.7 0.1 -a 2 2 20 10 -h 1.0 -z 7919",
    "minimod": "--warm-up --niters 1 --grid 64 --nsteps 4", "minmax": "1024 2", "moe": "1024 64 1 2",
    "morphology": "8 8 256 256 2", "multimaterial": "200 200 0.3 0.05 0.05", "nbody": "1024 3", "nqueen": "10 7 2",
    "nw": "1024 10 2", "page-rank": "-n 1000 -i 2", "pathfinder": "1000 100 5", "pcc": "1024 2",
    "pool": "4 8 64 64 32 32 2", "radixsort2": "-float -keysonly -n=65536", "reshapeKVCache": "64 8 64 2",
    "rle": "--i=1", "rowwiseMoments": "16 16 32 32 4 2", "rsbench": "-s small -m event",
    "s3d": "-q -n 1 -s 1", "scan2": "2 65536 256", "sddmm-batch": "2 128 128 128 128 2 1", "segment-reduce": "4 2",
    "shuffle": "100 2", "silu": "4 4 64 64 2", "simplemoc": "-s 1000 -e 128 -n 2", "simpleSpmv": "65536 1024 2",
    "sort": "1 2", "spaxpby": "1024 1024 2048 2", "spd2s": "1024 1024 2048 2", "spgeam": "1024 1024 2048 2 1",
    "spgemm": "128 128 128 128 2 1", "spmm": "128 128 128 128 128 2 1", "spnnz": "1024 1024 2048 2",
    "sps2d": "1024 1024 2048 2", "spsm": "1024 16 2048 2 1", "spsort": "1024 1024 2048 2",
    "sssp": "-g 120 -t 1 -w 2 -r 2 -l 8", "su3": "-i 2 -l 8 -t 128 -v 3 -w 1", "surfel": "1024 64 48 2",
    "thomas": "256 256 64 2",
    "tpacf": "-d data/small/Datapnts.1 -p 1024 -r data/small/Randompnts -n 4 -q 1024 -b 5 -l 1 -u 1000 -a -j "
             "10 -o results.dat",
    "tridiagonal": "-num_systems=4096", "tsne": "-k 200 -n 10", "wedford": "64 64 512 2",
    "xsbench": "-s small -m event -r 2",
}
# Programs whose last argument is no count of launches.
NOT_REPEATED = {"is", "scan2"}
# Variables of build files that do not suit their own programs: this one's tests start it by another name.
OWN_VARIABLES = {"grep": ["program=nfa"]}
# Programs whose kernels fail on purpose, which the library reports.
FAILING = {"assert"}
# Sizes up to these stay, where sizes are made smaller: of a program with one, and with several.
LARGE, SEVERAL = 1 << 16, 1 << 10


def lines(made):
    """What `make -n run` prints, a command a line."""
    said = subprocess.run([*made, "-n", "run"], capture_output=True, text=True, check=False).stdout
    return [line.strip() for line in said.replace("\\\n", " ").splitlines()]


def is_run(line):
    """Whether a line starts the program: it neither builds it, nor what it is compared with on the host."""
    if re.search(r"\./(get_|generate_|main-cpu)|\.a( |$)", line):
        return False
    start = r"(cd \S+ *(&&|;) *)?(\w+=\S+ +)*(mpi(run|exec) .*?)?"
    return re.match(start + r"[\w./]*/[\w+-]+(\.sh)?( |$)(?!.*\.o\b)", line) is not None


def smaller(number, most):
    """A size of the same kind that is not above `most`, if there is one: round numbers stay round, and powers of two
    such."""
    while number > most and number % 10 == 0 and number % 1024 != 0:
        number //= 10
    while number > most and number % 2 == 0:
        number //= 2
    return number


def reduced(name, line, options):
    """A program's command with `--repeat` in place of its last argument, if that is a number beyond, and with smaller
    sizes if `--small`."""
    if options.small and name in ARGUMENTS:
        return f"{line.split()[0]} {ARGUMENTS[name]}"
    words = line.split()
    places = [place for place, word in enumerate(words) if word.isdigit() and place > 0]
    last = int(words[-1]) if places and places[-1] == len(words) - 1 else 0
    # The last number mostly says how often a kernel is launched. Large powers of two are sizes.
    counts = name not in NOT_REPEATED and (last < SEVERAL or last & (last - 1))
    if options.repeat and last > options.repeat and counts:
        words[places.pop()] = str(options.repeat)
    if options.small:
        large = [place for place in places if int(words[place]) > SEVERAL]
        for place in large:
            words[place] = str(smaller(int(words[place]), LARGE if len(large) == 1 else SEVERAL))
    return " ".join(words)


def absent(folder, command, said, failed):
    """What a program misses of its data. `None`: nothing, as far as one can tell."""
    inside = re.match(r"cd (\S+)", command)
    where = folder / inside.group(1) if inside else folder
    words = [word for word in command.split()[1:] if FILE.fullmatch(word) and not RESULT.search(word)]
    missing = [word for word in words if not (where / word).exists()]
    sure, complaint = SURELY_ABSENT.search(said), ABSENT.search(said)
    if missing and (failed or sure or complaint):
        return missing[0]
    found = sure or (complaint if failed else None)
    return found.group(0) if found else None


def programs(folder, nvcc, options):
    """The name of each program, its folder, the commands that build it, a function that tells how it is run once it is
    built, why it is left out."""
    if options.inputs:
        inputs.make(folder / "src")
    for where in sorted(folder.glob("src/*-cuda")):
        name = where.name.removesuffix("-cuda")
        files = [file for file in ("Makefile", "Makefile.cuda") if (where / file).exists()]
        if not files:
            yield name, where, [], None, "no Makefile"
            continue
        text = (where / files[0]).read_text(errors="replace")
        skip = next((why for sign, why in NOT_HERE.items() if sign in text), None)
        mpi = [f"MPI_ROOT={MPI}"] if "MPI_ROOT" in text else []
        make = ["make", "-C", where, "-f", files[0], f"CC={nvcc}", f"NVCC={nvcc}", *VARIABLES, *mpi,
                *OWN_VARIABLES.get(name, [])]

        def runs(name=name, make=make):
            found = [line for line in lines(make) if is_run(line)]
            return [["sh", "-c", reduced(name, found[0], options)]] if found else []
        yield name, where, [make], runs, skip

"""Inputs of HeCBench's programs that need several files or a format of their field."""

import itertools
import random
import struct
import subprocess
import sys

from .hecbench_data import floats

# A water molecule, in ångströms.
WATER = "3\nwater\nO 0.0 0.0 0.1173\nH 0.0 0.7572 -0.4692\nH 0.0 -0.7572 -0.4692\n"
# The orbitals of hydrogen and oxygen in the basis STO-3G (Hehre, Stewart and Pople, 1969).
ORBITALS = """H 0
S 3 1.00
3.42525091 0.15432897
0.62391373 0.53532814
0.16885540 0.44463454
****
O 0
S 3 1.00
130.7093200 0.15432897
23.8088610 0.53532814
6.4436083 0.44463454
SP 3 1.00
5.0331513 -0.09996723 0.15591627
1.1695961 0.39951283 0.60768372
0.3803890 0.70011547 0.39195739
****
"""


def water(path):
    """A molecule, and the orbitals of its atoms."""
    path.write_text(WATER)
    path.with_name("basis.dat").write_text(ORBITALS)


def gathers(path, middles, traces, samples):
    """Seismic traces, some for each middle between source and receiver (Seismic Unix's format)."""
    chance, made = random.Random(50), []
    for middle in range(middles):
        for trace in range(traces):
            half = 25 * (trace + 1)
            header = bytearray(240)
            struct.pack_into("<i", header, 20, middle + 1)
            struct.pack_into("<2h4i", header, 68, 1, 1, 100 * middle - half, 0, 100 * middle + half, 0)
            struct.pack_into("<2H", header, 114, samples, 4000)
            made.append(bytes(header) + floats(chance.gauss(0, 1) for _ in range(samples)))
    path.write_bytes(b"".join(made))


def square_lattice(path, side):
    """The folder of a square lattice with one orbital a cell, as lsqt reads it, behind the list of such folders."""
    path.write_text("examples/square\n")
    folder = path.parent / "square"
    folder.mkdir(exist_ok=True)
    (folder / "para.in").write_text("model 1\nanderson_disorder 1\ncalculate_vac\nnumber_of_random_vectors 1\n"
                                    "number_of_moments 50\nenergy_max 5.1\n")
    (folder / "energy.in").write_text("11\n" + "".join(f"{0.8 * step - 4:.2f}\n" for step in range(11)))
    (folder / "time_step.in").write_text("3\n1\n1\n1\n")
    hoppings = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    neighbours = "".join(f"{x} {y} 0 0 -1 0\n" for x, y in hoppings)
    (folder / "lattice.in").write_text(f"{side} {side} 1\n1 1 0 0\n1 1 1\n1 4\n0 0 0\n4\n{neighbours}")


def twisters(path, count):
    """Parameters of Mersenne Twisters, short for the device and long for the host."""
    chance, short, long = random.Random(51), [], []
    for number in range(count):
        matrix, second, third = (chance.getrandbits(32) for _ in range(3))
        short.append(struct.pack("<4I", matrix, second, third, 0))
        shape = (9, 19, 1, 32, 0xFFFFFFFF, 0xFFFFFFFE, 1, 12, 18, 7, 15)
        long.append(struct.pack("<16I", matrix, *shape, second, third, number, 0))
    path.write_bytes(b"".join(short))
    path.with_suffix(".raw").write_bytes(b"".join(long))


def tensor(path):
    """A sparse tensor, by the suite's own generator."""
    dimensions = ["5%128", "5%128", "5%128", "5%64"]
    generator = path.with_name("generate_tensor.py")
    subprocess.run([sys.executable, generator, path, *dimensions], stdout=subprocess.DEVNULL, check=True)


def weights(path):
    """The layers of ResNet that resnet-kernels has: their inputs, weights and biases."""
    sizes = {"input_one_14_1024": 14 * 14 * 1024, "weight_one_1024": 256 * 1024, "bnBias_myKernel_one_1024": 1024,
             "bnScale_myKernel_one_1024": 1024, "bias_128": 128}
    for width in (128, 256):
        sizes |= {f"input_14_1_{width}": 16 * 16 * width, f"weight_winograd_{width}_{width}": 36 * width * width,
                  f"bnBias_winograd_{width}": width, f"bnScale_winograd_{width}": width}
    chance = random.Random(52)
    for name, size in sizes.items():
        path.with_name(name + ".bin").write_bytes(floats(chance.uniform(-0.5, 0.5) for _ in range(size)))


def cascade(path, side):
    """A picture, and a cascade of three stages that looks for faces in it."""
    chance, stages = random.Random(53), [3, 5, 8]
    path.write_bytes(b"P5\n# grey\n%d %d\n255\n" % (side, side) + chance.randbytes(side * side))
    path.with_name("info.txt").write_text("".join(f"{number}\n" for number in [len(stages), *stages]))
    lines = []
    for features in stages:
        for _ in range(features):
            for weight in (-4096, 8192, 0):
                x, y = chance.randrange(12), chance.randrange(12)
                lines += [x, y, chance.randint(1, 11), chance.randint(1, 11), weight] if weight else [0] * 5
            lines += [chance.randint(-50, 50), chance.randint(-500, 500), chance.randint(-500, 500)]
        lines.append(-200 * features)
    path.with_name("class.txt").write_text("".join(f"{number}\n" for number in lines))


def lock(path):
    """What a locked disk tells of its password, and passwords to try."""
    chance = random.Random(54)
    salt, nonce, key = (chance.randbytes(size).hex() for size in (16, 12, 60))
    path.write_text(f"$bitlocker$0$16${salt}$1048576$12${nonce}$60${key}\n")
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    tried = ("".join(chance.choices(letters, k=12)) for _ in range(16))
    path.with_name("user_passwords_60000.txt").write_text("".join(f"{word}\n" for word in tried))


def roads(path, side):
    """The streets of a town of square blocks, as sssp reads them, and how far each corner is. All are as long as each
    other: sssp does not find shorter ways with more streets."""
    streets = []
    for place in range(side * side):
        x, y = place % side, place // side
        near = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        streets.append([(b * side + a, 10) for a, b in near if 0 <= a < side and 0 <= b < side])
    begins = [0, *itertools.accumulate(len(out) for out in streets)]
    lines = [f"{len(streets)} {begins[-1]} 0", *(f"{begin} {len(out)}" for begin, out in zip(begins, streets)),
             *(f"{end} {length}" for out in streets for end, length in out)]
    path.write_text("\n".join(lines) + "\n")
    answer = path.parent.parent / "output" / "NYR_bfs.out"
    answer.parent.mkdir(exist_ok=True)
    far = (10 * (place % side + place // side) for place in range(side * side))
    answer.write_text(f"{side * side}\n" + "".join(f"{place} {length}\n" for place, length in enumerate(far)))

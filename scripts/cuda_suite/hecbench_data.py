"""Small tables, sequences and pictures of the forms that HeCBench's programs read."""

import math
import random
import struct

LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def floats(values):
    """Numbers of single precision."""
    values = list(values)
    return struct.pack(f"<{len(values)}f", *values)


def matrices(path, count):
    """3 by 3 matrices, one a line, after their number."""
    chance = random.Random(21)
    rows = [" ".join(f"{chance.uniform(-1, 1):.6f}" for _ in range(9)) for _ in range(count)]
    path.write_text("\n".join([str(count), *rows]) + "\n")


def counts(path, count):
    """Counts, and how long each was observed."""
    chance = random.Random(22)
    path.write_text("".join(f"{chance.randint(0, 30)} {chance.uniform(1, 20):.4f}\n" for _ in range(count)))


def crystal(path):
    """A cube with a framework of atoms, as henry reads it (CSSR)."""
    chance = random.Random(23)
    atoms = [f"{number} {chance.choice(['Zn', 'O', 'C', 'H'])} "
             + " ".join(f"{chance.random():.5f}" for _ in range(3)) for number in range(1, 65)]
    path.write_text("\n".join(["25.832 25.832 25.832", "90 90 90", f"{len(atoms)} 0", "framework", *atoms]) + "\n")


def sky(path, side):
    """A square picture of points of light."""
    chance = random.Random(24)
    values = [chance.uniform(0, 0.01) for _ in range(side * side)]
    for _ in range(20):
        values[chance.randrange(side * side)] = chance.uniform(0.5, 1)
    path.write_bytes(floats(values))


def point_spread(path, side):
    """What a point of light looks like in such a picture."""
    middle = side // 2
    path.write_bytes(floats(math.exp(-((x - middle) ** 2 + (y - middle) ** 2) / 8)
                            for y in range(side) for x in range(side)))


def flow(path, side):
    """Parameters of a flow in a box, as d2q9-bgk reads them."""
    path.write_text(f"{side}\n{side}\n20\n{side}\n0.1\n0.005\n1.7\n")


def walls(path, side):
    """The cells at the edges of such a box, which block the flow."""
    cells = [(x, y) for y in range(side) for x in range(side) if x in (0, side - 1) or y in (0, side - 1)]
    path.write_text("".join(f"{x} {y} 1\n" for x, y in cells))


def cities(path, count):
    """Latitudes and longitudes."""
    chance = random.Random(25)
    path.write_text("".join(f"{chance.uniform(-90, 90):.4f} {chance.uniform(-180, 180):.4f}\n" for _ in range(count)))


def integers(path, count):
    """Numbers of 64 bits, each near to the one before."""
    chance, value, values = random.Random(26), 1 << 40, []
    for _ in range(count):
        value += chance.randint(-1000, 1000)
        values.append(value)
    path.write_bytes(struct.pack(f"<{count}q", *values))


def samples(path, count):
    """Bytes."""
    path.write_bytes(random.Random(27).randbytes(count))


def scan(path, lines, voxels):
    """Places in the space of frequencies and in a body, as mriQ reads them."""
    chance = random.Random(28)
    numbers = 3 * lines + 3 * voxels + 2 * lines
    path.write_bytes(struct.pack("<2i", lines, voxels) + floats(chance.uniform(-1, 1) for _ in range(numbers)))


def text(path, size, alphabet):
    """A text of random letters."""
    path.write_text("".join(random.Random(29).choices(alphabet, k=size)))


def words(path, count):
    """A text of words of which some are frequent."""
    chance = random.Random(30)
    known = ["".join(chance.choices("abcdefghijklmnop", k=chance.randint(2, 8))) for _ in range(2000)]
    path.write_text(" ".join(known[min(1999, int(chance.expovariate(0.01)))] for _ in range(count)))


def changed(chance, sequence, alphabet, share):
    """A sequence in which this share of the letters may be others."""
    return "".join(chance.choice(alphabet) if chance.random() < share else letter for letter in sequence)


def reads(path, count):
    """Pairs of a read of 100 bases and the place in a genome where it may belong."""
    chance, lines = random.Random(31), []
    for _ in range(count):
        read = "".join(chance.choices("ACGT", k=100))
        lines.append(f"{read}\t{changed(chance, read, 'ACGT', chance.choice([0, 0.02, 0.5]))}\n")
    path.write_text("".join(lines))


def sequences(path, count, length, seed):
    """Named sequences of amino acids (FASTA). Files of one seed differ by a tenth of their letters."""
    same, own = random.Random(seed), random.Random(path.name)
    lines = []
    for number in range(count):
        sequence = "".join(same.choices(LETTERS, k=length))
        lines += [f">{number}", changed(own, sequence, LETTERS, 0.1)]
    path.write_text("\n".join(lines) + "\n")


def families(path, count):
    """Named sequences of bases (FASTA), of which some are near to others."""
    chance = random.Random(33)
    parents = ["".join(chance.choices("ACGT", k=chance.randint(200, 400))) for _ in range(count // 4)]
    lines = []
    for number in range(count):
        lines += [f">{number}", changed(chance, parents[number % len(parents)], "ACGT", 0.02)]
    path.write_text("\n".join(lines) + "\n")


def bright(path, width, height):
    """A picture with four numbers a point, as tonemapping reads it."""
    chance = random.Random(34)
    points = " ".join(f"{chance.uniform(0, 5):.4f}" for _ in range(4 * width * height))
    path.write_text(f"{width} {height}\n{points}\n")


def galaxies(path, count):
    """Right ascensions and declinations."""
    chance = random.Random(path.name)
    path.write_text("".join(f"{chance.uniform(0, 360):.5f} {chance.uniform(-90, 90):.5f}\n" for _ in range(count)))


def bits(path, height, width):
    """The places of the ones in a matrix, which is a product of two with few columns."""
    chance = random.Random(35)
    left = [chance.getrandbits(5) & chance.getrandbits(5) for _ in range(height)]
    right = [chance.getrandbits(5) & chance.getrandbits(5) for _ in range(width)]
    ones = [(row, column) for row in range(height) for column in range(width) if left[row] & right[column]]
    path.write_text(f"{height} {width} {len(ones)}\n" + "".join(f"{row} {column}\n" for row, column in ones))


def genes(path, count, conditions):
    """How active genes are under some conditions."""
    chance = random.Random(36)
    head = "\t".join(["gene", *(f"c{number}" for number in range(conditions))])
    rows = ["\t".join([f"g{gene}", *(f"{chance.gauss(0, 1):.4f}" for _ in range(conditions))])
            for gene in range(count)]
    path.write_text("\n".join([head, *rows]) + "\n")


def sea(path, side):
    """The depth of a sea, with a coast (a grid of Surfer's, binary)."""
    depths = [(500 - 4000 * x / side) + 100 * math.sin(y / 9) for y in range(side) for x in range(side)]
    # Longitudes and latitudes of the earthquake that the suite has.
    bounds = struct.pack("<2H6d", side, side, 90, 105, -12, 3, min(depths), max(depths))
    path.write_bytes(b"DSBB" + bounds + floats(depths))


def anchors(path, calls):
    """Matches of a read in a genome, as minimap2's kernel for chains reads them."""
    chance, lines = random.Random(37), []
    for _ in range(calls):
        places = sorted((chance.randrange(200000), chance.randrange(20000)) for _ in range(200))
        lines.append(f"{len(places)} 15.0 5000 5000 500")
        lines += [f"0 {x} 15 {y}" for x, y in places]
        lines.append("EOR")
    path.write_text("\n".join(lines) + "\n")


def digits(folder, images, labels, count):
    """Pictures of 28 by 28 points and what they show (the format of MNIST's files)."""
    chance = random.Random(images)
    (folder / images).write_bytes(struct.pack(">4i", 2051, count, 28, 28) + chance.randbytes(784 * count))
    shown = bytes(chance.randrange(10) for _ in range(count))
    (folder / labels).write_bytes(struct.pack(">2i", 2049, count) + shown)


def docking(folder, poses):
    """A molecule, a protein, and where the molecule may lie, as minibude reads them."""
    chance = random.Random(38)

    def atoms(count, reach):
        return b"".join(floats(chance.uniform(-reach, reach) for _ in range(3)) + struct.pack("<i", chance.randrange(8))
                        for _ in range(count))
    (folder / "ligand.in").write_bytes(atoms(16, 5))
    (folder / "protein.in").write_bytes(atoms(64, 20))
    kinds = b"".join(struct.pack("<i3f", chance.choice([0, 69, 70]), 1.5, chance.uniform(-1, 1), chance.uniform(-1, 1))
                     for _ in range(8))
    (folder / "forcefield.in").write_bytes(kinds)
    (folder / "poses.in").write_bytes(floats(chance.uniform(-3, 3) for _ in range(6 * poses)))


def observations(path, count, features):
    """Observations of two kinds with their features (libSVM's format)."""
    chance, lines = random.Random(39), []
    for _ in range(count):
        kind = chance.choice([-1, 1])
        values = (f"{number + 1}:{chance.gauss(0.3 * kind, 1):.4f}" for number in range(features))
        lines.append(" ".join([f"{kind:+d}", *values]))
    path.write_text("\n".join(lines) + "\n")


def clusters(path, count, dimensions):
    """Points in a few clusters, after a line of names, with commas between."""
    chance, lines = random.Random(40), [",".join(f"d{number}" for number in range(dimensions))]
    for index in range(count):
        middle = 10 * (index % 5)
        lines.append(",".join(f"{chance.gauss(middle, 1):.4f}" for _ in range(dimensions)))
    path.write_text("\n".join(lines) + "\n")


def frames(folder, count, side):
    """Grey pictures of a film, each a file of numbers."""
    for number in range(count):
        chance = random.Random(number)
        points = " ".join(str(chance.randrange(256)) for _ in range(side * side))
        (folder / f"{number}.txt").write_text(f"{side}\n{side}\n{points}\n")


def line(path, count):
    """Points near a line."""
    chance, rows = random.Random(41), []
    for _ in range(count):
        x = chance.uniform(-10, 30)
        rows.append(f"{x:.4f}\t{1.8 * x + 32 + chance.gauss(0, 1):.4f}\n")
    path.write_text("".join(rows))


def play(path):
    """Lines that patterns for the people of a play find, or do not."""
    chance = random.Random(42)
    found = ["ROMEO", "JULIET", "R", "RR", "J", "JJJ", "ROXEO", "ANNIET", "R2D2", "a", "q", "7", "?", "|", "+", "*",
             ".", ".?|+*", "a line?", "this?", "t thi?"]
    path.write_text("".join(f"{chance.choice(found)}\n" for _ in range(64)))

"""Inputs for Rodinia's programs, which come without its data sets: small ones of the same forms."""

import random


def numbers(path, count, low, high):
    """Random numbers, one a line."""
    chance = random.Random(path.name)
    path.write_text("".join(f"{chance.uniform(low, high):.6f}\n" for _ in range(count)))


def graph(path, nodes, edges):
    """A graph as bfs reads it: each node's first edge and how many it has, the source, the edges with their costs."""
    chance = random.Random(1)
    degrees = [chance.randint(1, 2 * edges - 1) for _ in range(nodes)]
    lines, first = [str(nodes)], 0
    for degree in degrees:
        lines.append(f"{first} {degree}")
        first += degree
    lines += ["", "0", "", str(first)]
    lines += [f"{chance.randrange(nodes)} {chance.randint(1, 10)}" for _ in range(first)]
    path.write_text("\n".join(lines) + "\n")


def equations(path, size):
    """A system of linear equations as gaussian reads it. Its solution is 1, 2, 3, …"""
    chance = random.Random(2)
    rows = [[chance.uniform(-1, 1) for _ in range(size)] for _ in range(size)]
    for index, row in enumerate(rows):
        row[index] += size
    right = [sum(value * (column + 1) for column, value in enumerate(row)) for row in rows]
    text = [str(size), ""] + [" ".join(f"{value:.6f}" for value in row) for row in rows]
    path.write_text("\n".join(text + ["", " ".join(f"{value:.6f}" for value in right)]) + "\n")


def records(folder, count):
    """Storms as nn reads them: a list of files, and in each lines with latitude and longitude."""
    chance = random.Random(3)
    line = "1950  1  1  0  1 ALBERTO    {:5.1f}{:5.1f}  45    0\n"
    text = "".join(line.format(chance.uniform(10, 70), chance.uniform(10, 350)) for _ in range(count))
    text = "".join(row.rstrip("\n")[:48].ljust(48) + "\n" for row in text.splitlines())
    (folder / "storms.db").write_text(text)
    (folder / "storms.list").write_text("storms.db\n")


def points(path, count, features):
    """Points as kmeans reads them: a number and the coordinates."""
    chance = random.Random(4)
    def row(index):
        return f"{index} " + " ".join(f"{chance.uniform(0, 100):.4f}" for _ in range(features))
    path.write_text("\n".join(map(row, range(count))) + "\n")


def mesh(path, side):
    """A box of cells as cfd reads it: volume, and for four faces the neighbour and the normal. -2 is far away."""
    count = side * side
    lines = [str(count)]
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    for cell in range(count):
        x, y = cell % side, cell // side
        row = ["1.0"]
        for across, up in steps:
            inside = 0 <= x + across < side and 0 <= y + up < side
            neighbour = (y + up) * side + x + across + 1 if inside else -2
            row.append(f"{neighbour} {across}.0 {up}.0 0.0")
        lines.append(" ".join(row))
    path.write_text("\n".join(lines) + "\n")


def image(path, width, height):
    """A picture in grey."""
    chance = random.Random(5)
    rows = [" ".join(str(chance.randint(1, 254)) for _ in range(width)) for _ in range(height)]
    path.write_text(f"P2\n{width} {height}\n255\n" + "\n".join(rows) + "\n")


def raw_image(path, width, height):
    """The bytes of a picture in colour."""
    path.write_bytes(bytes((x * y + 3 * x + colour * 40) % 256
                           for y in range(height) for x in range(width) for colour in range(3)))


def tree(folder, count):
    """Keys as b+tree reads them, and what it is to look for."""
    (folder / "keys.txt").write_text("".join(f"{number}\n" for number in [count, *range(1, count)]))
    (folder / "commands.txt").write_text(f"j {count // 2} 40\n\nk {count}\n")


def text(path, size):
    """Bytes of which some are frequent."""
    chance = random.Random(7)
    path.write_bytes(bytes(min(255, int(chance.expovariate(0.05))) for _ in range(size)))


def genome(folder):
    """A genome, and reads of it with one letter changed, as FASTA files."""
    chance = random.Random(9)
    letters = "".join(chance.choices("ACGT", k=4000))
    lines = [letters[first:first + 70] for first in range(0, len(letters), 70)]
    (folder / "genome.fa").write_text(">genome\n" + "\n".join(lines) + "\n")
    reads = []
    for number in range(100):
        first = chance.randrange(len(letters) - 60)
        read = list(letters[first:first + 60])
        read[chance.randrange(60)] = chance.choice("ACGT")
        reads.append(f">{number}\n{''.join(read)}\n")
    (folder / "reads.fa").write_text("".join(reads))


def cells(folder):
    """Values and parameters of a heart cell's model, as myocyte reads them: plausible, not measured."""
    chance = random.Random(8)
    (folder / "y.txt").write_text("".join(f"{chance.uniform(0.05, 0.9):.6f}\n" for _ in range(91)))
    (folder / "params.txt").write_text("".join(f"{chance.uniform(0.1, 1.0):.6f}\n" for _ in range(18)))

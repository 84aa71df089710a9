"""Small graphs and sparse matrices of the forms that HeCBench's programs read."""

import random
import struct


def pairs(nodes, count, seed):
    """So many pairs of different nodes, each once and the smaller first, that connect all nodes."""
    chance = random.Random(seed)
    found = {(chance.randrange(node), node) for node in range(1, nodes)}
    while len(found) < count:
        one, other = chance.randrange(nodes), chance.randrange(nodes)
        if one != other:
            found.add((min(one, other), max(one, other)))
    return sorted(found)


def matrix(path, size, count):
    """A symmetric matrix in Matrix Market's format. Its diagonal is large, so that solvers converge."""
    chance = random.Random(11)
    lines = [f"{row + 1} {row + 1} {8 + chance.random():.6f}" for row in range(size)]
    lines += [f"{row + 1} {column + 1} {chance.uniform(-1, 0):.6f}" for column, row in pairs(size, count, 12)]
    head = ["%%MatrixMarket matrix coordinate real symmetric", f"{size} {size} {len(lines)}"]
    path.write_text("\n".join(head + lines) + "\n")


def binary(path, nodes, count, weights=False):
    """An undirected graph as the ECL programs read it: where each node's neighbours begin, the neighbours, weights."""
    chance = random.Random(13)
    neighbours = [[] for _ in range(nodes)]
    for one, other in pairs(nodes, count, 14):
        weight = chance.randint(1, 100)
        neighbours[one].append((other, weight))
        neighbours[other].append((one, weight))
    flat = [edge for node in neighbours for edge in sorted(node)]
    begins = [0]
    for node in neighbours:
        begins.append(begins[-1] + len(node))
    words = [nodes, len(flat), *begins, *(node for node, _ in flat)]
    words += [weight for _, weight in flat] if weights else []
    path.write_bytes(struct.pack(f"<{len(words)}i", *words))


def signed(path, nodes, count):
    """Edges with signs, after a line of names."""
    chance = random.Random(15)
    lines = [f"{one},{other},{chance.choice((-1, 1))}" for one, other in pairs(nodes, count, 16)]
    path.write_text("\n".join(["source,target,sign", *lines]) + "\n")


def edges(path, nodes, count, both=False):
    """Edges, one a line; with `both` in either direction."""
    found = pairs(nodes, count, 17)
    found += [(other, one) for one, other in found] if both else []
    path.write_text("".join(f"{one} {other}\n" for one, other in found))


def nets(path, count):
    """Nets of a circuit whose pins are to be joined, as rsmt reads them (the format of ISPD's contest of 2008)."""
    chance = random.Random(18)
    head = ["grid 100 100 2", "vertical capacity 0 40", "horizontal capacity 40 0", "minimum width 1 1",
            "minimum spacing 1 1", "via spacing 1 1", "0 0 10 10", "", f"num net {count}"]
    for net in range(count):
        pins = chance.randint(2, 12)
        head.append(f"n{net} {net} {pins} 1")
        head += [f"{chance.randrange(1000)} {chance.randrange(1000)} 1" for _ in range(pins)]
    path.write_text("\n".join(head) + "\n")

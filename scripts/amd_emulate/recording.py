"""A recorded launch (docs/recording.md)."""

import json
import mmap
import pathlib
import struct
from dataclasses import dataclass

from . import memory

# What the virtual GPU sets differently from a GPU: nobody compares them.
OWN = ("__omptarget_independent_lanes", "__omp_rtl_device_environment")


@dataclass
class Area:
    """A range of memory: its address when it was recorded, and its bytes."""

    address: int
    variable: str
    before: bytes
    after: bytes


class Recording:
    """What `OMPTARGET_RECORD` has written to a folder."""

    def __init__(self, folder):
        folder = pathlib.Path(folder).resolve()
        told = json.loads((folder / "recording.json").read_text())
        self.kernel = told["kernel"]
        self.grid, self.block = told["grid"], told["block"]
        self.dynamic_shared = told["dynamic_shared"]
        self.arguments = told["arguments"]
        self.image = folder / "image"
        before, after = (folder / "before").read_bytes(), (folder / "after").read_bytes()
        self.areas, at = [], 0
        for area in told["areas"]:
            place, size = area["place"], area["size"]
            variable = place.get("variable")
            address = variable["address"] if variable else told["base"] + place["block"]
            name = variable["name"] if variable else None
            self.areas.append(Area(address, name, before[at:at + size], after[at:at + size]))
            at += size

    def place(self, variables):
        """Puts memory where it was recorded, and variables where the code object has them; `variables` has their addresses by
        name. Returns a function from recorded to real addresses."""
        moved = [(area.address, len(area.before), variables[area.variable]) for area in self.areas if area.variable in variables]

        def real(word):
            for recorded, size, address in moved:
                if recorded <= word < recorded + size:
                    return word - recorded + address
            return word
        blocks = [area for area in self.areas if area.variable is None]
        if blocks:
            start = min(area.address for area in blocks) // mmap.PAGESIZE * mmap.PAGESIZE
            memory.reserve(start, max(area.address + len(area.before) for area in blocks) - start)
        for area in self.areas:
            if area.variable is None or (area.variable in variables and area.variable not in OWN):
                memory.write(real(area.address), translated(area.before, real))
        return real

    def differences(self, variables, real):
        """Compares memory with what was recorded after the launch: bytes compared, words that differ, and how many of those
        differ by more than the last digits of a floating-point number."""
        compared, differing, wrong = 0, 0, 0
        for area in self.areas:
            if area.variable is not None and (area.variable not in variables or area.variable in OWN):
                continue
            expected = translated(area.after, real)
            found = memory.read(real(area.address), len(expected))
            compared += len(expected)
            if found == expected:
                continue
            for at in range(0, len(expected) - len(expected) % 4, 4):
                if found[at:at + 4] != expected[at:at + 4]:
                    differing += 1
                    wrong += not is_near(found, expected, at)
        return compared, differing, wrong


def translated(content, real):
    """Memory with the pointers in it turned into real ones."""
    words = bytearray(content)
    for at in range(0, len(words) - 7, 8):
        word, = struct.unpack_from("<Q", words, at)
        if word and (moved := real(word)) != word:
            struct.pack_into("<Q", words, at, moved)
    return bytes(words)


def is_near(found, expected, at):
    """Whether the 4 bytes at an offset belong to two numbers that differ in their last digits: as `float`, or as the `double`
    around them."""
    for kind, size, limit in (("<f", 4, 1e-5), ("<d", 8, 1e-12)):
        start = at // size * size
        if start + size > len(expected):
            continue
        one, = struct.unpack_from(kind, found, start)
        other, = struct.unpack_from(kind, expected, start)
        if abs(one - other) <= limit * max(abs(one), abs(other)):
            return True
    return False

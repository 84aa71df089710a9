"""A code object in memory ("AMDGPU Back-end User Guide", Code Object)."""

import struct

from . import memory

_LOAD, _NOTE = 1, 4
_DYNSYM, _RELA = 11, 4
# Relocations: the address of a symbol plus addend; the load address plus addend.
_ABS64, _RELATIVE64 = 3, 13
_METADATA = 32


class CodeObject:
    """A loaded code object: `symbols` are addresses by name, `kernels` their metadata by name."""

    def __init__(self, content):
        self.content = content
        segments_at, sections_at = struct.unpack_from("<QQ", content, 0x20)
        segment_size, segment_count, section_size, section_count = struct.unpack_from("<HHHH", content, 0x36)
        segments = [struct.unpack_from("<IIQQQQQ", content, segments_at + i * segment_size) for i in range(segment_count)]
        sections = [struct.unpack_from("<IIQQQQIIQQ", content, sections_at + i * section_size) for i in range(section_count)]
        self.base = memory.allocate(max(s[3] + s[6] for s in segments if s[0] == _LOAD))
        for kind, _, offset, address, _, in_file, _ in segments:
            if kind == _LOAD:
                memory.write(self.base + address, content[offset:offset + in_file])
        dynamic = next(section for section in sections if section[1] == _DYNSYM)
        table = self._symbols(dynamic, sections[dynamic[6]])
        self.symbols = dict(table)
        for section in sections:
            if section[1] == _RELA:
                self._relocate(section, table)
        self.kernels = {}
        for kind, _, offset, _, _, size, _ in segments:
            if kind == _NOTE:
                self._read_notes(content[offset:offset + size])

    def _symbols(self, section, names):
        found = []
        for at in range(section[4], section[4] + section[5], 24):
            name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.content, at)
            start = names[4] + name
            found.append((self.content[start:self.content.index(b"\0", start)].decode(), self.base + value))
        return found

    def _relocate(self, section, table):
        for at in range(section[4], section[4] + section[5], 24):
            offset, info, addend = struct.unpack_from("<QQq", self.content, at)
            kind, symbol = info & 0xffffffff, info >> 32
            base = {_RELATIVE64: self.base, _ABS64: table[symbol][1]}[kind]
            memory.write(self.base + offset, struct.pack("<Q", base + addend))

    def _read_notes(self, notes):
        at = 0
        while at < len(notes):
            name, size, kind = struct.unpack_from("<III", notes, at)
            start = at + 12 + (name + 3) // 4 * 4
            if kind == _METADATA:
                metadata, _ = unpack(notes, start)
                self.kernels = {kernel[".name"]: kernel for kernel in metadata["amdhsa.kernels"]}
            at = start + (size + 3) // 4 * 4

    def descriptor(self, kernel):
        """The kernel descriptor."""
        return Descriptor(self.symbols[kernel + ".kd"])


class Descriptor:
    """What the hardware is told of a kernel (the guide's "Kernel Descriptor")."""

    def __init__(self, address):
        content = memory.read(address, 64)
        self.shared, self.private = struct.unpack_from("<II", content, 0)
        self.entry = address + struct.unpack_from("<q", content, 16)[0]
        self.resources2, self.properties = struct.unpack_from("<IH", content, 52)


def unpack(content, at):
    """A value in MessagePack's format, and where it ends: what metadata is made of."""
    kind = content[at]
    at += 1
    if kind < 0x80:
        return kind, at
    if kind >= 0xe0:
        return kind - 0x100, at
    if kind < 0x90:
        return _pairs(content, at, kind & 0xf)
    if kind < 0xa0:
        return _items(content, at, kind & 0xf)
    if kind < 0xc0:
        return _text(content, at, kind & 0x1f)
    if kind in (0xc2, 0xc3):
        return kind == 0xc3, at
    sizes = {0xcc: ">B", 0xcd: ">H", 0xce: ">I", 0xcf: ">Q", 0xd0: ">b", 0xd1: ">h", 0xd2: ">i", 0xd3: ">q",
             0xd9: ">B", 0xda: ">H", 0xdb: ">I", 0xdc: ">H", 0xdd: ">I", 0xde: ">H", 0xdf: ">I"}
    number, = struct.unpack_from(sizes[kind], content, at)
    at += struct.calcsize(sizes[kind])
    if kind < 0xd9:
        return number, at
    return (_text if kind < 0xdc else _items if kind < 0xde else _pairs)(content, at, number)


def _text(content, at, size):
    return content[at:at + size].decode(), at + size


def _items(content, at, count):
    found = []
    for _ in range(count):
        value, at = unpack(content, at)
        found.append(value)
    return found, at


def _pairs(content, at, count):
    items, at = _items(content, at, 2 * count)
    return dict(zip(items[::2], items[1::2])), at

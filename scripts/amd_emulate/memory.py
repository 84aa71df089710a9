"""Memory of this process, which is the emulated GPU's."""

import ctypes
import mmap

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
# Linux: fail instead of replacing a mapping; pages cost nothing before they are touched.
_FIXED_NOREPLACE, _NORESERVE = 0x100000, 0x4000


def allocate(size):
    """Zeroed memory; its address."""
    return _map(None, size, 0)


def reserve(address, size):
    """Zeroed memory at an address, a multiple of the page size."""
    if _map(address, size, _FIXED_NOREPLACE) != address:
        raise OSError(f"there is no room for recorded memory at {address:#x}")


def _map(address, size, flags):
    flags |= mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
    mapped = _LIBC.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    if mapped in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), f"cannot map {size} bytes")
    return mapped


def read(address, size):
    """Bytes at an address."""
    return ctypes.string_at(address, size)


def write(address, content):
    """Writes bytes."""
    ctypes.memmove(address, content, len(content))

"""Target regions from Python: a shared library, and the standard library's ctypes (docs/python.md).

    omptarget cc -O2 -fPIC -shared examples/python/heat.c -o libheat.so
    python3 examples/python/heat.py ./libheat.so
"""

import array
import ctypes
import sys

ROWS, COLUMNS, STEPS = 64, 96, 50


def declare(library):
    """Tells ctypes the types, so that wrong arguments are errors of Python and not wild addresses."""
    double_p, long, integer = ctypes.POINTER(ctypes.c_double), ctypes.c_long, ctypes.c_int
    library.upload.argtypes = library.download.argtypes = [double_p, long, long]
    library.upload.restype = library.download.restype = None
    library.steps.argtypes = [double_p, ctypes.c_void_p, long, long, integer]
    library.steps.restype = ctypes.c_double
    # The library was linked with OpenMP's, so its routines are found through it (OpenMP 5.2, 18.8).
    library.omp_target_alloc.argtypes = [ctypes.c_size_t, integer]
    library.omp_target_alloc.restype = ctypes.c_void_p
    library.omp_target_free.argtypes = [ctypes.c_void_p, integer]
    library.omp_target_free.restype = None
    return library


def on_device(library, field):
    """STEPS steps on the device; `field` is an array.array('d') or any writable buffer of doubles."""
    device = library.omp_get_default_device()
    # The buffer itself, not a copy: NumPy arrays work in the same way.
    pointer = (ctypes.c_double * len(field)).from_buffer(field)
    scratch = library.omp_target_alloc(8 * len(field), device)
    if not scratch:
        raise MemoryError("no device memory")
    library.upload(pointer, ROWS, COLUMNS)
    change = library.steps(pointer, scratch, ROWS, COLUMNS, STEPS)
    library.download(pointer, ROWS, COLUMNS)
    library.omp_target_free(scratch, device)
    return change


def on_host(field):
    """The same in Python."""
    change = 0.0
    for _ in range(STEPS):
        old, change = field[:], 0.0
        for row in range(1, ROWS - 1):
            for at in range(row * COLUMNS + 1, (row + 1) * COLUMNS - 1):
                field[at] = (old[at - COLUMNS] + old[at + COLUMNS] + old[at - 1] + old[at + 1]) / 4
                change = max(change, abs(field[at] - old[at]))
    return change


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    library = declare(ctypes.CDLL(sys.argv[1]))
    start = array.array("d", (100.0 if at < COLUMNS else 0.0 for at in range(ROWS * COLUMNS)))
    device, host = start[:], start[:]
    changes = on_device(library, device), on_host(host)
    worst = max(abs(a - b) for a, b in zip(device, host))
    print(f"{STEPS} steps, last change {changes[0]:.6f}, devices: {library.omp_get_num_devices()}")
    if worst > 1e-9 or abs(changes[0] - changes[1]) > 1e-9:
        sys.exit(f"FAIL: {worst}")
    print("PASS")


main()

"""Kernels in Triton on CUDA's driver interface, without PyTorch; `scripts/triton-kernels` runs them."""

import ctypes
import sys
import time

import numpy as np
import triton
import triton.language as tl

cuda = ctypes.CDLL("libcuda.so.1")
NAMES = {"float32": "fp32", "float16": "fp16", "int32": "i32"}
random = np.random.default_rng(1)


def call(name, *arguments):
    """A function of the driver."""
    error = getattr(cuda, name)(*arguments)
    if error:
        raise RuntimeError(f"{name}: error {error}")


class Device:
    """An array in device memory, as Triton takes it."""

    def __init__(self, array):
        self.array, self.dtype = array, NAMES[array.dtype.name]
        self.address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(array.nbytes))
        host = array.ctypes.data_as(ctypes.c_void_p)
        call("cuMemcpyHtoD_v2", self.address, host, ctypes.c_size_t(array.nbytes))

    def data_ptr(self):
        return self.address.value

    def get(self):
        """What it holds now."""
        found = np.empty_like(self.array)
        host = found.ctypes.data_as(ctypes.c_void_p)
        call("cuMemcpyDtoH_v2", host, self.address, ctypes.c_size_t(found.nbytes))
        return found


@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(z + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(x, z, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    place = tl.program_id(0) * columns + at
    values = tl.load(x + place, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(z + place, powers / tl.sum(powers, axis=0), mask=at < columns)


@triton.jit
def product(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    left = a + rows[:, None] * K + inner[None, :]
    right = b + inner[:, None] * N + columns[None, :]
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        sums += tl.dot(tl.load(left), tl.load(right))
        left += BK
        right += BK * N
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + at, mask=at < n, other=0), 1, mask=at < n)


@triton.jit
def scan(x, z, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(z + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def sort(x, z, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(z + at, tl.sort(tl.load(x + at)))


@triton.jit
def through_float8(x, z, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(z + at, tl.load(x + at).to(tl.float8e5).to(tl.float32))


@triton.jit
def attention(q, k, v, z, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    inner = tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + inner[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM, D), tl.float32)
    for begin in range(0, n, BN):
        columns = begin + tl.arange(0, BN)
        scores = tl.dot(queries, tl.load(k + columns[None, :] * D + inner[:, None])) * 0.125
        now = tl.maximum(most, tl.max(scores, 1))
        powers, scale = tl.exp(scores - now[:, None]), tl.exp(most - now)
        total = total * scale + tl.sum(powers, 1)
        values = tl.load(v + columns[:, None] * D + inner[None, :])
        sums = sums * scale[:, None] + tl.dot(powers.to(tl.float16), values)
        most = now
    tl.store(z + rows[:, None] * D + inner[None, :], sums / total[:, None])


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def run(kernel, grid, expected, *arguments, **constants):
    """Launches; gives the largest difference from what was expected. The result is the argument that is `None`."""
    result = Device(np.zeros_like(expected))
    kernel[grid](*(result if it is None else it for it in arguments), **constants)
    return np.abs(result.get().astype(np.float64) - expected).max()


def run_add():
    x, y = floats(10000), floats(10000)
    return run(add, (10,), x + y, Device(x), Device(y), None, 10000, BLOCK=1024)


def run_softmax():
    x = floats(64, 781)
    powers = np.exp(x - x.max(1, keepdims=True))
    return run(softmax, (64,), powers / powers.sum(1, keepdims=True), Device(x), None, 781, BLOCK=1024)


def run_product(kind):
    a, b = floats(128, 128).astype(kind), floats(128, 128).astype(kind)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    return run(product, (2, 2), expected, Device(a), Device(b), None, 128, 128, BM=64, BN=64, BK=32)


def run_histogram():
    x = random.integers(0, 64, 5000).astype(np.int32)
    expected = np.bincount(x, minlength=64).astype(np.int32)
    return run(histogram, (5,), expected, Device(x), None, 5000, BLOCK=1024)


def run_scan():
    x = random.integers(0, 64, 1024).astype(np.int32)
    return run(scan, (1,), np.cumsum(x).astype(np.int32), Device(x), None, BLOCK=1024)


def run_sort():
    x = floats(256)
    return run(sort, (1,), np.sort(x), Device(x), None, BLOCK=256)


def run_float8():
    # Each has two bits after the point.
    x = (random.integers(4, 8, 256) * 2.0 ** random.integers(-8, 8, 256)).astype(np.float32)
    return run(through_float8, (1,), x, Device(x), None, BLOCK=256)


def run_attention():
    q, k, v = (floats(256, 64).astype(np.float16) for _ in range(3))
    scores = q.astype(np.float32) @ k.astype(np.float32).T * 0.125
    powers = np.exp(scores - scores.max(1, keepdims=True))
    expected = powers / powers.sum(1, keepdims=True) @ v.astype(np.float32)
    return run(attention, (4,), expected, Device(q), Device(k), Device(v), None, 256, D=64, BM=64, BN=32)


# Name, check, the largest difference: tf32 has ten bits after the point.
CHECKS = [
    ("add", run_add, 0),
    ("softmax", run_softmax, 1e-6),
    ("product of halves", lambda: run_product(np.float16), 1e-4),
    ("product of tf32", lambda: run_product(np.float32), 0.1),
    ("histogram", run_histogram, 0),
    ("scan", run_scan, 0),
    ("sort", run_sort, 0),
    ("float8", run_float8, 0),
    ("attention", run_attention, 1e-3),
]


def main():
    call("cuInit", 0)
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    failed = 0
    for name, check, most in CHECKS:
        begin = time.process_time()
        difference = check()
        verdict = "ok" if difference <= most else "FAILED"
        failed += verdict != "ok"
        print(f"{name}: {verdict}, difference {difference:.2g}, {time.process_time() - begin:.1f} s", flush=True)
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} passed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

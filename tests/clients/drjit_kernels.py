"""Programs in Dr.Jit on its CUDA back end, against NumPy; `scripts/client-kernels drjit` runs them."""

import drjit as dr
import numpy as np
from drjit.cuda import ArrayXf, Array3f, Float, Float16, Float64, TensorXf, Texture2f, UInt
from drjit.cuda.ad import Float as Traced

from checks import apart, run

random = np.random.default_rng(1)
numbers = random.standard_normal(10_000).astype(np.float32)
places = random.integers(0, 100, 10_000).astype(np.uint32)


def elementwise():
    x = Float(numbers)
    found = dr.sin(x) * dr.exp(x) + dr.select(x > 0, dr.sqrt(dr.abs(x)), dr.fma(x, x, 1))
    exact = np.float64(numbers)
    return apart(found, np.sin(exact) * np.exp(exact) + np.where(exact > 0, np.sqrt(np.abs(exact)), exact * exact + 1))


def reductions():
    x = Float64(numbers)
    found = np.concatenate([np.array(of(x)) for of in (dr.sum, dr.max, dr.min)])
    exact = np.float64(numbers)
    return apart(found, [exact.sum(), exact.max(), exact.min()])


def scatter():
    """Sums by index: atomic additions, of floats and of halves."""
    sums, halves = dr.zeros(Float, 100), dr.zeros(Float16, 100)
    dr.scatter_reduce(dr.ReduceOp.Add, sums, Float(numbers), UInt(places))
    dr.scatter_reduce(dr.ReduceOp.Add, halves, Float16(1), UInt(places))
    expected = np.bincount(places, weights=numbers, minlength=100)
    return max(apart(sums, expected), apart(halves, np.bincount(places, minlength=100).astype(np.float16)))


def gather():
    return apart(dr.gather(Float, Float(numbers), UInt(places) * 7), numbers[places * 7])


def prefix_sum():
    return apart(dr.cumsum(UInt(places)), np.cumsum(places, dtype=np.uint32))


def compress():
    return apart(dr.compress(Float(numbers) > 1), np.flatnonzero(numbers > 1).astype(np.uint32))


def sort():
    return apart(dr.sort(Float(numbers)), np.sort(numbers))


def loop():
    """A loop with another count in each lane."""

    @dr.syntax
    def steps(n):
        count = UInt(0)
        while n != 1:
            n = dr.select(n & 1 == 0, n >> 1, 3 * n + 1)
            count += 1
        return count

    def exact(n):
        count = 0
        while n != 1:
            n, count = (3 * n + 1 if n % 2 else n // 2), count + 1
        return count

    return apart(steps(dr.arange(UInt, 1000) + 1), np.array([exact(n + 1) for n in range(1000)], dtype=np.uint32))


def calls():
    """Functions that lanes choose: calls through a table."""
    of = [lambda x: x * 2, lambda x: dr.sqrt(dr.abs(x)), lambda x: dr.rcp(x + 10)]
    found = dr.switch(UInt(places) % 3, of, Float(numbers))
    exact = np.float64(numbers)
    expected = np.choose(places % 3, [exact * 2, np.sqrt(np.abs(exact)), 1 / (exact + 10)])
    return apart(found, expected)


def gradient():
    x = Traced(numbers[:1000])
    dr.enable_grad(x)
    dr.backward(dr.sum(dr.sin(x) * x))
    exact = np.float64(numbers[:1000])
    return apart(dr.grad(x), np.sin(exact) + exact * np.cos(exact))


def matrices():
    a, b = random.standard_normal((2, 24, 24)).astype(np.float32)
    left, right = ArrayXf(a.T), ArrayXf(b)
    rows = [sum(left[k][row] * right[k] for k in range(24)) for row in range(24)]
    return apart([np.array(row) for row in rows], a @ b)


def local_memory():
    """An array in each lane, read and written by index."""
    array = dr.alloc_local(UInt, 8, value=dr.zeros(UInt, 10_000))
    for step in range(4):
        array.write(array.read((UInt(places) + step) % 8) + step + 1, (UInt(places) + step) % 8)
    found = sum((array.read(index) << (3 * index) for index in range(8)), UInt(0))
    expected = sum((step + 1) << (3 * ((places + step) % 8)) for step in range(4)).astype(np.uint32)
    return apart(found, expected)


def texture():
    """Linear samples between the texels of a picture."""
    picture = random.random((16, 32, 1)).astype(np.float32)
    made = Texture2f(TensorXf(picture), filter_mode=dr.FilterMode.Linear, wrap_mode=dr.WrapMode.Clamp)
    at = random.random((2, 1000)).astype(np.float32)
    found = made.eval([Float(at[0]), Float(at[1])])[0]
    x, y = at[0] * 32 - 0.5, at[1] * 16 - 0.5
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    texel = lambda row, column: picture[np.clip(row, 0, 15), np.clip(column, 0, 31), 0]
    upper = texel(top, left) * (1 - (x - left)) + texel(top, left + 1) * (x - left)
    lower = texel(top + 1, left) * (1 - (x - left)) + texel(top + 1, left + 1) * (x - left)
    return apart(found, upper * (1 - (y - top)) + lower * (y - top))


def vectors():
    """Arrays of three components, normalised."""
    parts = numbers[:9000].reshape(3, -1)
    found = dr.normalize(Array3f(*(Float(part) for part in parts)))
    exact = np.float64(parts)
    return apart(np.array(found), exact / np.sqrt((exact**2).sum(axis=0)))


CHECKS = [
    ("elementwise", elementwise, 1e-5),
    ("reductions", reductions, 1e-9),
    ("sums by index", scatter, 1e-4),
    ("gather", gather, 0),
    ("prefix sums", prefix_sum, 0),
    ("compress", compress, 0),
    ("sort", sort, 0),
    ("loop", loop, 0),
    ("calls through a table", calls, 1e-5),
    ("gradient", gradient, 1e-5),
    ("product", matrices, 1e-5),
    ("arrays of lanes", local_memory, 0),
    ("texture", texture, 1e-2),
    ("vectors", vectors, 1e-6),
]

if __name__ == "__main__":
    run(CHECKS)

"""Pipelines in Halide, compiled for its CUDA back end and for the CPU; `scripts/client-kernels halide` runs them."""

import halide as hl
import numpy as np

from checks import apart, run

random = np.random.default_rng(1)
x, y, k = hl.Var("x"), hl.Var("y"), hl.Var("k")
xi, yi, block, thread = hl.Var("xi"), hl.Var("yi"), hl.Var("block"), hl.Var("thread")
HOST = hl.get_host_target()
GPU = HOST.with_feature(hl.TargetFeature.CUDA).with_feature(hl.TargetFeature.CUDACapability80)


def both(define, *sizes):
    """A pipeline, defined twice with one schedule each, on the CPU and on the GPU; how far they are apart."""
    found = []
    for target in (GPU, HOST):
        result = define(target is GPU).realize(list(sizes), target)
        result.copy_to_host()
        found.append(np.array(result))
    return apart(*found)


def elementwise(gpu):
    f = hl.Func("elementwise")
    f[x, y] = hl.sin(hl.f32(x)) * hl.exp(hl.f32(y) / 64) + hl.sqrt(hl.f32(x * y)) + hl.pow(hl.f32(x + 1), hl.f32(0.3))
    if gpu:
        f.gpu_tile(x, y, xi, yi, 16, 8)
    return f


def blur(gpu):
    image = hl.Buffer(random_image)
    edge = hl.BoundaryConditions.repeat_edge(image)
    rows, columns = hl.Func("rows"), hl.Func("columns")
    rows[x, y] = (hl.u16(edge[x - 1, y]) + edge[x, y] + edge[x + 1, y]) / 3
    columns[x, y] = hl.u8((rows[x, y - 1] + rows[x, y] + rows[x, y + 1]) / 3)
    if gpu:
        columns.gpu_tile(x, y, xi, yi, 32, 8)
        rows.compute_at(columns, x).gpu_threads(x, y)
    return columns


def product(kind):
    """Of matrices, in tiles, with vectors and an inner loop that is unrolled."""

    def define(gpu):
        a, b = (hl.Buffer(matrix) for matrix in matrices[kind])
        inner = hl.RDom([(0, 64)])
        total, out = hl.Func("total"), hl.Func("out")
        total[x, y] = hl.f32(0)
        total[x, y] += hl.f32(a[inner, y]) * hl.f32(b[x, inner])
        out[x, y] = total[x, y]
        if gpu:
            out.gpu_tile(x, y, xi, yi, 16, 16).vectorize(xi, 2)
            total.compute_at(out, xi).update().unroll(inner, 4)
        return out

    return define


def histogram(gpu):
    image = hl.Buffer(random_image)
    domain = hl.RDom([(0, 96), (0, 80)])
    bins = hl.Func("bins")
    bins[x] = hl.i32(0)
    bins[hl.i32(image[domain.x, domain.y])] += 1
    if gpu:
        bins.gpu_tile(x, xi, 64)
        bins.update().atomic().gpu_tile(domain.x, domain.y, hl.RVar("rx"), hl.RVar("ry"), 16, 8)
    return bins


def row_sums(gpu):
    """Partial sums of vectors of a row (`rfactor`), which wait in shared memory."""
    image = hl.Buffer(floats)
    domain = hl.RDom([(0, 96)])
    total = hl.Func("total")
    total[y] = hl.f32(0)
    total[y] += image[domain.x, y]
    if gpu:
        outer, inner = hl.RVar("outer"), hl.RVar("inner")
        total.update().split(domain.x, outer, inner, 16)
        parts = total.update().rfactor([(inner, k)])
        parts.compute_at(total, y).gpu_threads(k).update().gpu_threads(k)
        total.gpu_blocks(y).update().gpu_blocks(y)
    return total


def scan(gpu):
    image = hl.Buffer(random_image)
    domain = hl.RDom([(1, 95)])
    sums = hl.Func("sums")
    sums[x, y] = hl.i32(image[x, y])
    sums[domain.x, y] += sums[domain.x - 1, y]
    if gpu:
        sums.gpu_tile(x, y, xi, yi, 16, 8)
        sums.update().gpu_tile(y, yi, 16)
    return sums


def gather(gpu):
    image, places = hl.Buffer(floats), hl.Buffer(random_image)
    f = hl.Func("gather")
    f[x, y] = image[hl.clamp(hl.i32(places[x, y]), 0, 95), hl.i32(places[y, x]) % 80] * 2
    if gpu:
        f.gpu_tile(x, y, xi, yi, 16, 8)
    return f


def select(gpu):
    """Integers of all widths, with saturation, division and shifts."""
    f = hl.Func("select")
    wide = hl.i64(x) * 1234567891 - hl.i64(y) * 987654321
    small = hl.u8_sat(hl.i32(wide % 1000) - 300) + hl.u8(hl.i32(x) >> 2)
    f[x, y] = hl.select(x % 3 == 0, hl.i32(small), x % 3 == 1, hl.i32(wide / (hl.i64(y) + 7)), hl.i32(x) / 5 - y)
    if gpu:
        f.gpu_tile(x, y, xi, yi, 16, 8)
    return f


def doubles(gpu):
    f = hl.Func("doubles")
    angle = hl.atan2(hl.f64(x) - 20, hl.f64(y) - 9)
    f[x, y] = angle + hl.log(hl.f64(x + 1)) * hl.cosh(hl.f64(y) / 40)
    if gpu:
        f.gpu_tile(x, y, xi, yi, 16, 8)
    return f


def halves(gpu):
    image = hl.Buffer(half_floats)
    f = hl.Func("halves")
    f[x, y] = hl.cast(hl.Float(16), hl.f32(image[x, y]) * 1.5 + 0.25) + image[x, y]
    if gpu:
        f.gpu_tile(x, y, xi, yi, 16, 8)
    return f


def lanes(gpu):
    """Values that lanes of a warp give each other (`gpu_lanes`), which is `shfl.sync`."""
    image = hl.Buffer(floats)
    own, out = hl.Func("own"), hl.Func("out")
    own[k, x, y] = image[k + 32 * x, y] * 3
    out[k, x, y] = own[k, x, y] + own[31 - k, x, y] * 2
    out.bound(k, 0, 32)
    if gpu:
        out.gpu_blocks(x, y).gpu_lanes(k)
        own.compute_at(out, x).store_in(hl.MemoryType.Register).gpu_lanes(k)
    return out


# Halide counts columns first: these have 96 columns and 80 rows.
random_image = random.integers(0, 256, (80, 96), dtype=np.uint8)
floats = random.standard_normal((80, 96), dtype=np.float32)
half_floats = floats.astype(np.float16)
matrices = {kind: random.standard_normal((2, 64, 64)).astype(kind) for kind in (np.float32, np.float64)}
CHECKS = [
    ("elementwise", lambda: both(elementwise, 64, 48), 1e-5),
    ("blur", lambda: both(blur, 96, 80), 0),
    ("product of floats", lambda: both(product(np.float32), 64, 64), 1e-5),
    ("product of doubles", lambda: both(product(np.float64), 64, 64), 1e-5),
    ("histogram", lambda: both(histogram, 256), 0),
    ("sums of rows", lambda: both(row_sums, 80), 1e-5),
    ("scan", lambda: both(scan, 96, 80), 0),
    ("gather", lambda: both(gather, 80, 80), 0),
    ("select", lambda: both(select, 64, 48), 0),
    ("doubles", lambda: both(doubles, 64, 48), 1e-6),
    ("halves", lambda: both(halves, 96, 80), 1e-3),
    ("lanes", lambda: both(lanes, 32, 3, 80), 1e-6),
]

if __name__ == "__main__":
    run(CHECKS)

"""Programs in Taichi on its CUDA back end and on its CPU's; `scripts/client-kernels taichi` runs them."""

import numpy as np
import taichi as ti
import taichi.math as tm

from checks import apart, run

random = np.random.default_rng(1)
numbers = random.standard_normal(4096).astype(np.float32)
places = random.integers(0, 64, 4096).astype(np.int32)


def both(program):
    """How far a program's arrays are apart, which it gives on the GPU and on the CPU."""
    found = []
    for arch in (ti.cuda, ti.cpu):
        ti.init(arch=arch, log_level=ti.ERROR, offline_cache=False, random_seed=1, enable_fallback=False)
        found.append(program())
        ti.reset()
    return max(apart(gpu, cpu) for gpu, cpu in zip(*found, strict=True))


def elementwise():
    x, y = ti.ndarray(ti.f32, 4096), ti.ndarray(ti.f64, 4096)
    x.from_numpy(numbers)

    @ti.kernel
    def compute(x: ti.types.ndarray(), y: ti.types.ndarray()):
        for i in x:
            y[i] = ti.sin(x[i]) * ti.exp(x[i]) + ti.atan2(x[i], 0.5) + tm.pow(ti.abs(x[i]), 1.5) + x[i] // 0.7
            x[i] = ti.select(x[i] > 0, ti.sqrt(ti.abs(x[i])), ti.floor(x[i]))

    compute(x, y)
    return x.to_numpy(), y.to_numpy()


def atomics():
    sums, least, bits = ti.field(ti.f32, 64), ti.field(ti.i32, 64), ti.field(ti.u32, 64)
    halves = ti.field(ti.f16, 64)

    @ti.kernel
    def compute(x: ti.types.ndarray(), at: ti.types.ndarray()) -> ti.i32:
        total = 0
        for i in x:
            sums[at[i]] += x[i]
            ti.atomic_min(least[at[i]], ti.i32(x[i] * 100))
            ti.atomic_xor(bits[at[i]], ti.u32(i))
            halves[at[i]] += ti.cast(1, ti.f16)
            total += at[i]
        return total

    total = compute(numbers, places)
    return sums.to_numpy(), least.to_numpy(), bits.to_numpy(), halves.to_numpy(), np.array([total])


def product():
    """Of matrices, through blocks in shared memory where there is such."""
    a, b, c = (ti.field(ti.f32, (64, 64)) for _ in range(3))
    a.from_numpy(numbers.reshape(64, 64))
    b.from_numpy(numbers[::-1].copy().reshape(64, 64))
    on_gpu = ti.cfg.arch == ti.cuda

    @ti.kernel
    def plain():
        for i, j in c:
            total = 0.0
            for k in range(64):
                total += a[i, k] * b[k, j]
            c[i, j] = total

    @ti.kernel
    def blocks():
        ti.loop_config(block_dim=256)
        for thread in range(64 * 64):
            place = thread % 256
            row, column = place // 16, place % 16
            top, left = thread // 256 // 4 * 16, thread // 256 % 4 * 16
            left_block = ti.simt.block.SharedArray((16, 16), ti.f32)
            right_block = ti.simt.block.SharedArray((16, 16), ti.f32)
            total = 0.0
            for part in range(4):
                left_block[row, column] = a[top + row, part * 16 + column]
                right_block[row, column] = b[part * 16 + row, left + column]
                ti.simt.block.sync()
                for k in range(16):
                    total += left_block[row, k] * right_block[k, column]
                ti.simt.block.sync()
            c[top + row, left + column] = total

    (blocks if on_gpu else plain)()
    return (c.to_numpy(),)


def block_local():
    """A stencil whose field Taichi caches in shared memory (`block_local`)."""
    x, y = ti.field(ti.f32), ti.field(ti.f32)
    ti.root.pointer(ti.ij, 8).dense(ti.ij, 8).place(x)
    ti.root.pointer(ti.ij, 8).dense(ti.ij, 8).place(y)

    @ti.kernel
    def fill():
        for i, j in ti.ndrange((8, 56), (8, 56)):
            x[i, j] = i * 0.5 + j

    @ti.kernel
    def stencil():
        ti.loop_config(block_dim=64)
        ti.block_local(x)
        for i, j in x:
            y[i, j] = x[i, j] * 4 - x[i - 1, j] - x[i + 1, j] - x[i, j - 1] - x[i, j + 1]

    fill()
    stencil()
    return (y.to_numpy(),)


def sparse():
    """Places that become active while the kernel runs, a list that grows, and what is active at the end."""
    x, items = ti.field(ti.i32), ti.field(ti.i32)
    block = ti.root.pointer(ti.i, 64)
    block.bitmasked(ti.i, 64).place(x)
    ti.root.dynamic(ti.i, 4096, chunk_size=64).place(items)

    @ti.kernel
    def fill(at: ti.types.ndarray()):
        for i in at:
            if at[i] % 3 == 0:
                x[at[i] * 64 + i % 64] += i

    @ti.kernel
    def collect() -> ti.i32:
        count = 0
        for i in x:
            items.append(x[i])
            count += 1
        return count

    fill(places)
    count = collect()
    found = items.to_numpy()
    return x.to_numpy(), np.sort(found[:count]), np.array([count])


def structures():
    particle = ti.types.struct(at=tm.vec3, speed=tm.vec3, mass=ti.f32)
    all_of_them = particle.field(shape=256)
    energy = ti.field(ti.f32, ())

    @ti.kernel
    def compute(x: ti.types.ndarray()):
        for i in all_of_them:
            all_of_them[i].at = tm.vec3(x[i], x[i + 1], x[i + 2])
            all_of_them[i].mass = 1.0 + ti.abs(x[i + 3])
        for i in all_of_them:
            force = tm.vec3(0)
            for j in range(256):
                away = all_of_them[j].at - all_of_them[i].at
                force += away * all_of_them[j].mass / (away.norm_sqr() + 0.01) ** 1.5
            turn = ti.Matrix([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
            all_of_them[i].speed = turn @ force
            energy[None] += all_of_them[i].mass * tm.dot(force, force)

    compute(numbers)
    return all_of_them.speed.to_numpy(), energy.to_numpy()


def gradient():
    x, loss = ti.field(ti.f32, 256, needs_grad=True), ti.field(ti.f32, (), needs_grad=True)
    x.from_numpy(numbers[:256])

    @ti.kernel
    def compute():
        for i in x:
            loss[None] += ti.sin(x[i]) * x[i] ** 2

    with ti.ad.Tape(loss):
        compute()
    return x.grad.to_numpy(), loss.to_numpy()


def sort():
    keys, values = ti.field(ti.i32, 4096), ti.field(ti.f32, 4096)
    keys.from_numpy(places * 4096 + np.arange(4096, dtype=np.int32)[::-1])
    values.from_numpy(numbers)
    ti.algorithms.parallel_sort(keys, values)
    return keys.to_numpy(), values.to_numpy()


def scan():
    sums = ti.field(ti.i32, 4096)
    sums.from_numpy(places)
    if ti.cfg.arch == ti.cuda:
        ti.algorithms.PrefixSumExecutor(4096).run(sums)
        return (sums.to_numpy(),)
    return (np.cumsum(places, dtype=np.int32),)


def quantised():
    """Numbers of 10 and 22 bits in one word, which atomic operations change."""
    small = ti.types.quant.int(10, True)
    fixed = ti.types.quant.fixed(bits=22, max_value=4.0)
    a, b = ti.field(small), ti.field(fixed)
    word = ti.BitpackedFields(max_num_bits=32)
    word.place(a, b)
    ti.root.dense(ti.i, 64).place(word)

    @ti.kernel
    def compute(x: ti.types.ndarray()):
        for i in range(64):
            a[i] = ti.i32(x[i] * 100)
            b[i] = x[i] / 2
        for i in range(64):
            a[i] += 1

    compute(numbers)
    return np.array([a[i] for i in range(64)]), np.array([b[i] for i in range(64)])


CHECKS = [
    ("elementwise", lambda: both(elementwise), 1e-5),
    ("atomic operations", lambda: both(atomics), 1e-4),
    ("product in blocks", lambda: both(product), 1e-5),
    ("stencil in blocks", lambda: both(block_local), 1e-6),
    ("sparse fields", lambda: both(sparse), 0),
    ("structures", lambda: both(structures), 1e-3),
    ("gradient", lambda: both(gradient), 1e-5),
    ("sort", lambda: both(sort), 0),
    ("scan", lambda: both(scan), 0),
    ("quantised numbers", lambda: both(quantised), 1e-6),
]

if __name__ == "__main__":
    run(CHECKS)

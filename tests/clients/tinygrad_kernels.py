"""Programs in tinygrad on its CUDA back end, against NumPy; `scripts/client-kernels tinygrad` runs them."""

import numpy as np
from tinygrad import Context, Device, Tensor, TinyJit, Variable, dtypes, nn

from checks import apart, run

random = np.random.default_rng(1)
numbers = random.standard_normal((64, 96)).astype(np.float32)
exact = np.float64(numbers)
places = random.integers(0, 96, (64, 8)).astype(np.int32)


def elementwise():
    x = Tensor(numbers)
    found = (x.sin() * x.exp() + (x > 0).where(x.abs().sqrt(), x * x)).tanh()
    expected = np.tanh(np.sin(exact) * np.exp(exact) + np.where(exact > 0, np.sqrt(np.abs(exact)), exact * exact))
    return apart(found.numpy(), expected)


def reductions():
    x = Tensor(numbers)
    found = [x.sum(0), x.max(1), x.std(1), x.softmax(1).sum(0), x.argmax(1).float()]
    powers = np.exp(exact - exact.max(1, keepdims=True))
    soft = powers / powers.sum(1, keepdims=True)
    expected = [exact.sum(0), exact.max(1), exact.std(1, ddof=1), soft.sum(0), exact.argmax(1)]
    return max(apart(one.numpy(), other) for one, other in zip(found, expected, strict=True))


def product(kind, accumulate):
    def check():
        a, b = (random.standard_normal((128, 128)).astype(np.float32) for _ in range(2))
        left, right = Tensor(a).cast(kind).realize(), Tensor(b).cast(kind).realize()
        found = left.matmul(right, dtype=accumulate).float().numpy()
        return apart(found, left.float().numpy().astype(np.float64) @ right.float().numpy())

    return check


def convolution():
    image, kernel = (random.standard_normal(shape).astype(np.float32) for shape in [(1, 3, 16, 16), (4, 3, 3, 3)])
    found = Tensor(image).conv2d(Tensor(kernel)).relu().max_pool2d().numpy()
    windows = np.lib.stride_tricks.sliding_window_view(image[0].astype(np.float64), (3, 3), axis=(1, 2))
    whole = np.maximum(np.einsum("cijuv,ocuv->oij", windows, kernel), 0)
    return apart(found[0], whole.reshape(4, 7, 2, 7, 2).max((2, 4)))


def gather():
    x = Tensor(numbers)
    found = x.gather(1, Tensor(places))
    return apart(found.numpy(), np.take_along_axis(numbers, places, 1))


def scatter():
    found = Tensor.zeros(64, 96).scatter_reduce(1, Tensor(places), Tensor.ones(64, 8), "sum")
    expected = np.stack([np.bincount(row, minlength=96) for row in places]).astype(np.float32)
    return apart(found.numpy(), expected)


def sort():
    values, order = Tensor(numbers).sort(1)
    expected = np.argsort(numbers, 1).astype(np.int32)
    return max(apart(values.numpy(), np.sort(numbers, 1)), apart(order.numpy(), expected))


def prefix_sum():
    return apart(Tensor(places).cumsum(1).numpy(), places.cumsum(1))


def integers():
    a = random.integers(-(2**31), 2**31, 1000).astype(np.int64)
    b = random.integers(1, 1000, 1000).astype(np.int64)
    x, y = Tensor(a), Tensor(b)
    found = (x // y) ^ (x % y) * 3 + (x >> 3) - (y << 5)
    expected = np.int64(a // b) ^ (a % b) * 3 + (a >> 3) - (b << 5)
    return apart(found.numpy(), expected)


def conversions():
    x = Tensor(numbers * 50)
    found = [x.cast(dtypes.int32).cast(dtypes.int8), x.cast(dtypes.float16), x.cast(dtypes.float64)]
    scaled = numbers * 50
    expected = [scaled.astype(np.int32).astype(np.int8), scaled.astype(np.float16), scaled.astype(np.float64)]
    return max(apart(one.numpy(), other) for one, other in zip(found, expected, strict=True))


def gradient():
    w = Tensor(numbers)
    (found,) = (w.sin() * w).sum().gradient(w)
    return apart(found.numpy(), np.sin(exact) + exact * np.cos(exact))


def training():
    """A small network learns to tell two clouds of points apart; its kernels are launched as a graph (`TinyJit`)."""
    Tensor.manual_seed(1)
    points = np.concatenate([random.standard_normal((64, 2)) - 1.5, random.standard_normal((64, 2)) + 1.5])
    data, labels = Tensor(points.astype(np.float32)), Tensor(np.repeat([0, 1], 64).astype(np.int32))
    first, second = nn.Linear(2, 16), nn.Linear(16, 2)
    model = lambda x: second(first(x).relu())
    optimiser = nn.optim.Adam(nn.state.get_parameters([first, second]), lr=0.05)

    @TinyJit
    @Context(TRAINING=1)
    def step():
        optimiser.zero_grad()
        loss = model(data).sparse_categorical_crossentropy(labels).backward()
        return loss.realize(*optimiser.schedule_step())

    losses = [step().item() for _ in range(20)]
    right = (model(data).argmax(1) == labels).mean().item()
    return float(not (right > 0.9 and losses[-1] < losses[0] / 2))


def symbolic():
    """One kernel for lengths that are known when it is launched."""
    x, worst = Tensor(numbers).realize(), 0.0
    length = Variable("length", 1, 64)
    for value in (3, 17, 64):
        found = x.shrink(((0, length.bind(value)), (0, 96))).sum(0).numpy()
        worst = max(worst, apart(found, exact[:value].sum(0)))
    return worst


CHECKS = [
    ("elementwise", elementwise, 1e-5),
    ("reductions", reductions, 1e-5),
    ("product of floats", product(dtypes.float32, dtypes.float32), 1e-4),
    ("product of halves", product(dtypes.float16, dtypes.float32), 1e-4),
    ("product of bfloat16", product(dtypes.bfloat16, dtypes.float32), 1e-4),
    ("convolution", convolution, 1e-5),
    ("gather", gather, 0),
    ("scatter", scatter, 0),
    ("sort", sort, 0),
    ("prefix sums", prefix_sum, 0),
    ("integers", integers, 0),
    ("conversions", conversions, 0),
    ("gradient", gradient, 1e-5),
    ("training", training, 0),
    ("lengths known late", symbolic, 1e-5),
]

if __name__ == "__main__":
    assert Device.DEFAULT == "CUDA", Device.DEFAULT
    run(CHECKS)

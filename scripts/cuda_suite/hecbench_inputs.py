"""Small inputs of the forms that HeCBench's programs read, in place of data that its repository keeps elsewhere."""

import random
import struct

from . import rodinia_inputs as rodinia

SIDE = 256


def colours(path):
    """A picture in colour (PPM)."""
    path.write_bytes(b"P6\n%d %d\n255\n" % (SIDE, SIDE) + random.Random(1).randbytes(3 * SIDE * SIDE))


def bitmap(path):
    """A picture of 24 bits a pixel for Windows (BMP)."""
    pixels = random.Random(2).randbytes(3 * SIDE * SIDE)
    header = struct.pack("<IiiHHIIiiII", 40, SIDE, SIDE, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    start = 14 + len(header)
    path.write_bytes(b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + header + pixels)


def source(path):
    """A text in which the word that `ss` looks for is now and then."""
    words = random.Random(3).choices(["clEnqueueNDRangeKernel", "buffer", "queue(", ");\n", " ", "cl_int"], k=20000)
    path.write_text("".join(words))


def trees(path):
    """Keys, and the commands beside them."""
    rodinia.tree(path.parent, 10000)
    (path.parent / "keys.txt").rename(path)
    (path.parent / "commands.txt").rename(path.parent / "command.txt")


# What makes a file, by its place in `src`.
FILES = {
    "urng-sycl/URNG_Input.bmp": bitmap, "sobel-sycl/SobelFilter_Input.bmp": bitmap,
    "medianfilter-sycl/data/SierrasRGB.ppm": colours, "recursiveGaussian-cuda/StoneRGB.ppm": colours,
    "ss-sycl/StringSearch_Input.txt": source,
    "data/bfs/graph1MW_6.txt": lambda path: rodinia.graph(path, 5000, 6),
    "data/cfd/fvcorr.domn.097K": lambda path: rodinia.mesh(path, 64),
    "data/kmeans/kdd_cup": lambda path: rodinia.points(path, 2000, 34),
    "data/b+tree/mil.txt": trees,
    "data/hotspot/temp_512": lambda path: rodinia.numbers(path, 512 * 512, 320, 345),
    "data/hotspot/power_512": lambda path: rodinia.numbers(path, 512 * 512, 0, 0.01),
    "data/hotspot3D/temp_512x8": lambda path: rodinia.numbers(path, 512 * 512 * 8, 320, 345),
    "data/hotspot3D/power_512x8": lambda path: rodinia.numbers(path, 512 * 512 * 8, 0, 0.01),
}


def make(folder):
    """Makes those that the folder `src` has not."""
    for place, maker in FILES.items():
        path = folder / place
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            maker(path)

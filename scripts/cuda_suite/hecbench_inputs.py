"""Small inputs of the forms that HeCBench's programs read, in place of data that its repository keeps elsewhere."""

import bz2
import itertools
import pathlib
import random
import struct
import tarfile

from . import hecbench_data as data
from . import hecbench_fields as fields
from . import hecbench_graphs as graphs
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


def header(path):
    """A header that the suite takes from elsewhere: of Debian's libstb-dev, where that is installed."""
    installed = pathlib.Path("/usr/include/stb") / path.name
    if installed.exists():
        path.write_bytes(installed.read_bytes())


def trees(path):
    """Keys, and the commands beside them."""
    rodinia.tree(path.parent, 10000)
    (path.parent / "keys.txt").rename(path)
    (path.parent / "commands.txt").rename(path.parent / "command.txt")


def unpacked(path):
    """What the repository has in a packed form beside it."""
    packed = path.with_name(path.name + ".bz2")
    if packed.exists():
        path.write_bytes(bz2.decompress(packed.read_bytes()))
        return
    with tarfile.open(path.with_name(path.name + ".tgz")) as archive:
        archive.extractall(path.parent, filter="data")


def first_lines(path):
    """The first lines of the example beside it."""
    with (path.parent / "example.txt").open() as example:
        path.write_text("".join(itertools.islice(example, 10)))


def pictures(path):
    """Pictures to learn, and others to test what was learnt."""
    path.mkdir()
    data.digits(path, "train-images.idx3-ubyte", "train-labels.idx1-ubyte", 100)
    data.digits(path, "t10k-images.idx3-ubyte", "t10k-labels.idx1-ubyte", 50)


def catalogues(path):
    """A catalogue of galaxies, and four of random places to compare it with."""
    names = [path.name, *(f"Randompnts.{number}" for number in range(1, 5))]
    for name in names:
        data.galaxies(path.with_name(name), 1024)


def film(path):
    """A folder with pictures."""
    path.mkdir()
    data.frames(path, 120, 64)


def storms(path):
    """The files with storms that nn's list names."""
    for number in range(4):
        rodinia.records(path.parent, 500)
        (path.parent / "storms.db").rename(path.parent / f"cane4_{number}.db")


# What makes a file or a folder, by its place in `src`.
FILES = {
    "mcpr-cuda/alphas.csv": unpacked,
    "sptrsv-sycl/lp1.mtx": unpacked,
    "logan-cuda/inputs/100k.txt": first_lines,
    "mnist-cuda/data": pictures,
    "bicgstab-cuda/TEM27623/TEM27623_M.mtx": lambda path: graphs.matrix(path, 2000, 8000),
    "ge-spmm-cuda/data/snap/amazon0302/amazon0302.mtx": lambda path: graphs.matrix(path, 2000, 10000),
    "cc-cuda/delaunay_n24.egr": lambda path: graphs.binary(path, 20000, 60000),
    "floydwarshall2-cuda/CollegeMsg.egr": lambda path: graphs.binary(path, 400, 4000, weights=True),
    "graphB+-cuda/graph.csv": lambda path: graphs.signed(path, 500, 2000),
    "hbc-cuda/graphs/breast_coexpress.txt": lambda path: graphs.edges(path, 500, 2000),
    "lanczos-cuda/data/social-large-800k.txt": lambda path: graphs.edges(path, 4000, 16000, both=True),
    "rsmt-cuda/newblue7.kraftwerk70.3d.80.20.82.m8.gr": lambda path: graphs.nets(path, 500),
    "svd3x3-cuda/Dataset_1M.txt": lambda path: data.matrices(path, 10000),
    "gibbs-cuda/data.csv": lambda path: data.counts(path, 5000),
    "henry-cuda/IRMOF-1.cssr": data.crystal,
    "hogbom-cuda/data/dirty_4096.img": lambda path: data.sky(path, 256),
    "hogbom-cuda/data/psf_4096.img": lambda path: data.point_spread(path, 256),
    "d2q9-bgk-cuda/Inputs/input_256x256.params": lambda path: data.flow(path, 128),
    "d2q9-bgk-cuda/Obstacles/obstacles_256x256.dat": lambda path: data.walls(path, 128),
    # The programs ask for cities by their numbers, so that they must all be there.
    "geodesic-sycl/locations.txt": lambda path: data.cities(path, 1 << 21),
    "geodesic-cuda/locations.txt": lambda path: data.cities(path, 1 << 21),
    "mpc-cuda/msg_sp.trace.out": lambda path: data.integers(path, 1 << 16),
    "mriQ-cuda/datasets/128x128x128/input/128x128x128.bin": lambda path: data.scan(path, 512, 4096),
    "permutate-cuda/test_data/truerand_1bit.bin": lambda path: data.samples(path, 1000000),
    "sa-cuda/genome.txt": lambda path: data.text(path, 10000, "ACGT"),
    "word2vec-cuda/text8": lambda path: data.words(path, 20000),
    "snake-cuda/Datasets/ERR240727_1_E2_30000Pairs.txt": lambda path: data.reads(path, 30000),
    "bsw-cuda/test-data/protein-reference.fasta": lambda path: data.sequences(path, 200, 120, 32),
    "bsw-cuda/test-data/protein-query.fasta": lambda path: data.sequences(path, 200, 120, 32),
    "deredundancy-sycl/testData.fasta": lambda path: data.families(path, 400),
    "tonemapping-sycl/input.hdr": lambda path: data.bright(path, 128, 128),
    "kmc-cuda/gisette_scale": lambda path: data.observations(path, 200, 100),
    "gd-cuda/gisette_scale": lambda path: data.observations(path, 200, 100),
    "gmm-cuda/data": lambda path: data.clusters(path, 2048, 4),
    "lr-sycl/assets/temperature.txt": lambda path: data.line(path, 100000),
    "ced-cuda/input/peppa": film,
    "data/nn/cane4_0.db": storms,
    "tpacf-cuda/data/small/Datapnts.1": catalogues,
    "bmf-cuda/data/MNIST.in": lambda path: data.bits(path, 512, 384),
    "ccs-cuda/Data_Constant_100_1_bicluster.txt": lambda path: data.genes(path, 100, 60),
    "seam-carving-cuda/stb_image.h": header, "seam-carving-cuda/stb_image_write.h": header,
    "seam-carving-cuda/Broadway_tower.jpg": colours,
    "grep-cuda/testcases/play.txt": data.play,
    "sssp-cuda/input/NYR_input.dat": lambda path: fields.roads(path, 40),
    "mt-cuda/data/MersenneTwister.dat": lambda path: fields.twisters(path, 4096),
    "xlqc-cuda/example/geom.xyz": fields.water,
    "cmp-cuda/data/simple-synthetic.su": lambda path: fields.gathers(path, 20, 10, 200),
    "lsqt-cuda/examples/input.txt": lambda path: fields.square_lattice(path, 32),
    "mmcsf-cuda/output.tns": fields.tensor,
    "resnet-kernels-cuda/data/input_14_1_128.bin": fields.weights,
    "face-cuda/Face.pgm": lambda path: fields.cascade(path, 64),
    "bitcracker-cuda/hash_pass/img_win8_user_hash.txt": fields.lock,
    "easyWave-omp/data/grids/e2Asean.grd": lambda path: data.sea(path, 128),
    "minimap2-sycl/in-1k.txt": lambda path: data.anchors(path, 50),
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

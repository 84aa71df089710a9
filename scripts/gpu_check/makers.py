"""The makers of GPUs."""

from .amd import Amd
from .nvidia import Nvidia

MAKERS = (Nvidia(), Amd())
FAMILIES = [maker.family for maker in MAKERS]


def of(architecture):
    """The maker of a GPU such as sm_90 or gfx90a; `None`: nobody's."""
    return next((maker for maker in MAKERS if maker.owns(architecture)), None)


def named(name):
    """The maker of a name."""
    return next(maker for maker in MAKERS if maker.name == name)


def of_all(architectures):
    """Their makers, each once, in the order of `MAKERS`."""
    return [maker for maker in MAKERS if any(maker.owns(name) for name in architectures)]

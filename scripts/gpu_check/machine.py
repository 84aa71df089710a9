"""What the machine has: host, GPUs, driver, tools."""

import os
import pathlib
import platform
from dataclasses import dataclass, field

from . import makers
from .maker import Unusable

# The family of the virtual GPU.
VIRTUAL = "vgpu"


@dataclass
class Machine:
    """What was found."""

    maker: object  # of the GPUs; in a dry run, of those that the bundle is for
    devices: str  # the family that is measured
    why_not: str = ""  # why nothing can be measured
    gpus: list = field(default_factory=list)
    driver: str = ""
    kernel_driver: str = ""
    host: str = ""
    tools: dict = field(default_factory=dict)  # their paths; "": missing
    settings: dict = field(default_factory=dict)  # variables that are set

    def words(self):
        """For reports."""
        return {"maker": self.maker.name, "devices": self.devices, "host": self.host, "gpus": self.gpus,
                "driver": self.driver, "kernel driver": self.kernel_driver, "tools": self.tools,
                "settings": self.settings}


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.split(':', 1)[1].strip()}, {os.cpu_count()} CPUs"
    return platform.processor()


def too_old(needed):
    """Why programs that need this version of the GNU C library cannot run, or nothing."""
    kind, found = platform.libc_ver()
    if kind != "glibc":
        return f"the bundle's programs need the GNU C library {needed} or newer; this machine has {kind or 'another one'}"
    if [int(part) for part in found.split(".")[:2]] < [int(part) for part in needed.split(".")]:
        return (f"the bundle's programs need the GNU C library {needed} or newer, this machine has {found}; build the bundle on a system "
                "as old as this one, or run it in a container of a newer one")
    return ""


def no_machine_code(maker, gpus, built):
    """Why the programs do not run on these GPUs, or nothing. They run on the first one, which is the default device.
    With a device compiler at hand their bitcode runs on any."""
    if os.environ.get("OMPTARGET_CODEGEN"):
        return ""
    runs = [maker.runs_on(gpu, [name for name in built if maker.owns(name)]) for gpu in gpus]
    if runs[0]:
        return ""
    names = ", ".join(f"{gpu['name']} ({gpu['architecture']})" for gpu in gpus)
    said = f"the bundle's programs are compiled for {', '.join(built)}, the machine has {names}"
    if any(runs):
        # The variable's numbers are those of all GPUs, also where it hides some already.
        shown = os.environ.get(maker.visible, ",".join(map(str, range(len(gpus))))).split(",")
        return f"{said}; of several GPUs the first is measured: set {maker.visible}={shown[runs.index(True)]}"
    return f"{said}; build another with --build FOLDER --arch"


def look_at_gpus(found, built):
    try:
        found.maker.look(found)
        found.why_not = no_machine_code(found.maker, found.gpus, built)
    except Unusable as why:
        found.why_not = str(why)


def look_for(maker, devices, built):
    """The machine as one with GPUs of a maker, or without any."""
    tools = {name: maker.tool(name) for name in maker.tools}
    settings = {name: os.environ[name] for name in maker.settings if name in os.environ}
    found = Machine(maker, devices, kernel_driver=maker.kernel_driver(), host=processor(), tools=tools,
                    settings=settings)
    if devices != VIRTUAL:
        look_at_gpus(found, built)
    return found


def look(devices, built, c_library):
    """What there is. `devices` is a family, or nothing: then the first that the bundle is for and that can be used.
    `built` are the architectures that the programs are compiled for, `c_library` is the version that they need."""
    there = makers.of_all(built)
    if devices and devices != VIRTUAL:
        there = [maker for maker in makers.MAKERS if maker.family == devices]
    machines = [look_for(maker, devices or maker.family, built) for maker in there]
    found = next((each for each in machines if not each.why_not), machines[0])
    if found.why_not:
        found.why_not = "; ".join(each.why_not for each in machines)
        if not found.gpus:
            found.why_not += ". This half needs a machine with a GPU; --devices vgpu is a dry run on the virtual GPU"
    found.why_not = too_old(c_library) or found.why_not
    return found

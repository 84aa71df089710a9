"""What every maker of GPUs has: `nvidia` and `amd` fill it in."""

import os
import shutil


class Unusable(Exception):
    """Why nothing can be measured on this machine."""


class Maker:
    """A maker of GPUs: what a machine with its GPUs has, and what is compared there.

    `look`, `runs_on` and `compile_words` are the maker's own. Everything else is words.
    """

    name = ""  # for people
    family = ""  # of the devices, in OMPTARGET_DEVICES
    prefix = ""  # of its architectures
    units = ""  # what a GPU has many of
    visible = ""  # the variable that chooses GPUs, for its driver
    settings = ()  # variables that change what is measured; they are reported
    compilers_own = ()  # of these, what the compared programs would read and OpenMP's would not

    language = ""  # in which programs are written by hand, for comparison
    compiler = ""  # of that language
    toolkit = ()  # variables with the folder of its tools, and the usual folders
    sanitizer = ""  # a tool that finds errors in kernels; "": there is none
    inquiries = {}  # tools that describe the machine, with their arguments

    barriers = ""  # of a block's threads, in words
    launch = ""  # what a launch is compared with, in words
    primitives = ""  # the library that has a reduction
    lacking = ()  # EPCC's constructs that LLVM 19's device runtime does not have
    llvm_flags = ()  # what clang needs to compile with that

    @property
    def tools(self):
        """The tools that are looked for."""
        return [name for name in (self.compiler, self.sanitizer, *self.inquiries) if name]

    def owns(self, architecture):
        """Whether an architecture is one of its GPUs'."""
        return architecture.startswith(self.prefix)

    def tool(self, name):
        """The path of a tool, or nothing: from the toolkit's variables, PATH, the usual folders."""
        variables, usual = self.toolkit
        folders = [os.environ[variable] + "/bin" for variable in variables if os.environ.get(variable)]
        return shutil.which(name, path=os.pathsep.join([*folders, os.environ.get("PATH", ""), *usual])) or ""

    def where(self):
        """How to say where its tools are, in words."""
        return f"set {' or '.join((*self.toolkit[0], 'PATH'))}"

    def look(self, found):
        """Fills in the GPUs and the driver, or raises `Unusable`."""
        raise NotImplementedError

    def kernel_driver(self):
        """The kernel's driver, in words."""
        raise NotImplementedError

    def runs_on(self, gpu, built):
        """Whether a GPU runs machine code of one of the architectures `built`."""
        raise NotImplementedError

    def compile_words(self, compiler, gpu, source, program):
        """The command that compiles a program written by hand."""
        raise NotImplementedError

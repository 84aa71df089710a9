"""The HSA runtime of ROCm, as far as looking goes. Signatures and values are those of hsa.h and hsa_ext_amd.h."""

import ctypes
import pathlib

LIBRARY = "libhsa-runtime64.so.1"
SUCCESS, OUT_OF_RESOURCES = 0, 0x1008
# hsa_system_info_t
VERSION_MAJOR, VERSION_MINOR = 0, 1
# hsa_agent_info_t, hsa_amd_agent_info_t
NAME, DEVICE, COMPUTE_UNITS, PRODUCT_NAME = 0, 17, 0xa002, 0xa009
# hsa_device_type_t
GPU = 1
# hsa_isa_info_t
ISA_NAME_LENGTH, ISA_NAME = 0, 1
# hsa_amd_memory_pool_info_t, hsa_amd_segment_t
SEGMENT, SIZE = 0, 2
GLOBAL = 0
# What stands before the target ID in the name of an instruction set.
ISA_PREFIX = "amdgcn-amd-amdhsa--"

# An agent, an instruction set and a pool are a number in a structure.
Handle = ctypes.c_uint64
Visit = ctypes.CFUNCTYPE(ctypes.c_uint32, Handle, ctypes.c_void_p)


class RuntimeFailed(Exception):
    """A call failed, with the runtime's words."""

    def __init__(self, name, code, text):
        super().__init__(f"{name}: {text or f'status {code:#x}'}")
        self.code = code


class Runtime:
    """The runtime, in use inside `with`."""

    def __init__(self):
        self.library = ctypes.CDLL(LIBRARY)

    def __enter__(self):
        self.call("hsa_init")
        return self

    def __exit__(self, *_):
        self.library.hsa_shut_down()

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != SUCCESS:
            text = ctypes.c_char_p()
            named = self.library.hsa_status_string(code, ctypes.byref(text)) == SUCCESS and text.value
            raise RuntimeFailed(name, code, text.value.decode(errors="replace") if named else "")

    def ask(self, name, handle, attribute, value):
        """An attribute of an object, of the type that `value` has."""
        self.call(name, Handle(handle), attribute, ctypes.byref(value))
        return value.value

    def all(self, name, *of):
        """What a function iterates over."""
        found = []

        def visit(handle, _):
            found.append(handle)
            return SUCCESS
        self.call(name, *map(Handle, of), Visit(visit), None)
        return found

    def version(self):
        """The version of the interface, and the library's file, whose name has that of the library."""
        major, minor = ctypes.c_uint16(), ctypes.c_uint16()
        self.call("hsa_system_get_info", VERSION_MAJOR, ctypes.byref(major))
        self.call("hsa_system_get_info", VERSION_MINOR, ctypes.byref(minor))
        return f"HSA {major.value}.{minor.value}, {library_file()}"

    def gpus(self):
        agents = self.all("hsa_iterate_agents")
        return [self.gpu(agent) for agent in agents
                if self.ask("hsa_agent_get_info", agent, DEVICE, ctypes.c_uint32()) == GPU]

    def gpu(self, agent):
        def text(attribute):
            value = self.ask("hsa_agent_get_info", agent, attribute, ctypes.create_string_buffer(64))
            return value.decode(errors="replace")
        sets = [self.instruction_set(handle) for handle in self.all("hsa_agent_iterate_isas", agent)]
        return {"name": text(PRODUCT_NAME).strip() or text(NAME), "architecture": sets[0] if sets else text(NAME),
                "machine code": sets, "units": self.ask("hsa_agent_get_info", agent, COMPUTE_UNITS, ctypes.c_uint32()),
                "memory": self.memory(agent)}

    def instruction_set(self, handle):
        """Its target ID: gfx90a:sramecc+:xnack-."""
        length = self.ask("hsa_isa_get_info_alt", handle, ISA_NAME_LENGTH, ctypes.c_uint32())
        name = self.ask("hsa_isa_get_info_alt", handle, ISA_NAME, ctypes.create_string_buffer(length + 1))
        return name.decode().removeprefix(ISA_PREFIX)

    def memory(self, agent):
        """Bytes of its largest pool; the others are views of the same memory."""
        def info(pool, attribute, value):
            return self.ask("hsa_amd_memory_pool_get_info", pool, attribute, value)
        pools = self.all("hsa_amd_agent_iterate_memory_pools", agent)
        return max((info(pool, SIZE, ctypes.c_size_t()) for pool in pools
                    if info(pool, SEGMENT, ctypes.c_uint32()) == GLOBAL), default=0)


def library_file():
    """The file that was opened as the library."""
    stem = LIBRARY.split(".")[0]
    mappings = pathlib.Path("/proc/self/maps").read_text().splitlines()
    paths = {line.split(maxsplit=5)[-1] for line in mappings if stem in line}
    return ", ".join(sorted(paths))

"""The CUDA driver, as far as looking goes."""

import ctypes

LIBRARY = "libcuda.so.1"
# CUdevice_attribute.
MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76


class Driver:
    """The driver. What goes wrong in a call is a RuntimeError with the driver's word for it."""

    def __init__(self):
        self.library = ctypes.CDLL(LIBRARY)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            named = self.library.cuGetErrorName(code, ctypes.byref(text)) == 0 and text.value
            raise RuntimeError(f"{name}: {text.value.decode() if named else f'error {code}'}")

    def number(self, name, *arguments):
        value = ctypes.c_int()
        self.call(name, ctypes.byref(value), *arguments)
        return value.value

    def version(self):
        """The newest CUDA that it serves."""
        version = self.number("cuDriverGetVersion")
        return f"CUDA {version // 1000}.{version % 1000 // 10}"

    def gpus(self):
        self.call("cuInit", 0)
        return [self.gpu(index) for index in range(self.number("cuDeviceGetCount"))]

    def gpu(self, index):
        device = self.number("cuDeviceGet", index)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), device)
        memory = ctypes.c_size_t()
        self.call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
        major, minor, multiprocessors = (self.number("cuDeviceGetAttribute", which, device)
                                         for which in (MAJOR, MINOR, MULTIPROCESSORS))
        architecture = f"sm_{major}{minor}"
        return {"name": name.value.decode(errors="replace"), "architecture": architecture,
                "machine code": [architecture], "units": multiprocessors, "memory": memory.value}

"""What a GPU does around instructions, for the emulator: arguments, registers, blocks, waves, barriers, memory apertures.

The emulator executes instructions; tinygrad's own loop over blocks and waves is for tinygrad's kernels. What our kernels need
besides is here:

- A wave gives way after some instructions, so that waves may wait for each other in memory.
- Generic addresses of shared and private memory (FLAT instructions) lie in apertures.
- Instructions that the emulator does not know (`s_getpc_b64`, `s_swappc_b64`, `s_setpc_b64`, the reading of apertures, the
  invalidation of caches) or gets wrong: of the data of `*_atomic_cmpswap_b64` it hands 32 of 128 bits on, and 16-bit loads across a multiple of 4 come from
  another address.
"""

import ctypes
import struct

from . import memory

WAVE = 32
# Instructions of a wave before the next wave's turn.
TURN = 20_000
# The upper halves of addresses in the apertures. Nothing of the process lies there.
SHARED_APERTURE, PRIVATE_APERTURE = 0x7ffd0000, 0x7ffe0000
# `s_getpc_b64` ("RDNA3 ISA", SOP1); the mask leaves out the register for the result.
GETPC, ANY_RESULT = 0xbe804700, 0xff80ffff
# `s_swappc_b64` and `s_setpc_b64`; the mask leaves out both registers.
CALL, JUMP, ANY_REGISTERS = 0xbe804900, 0xbe804800, 0xff80ff00
# `s_mov_b64` of `src_shared_base` and `src_private_base`.
APERTURES = {0xbe8001eb: SHARED_APERTURE, 0xbe8001ed: PRIVATE_APERTURE}
NULL = 124
EXEC_LO = 126
# Instructions that invalidate caches ("RDNA3 ISA", MUBUF), 8 bytes: nothing is cached here.
INVALIDATE = (0xe0ac0000, 0xe0b00000)
# User registers in order: bit of the descriptor's properties, and number of registers ("Initial Kernel Execution State").
USER_REGISTERS = ((0, 4), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 1))
KERNARG = 3
IMPLICIT = {
    "hidden_block_count_x": ("<I", "grid", 0), "hidden_block_count_y": ("<I", "grid", 1),
    "hidden_block_count_z": ("<I", "grid", 2), "hidden_group_size_x": ("<H", "block", 0),
    "hidden_group_size_y": ("<H", "block", 1), "hidden_group_size_z": ("<H", "block", 2),
}
# Implicit arguments that are 0: nothing here uses them.
UNUSED = {
    *(f"hidden_{what}_{axis}" for what in ("remainder", "global_offset") for axis in "xyz"),
    "hidden_hostcall_buffer", "hidden_multigrid_sync_arg", "hidden_heap_v1", "hidden_default_queue",
    "hidden_completion_action", "hidden_queue_ptr",
}


class EmulationError(Exception):
    """Something the emulator does not do, or a kernel that does not end."""


def arguments(kernel, recording, real):
    """The kernel's arguments as its metadata lays them out."""
    content = bytearray(max(kernel[".kernarg_segment_size"], 8))
    words = iter(recording.arguments)
    for argument in kernel[".args"]:
        kind, at = argument[".value_kind"], argument[".offset"]
        if not kind.startswith("hidden_"):
            content[at:at + argument[".size"]] = struct.pack("<Q", real(next(words)))[:argument[".size"]]
        elif kind in IMPLICIT:
            form, shape, axis = IMPLICIT[kind]
            struct.pack_into(form, content, at, getattr(recording, shape)[axis])
        elif kind == "hidden_grid_dims":
            struct.pack_into("<H", content, at, 1)
        elif kind == "hidden_dynamic_lds_size":
            struct.pack_into("<I", content, at, recording.dynamic_shared)
        elif kind not in UNUSED:
            raise EmulationError(f"the kernel wants {kind}")
    address = memory.allocate(len(content))
    memory.write(address, bytes(content))
    return address


class Wave:
    """A wave's state: the emulator's registers, and private memory."""

    def __init__(self, emulator, kernel, block, index, place):
        count = block[0] * block[1] * block[2]
        self.state = emulator._init_wave(
            kernel.entry, index * WAVE, count, *block, 0, kernel.resources2, kernel.private, "rdna3", *place,
            kernel.user_registers, WAVE)
        self.stride = kernel.private
        self.private = memory.allocate(max(kernel.private * WAVE, 4))
        self.at_barrier = self.ended = False
        self.buffers = None

    def active(self):
        """The active lanes."""
        mask = self.state._read_sgpr(EXEC_LO)
        return [lane for lane in range(WAVE) if mask >> lane & 1]

    def vector(self, register, lane):
        """64 bits of two vector registers."""
        read = self.state._read_vgpr
        return read(register, lane) | read(register + 1, lane) << 32

    def set_vector(self, register, lane, value):
        """Writes two vector registers."""
        self.state._write_vgpr(register, lane, value)
        self.state._write_vgpr(register + 1, lane, value >> 32)


class Dispatch:
    """A launch of a kernel."""

    def __init__(self, emulator, instructions, descriptor, recording, kernarg, private):
        self.emulator, self.instructions = emulator, instructions
        self.entry, self.resources2 = descriptor.entry, descriptor.resources2
        self.private = max(descriptor.private, private)
        self.grid, self.block = recording.grid, recording.block
        self.shared_size = descriptor.shared + recording.dynamic_shared
        self.user_registers = user_registers(descriptor, kernarg)
        # Any 32-bit offset is readable: the emulator loads for lanes that are not active, too.
        self.shared = memory.allocate(1 << 32)
        self.program = {}
        self.executed = 0

    def run(self):
        """Runs every block; returns the number of instructions that waves executed."""
        for z in range(self.grid[2]):
            for y in range(self.grid[1]):
                for x in range(self.grid[0]):
                    self.run_block((x, y, z))
        return self.executed

    def run_block(self, place):
        """Runs a block: wave by wave, each up to a barrier, its end, or its turn's."""
        ctypes.memset(self.shared, 0xcd, max(self.shared_size, 4))
        threads = self.block[0] * self.block[1] * self.block[2]
        waves = [Wave(self.emulator, self, self.block, index, place) for index in range((threads + WAVE - 1) // WAVE)]
        for wave in waves:
            state = wave.state
            wave.buffers = [ctypes.c_uint64(address) for address in (
                state.sgpr_buf._buf.va_addr, state.vgpr_buf._buf.va_addr, 0, self.shared, wave.private,
                state.accvgpr_buf._buf.va_addr)]
        while alive := [wave for wave in waves if not wave.ended]:
            for wave in alive:
                if not wave.at_barrier:
                    self.turn(wave)
            if all(wave.at_barrier or wave.ended for wave in alive):
                for wave in alive:
                    wave.at_barrier = False

    def turn(self, wave):
        """Lets a wave run."""
        state = wave.state
        for _ in range(TURN):
            pc = state.pc
            if pc == self.emulator.ENDPGM_PC:
                wave.ended = True
                return
            if pc not in self.program:
                self.program[pc] = self.decode(pc)
            execute, ends_turn = self.program[pc]
            execute(wave)
            self.executed += 1
            if ends_turn:
                wave.at_barrier = True
                return

    def decode(self, pc):
        """How to execute the instruction at an address, and whether it is a barrier."""
        word, = struct.unpack("<I", memory.read(pc, 4))
        if word in INVALIDATE:
            return lambda wave: skip(wave, pc + 8), False
        result = word >> 16 & 0x7f
        if word & ANY_RESULT == GETPC:
            return lambda wave: move(wave, result, pc + 4, pc + 4), False
        if word & ANY_REGISTERS in (CALL, JUMP):
            saved = result if word & ANY_REGISTERS == CALL else None
            return lambda wave: jump(wave, word & 0xff, saved, pc + 4), False
        if word & ANY_RESULT in APERTURES:
            return lambda wave: move(wave, result, APERTURES[word & ANY_RESULT] << 32, pc + 4), False
        program, inst = self.decoded(pc)
        function, places = program[1].fxn, program[0].arg.globals

        def plain(wave):
            function(*[wave.buffers[place] for place in places])
        name = getattr(inst.op, "name", str(inst.op)) if hasattr(inst, "op") else ""
        if name.endswith("ATOMIC_CMPSWAP_B64"):
            return lambda wave: self.compare_and_swap(wave, inst, pc), False
        if name.endswith(("_LOAD_D16_B16", "_LOAD_D16_HI_B16", "_LOAD_U16", "_LOAD_I16")) and not name.startswith("DS"):
            return lambda wave: self.load_16(wave, inst, pc, name), False
        if isinstance(inst, self.instructions.FLAT) and name.startswith("FLAT_"):
            return lambda wave: self.through_apertures(wave, inst, plain), False
        return plain, name == "S_BARRIER"

    def decoded(self, pc):
        """The emulator's program for an instruction, and the instruction."""
        try:
            return self.emulator._decode_at(pc, "rdna3")
        except RuntimeError as error:
            raise EmulationError(str(error)) from error

    def real(self, wave, lane, address):
        """The address in this process of a generic address."""
        upper, lower = address >> 32, address & 0xffffffff
        if upper == SHARED_APERTURE:
            return self.shared + lower
        if upper == PRIVATE_APERTURE:
            return wave.private + lane * wave.stride + lower
        return address

    def through_apertures(self, wave, inst, plain):
        """Executes a FLAT instruction with addresses of this process in its address registers."""
        register = inst.addr.offset - 256
        old = {lane: wave.vector(register, lane) for lane in wave.active()}
        new = {lane: self.real(wave, lane, address) for lane, address in old.items()}
        moved = [lane for lane in old if old[lane] != new[lane]]
        for lane in moved:
            wave.set_vector(register, lane, new[lane])
        plain(wave)
        for lane in moved:
            # Where the result has not come into the same registers.
            for half in range(2):
                if wave.state._read_vgpr(register + half, lane) == new[lane] >> 32 * half & 0xffffffff:
                    wave.state._write_vgpr(register + half, lane, old[lane] >> 32 * half)

    def address(self, wave, lane, inst):
        """The address of a lane's access by a FLAT or GLOBAL instruction."""
        register, offset = inst.addr.offset - 256, (inst.offset & 0x1fff ^ 0x1000) - 0x1000
        if inst.saddr.offset >= NULL:
            return self.real(wave, lane, wave.vector(register, lane)) + offset
        read = wave.state._read_sgpr
        base = read(inst.saddr.offset) | read(inst.saddr.offset + 1) << 32
        return base + wave.state._read_vgpr(register, lane) + offset

    def load_16(self, wave, inst, pc, name):
        """A load of 16 bits: into the lower or the upper half of a register, or extended."""
        result = inst.vdst.offset - 256
        for lane in wave.active():
            value = int.from_bytes(memory.read(self.address(wave, lane, inst), 2), "little", signed="I16" in name)
            if "D16" in name:
                old, up = wave.state._read_vgpr(result, lane), 16 if "_HI_" in name else 0
                value = old & 0xffff << 16 - up | value << up
            wave.state._write_vgpr(result, lane, value)
        wave.state.pc = pc + inst.size()

    def compare_and_swap(self, wave, inst, pc):
        """`global_atomic_cmpswap_b64` and its like: if memory is the upper two registers of the data, the lower two go there;
        the result is what was there."""
        data, result = inst.data.offset - 256, inst.vdst.offset - 256
        for lane in wave.active():
            at = self.address(wave, lane, inst)
            cell = ctypes.c_uint64.from_address(at)
            was = cell.value
            if was == wave.vector(data + 2, lane):
                cell.value = wave.vector(data, lane)
            if inst.glc:
                wave.set_vector(result, lane, was)
        wave.state.pc = pc + inst.size()


def skip(wave, following):
    """An instruction without an effect."""
    wave.state.pc = following


def move(wave, result, value, following):
    """Writes 64 bits to two scalar registers."""
    wave.state._write_sgpr(result, value)
    wave.state._write_sgpr(result + 1, value >> 32)
    wave.state.pc = following


def jump(wave, target, saved, following):
    """Goes on at the address in two scalar registers; the address of the next instruction goes to `saved`, if any."""
    read = wave.state._read_sgpr
    address = read(target) | read(target + 1) << 32
    if saved is not None:
        move(wave, saved, following, following)
    wave.state.pc = address


def user_registers(descriptor, kernarg):
    """The registers that are set when a wave starts."""
    registers = []
    for bit, count in USER_REGISTERS:
        if descriptor.properties >> bit & 1:
            if bit != KERNARG:
                raise EmulationError(f"the kernel wants a user register of bit {bit} of its descriptor")
            registers += [kernarg & 0xffffffff, kernarg >> 32][:count]
    return registers

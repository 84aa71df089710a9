"""The records of `printf` in device memory (devicertl/services/src/output.rs)."""

import re
import struct

_PRINT = 0


def texts(content):
    """The text of each record."""
    found, at = [], 0
    while at < len(content):
        size, kind = struct.unpack_from("<QQ", content, at)
        if kind == _PRINT:
            found.append(_formatted(content, at + 16))
        at += size
    return "".join(found)


def _formatted(content, at):
    form, at = _string(content, at)

    def argument(match):
        nonlocal at
        conversion = match.group(2)
        if conversion == "%":
            return "%"
        if conversion == "s":
            value, at = _string(content, at)
        else:
            value, = struct.unpack_from("<d" if conversion in "eEfFgG" else "<q", content, at)
            at += 8
            if conversion in "uxXo":
                value &= 0xffffffffffffffff if "l" in match.group(0) else 0xffffffff
        # C writes no prefix before 0.
        flags = match.group(1).replace("#", "") if value == 0 else match.group(1)
        return f"%{flags}{'d' if conversion == 'u' else conversion}" % value
    return re.sub(r"%([-+ #0-9.]*)(?:hh|h|ll|l|z|j|t)?([diuoxXceEfFgGs%])", argument, form)


def _string(content, at):
    size, = struct.unpack_from("<Q", content, at)
    length = max(size - 1, 0)
    return content[at + 8:at + 8 + length].decode(), at + 8 + (length + 7) // 8 * 8

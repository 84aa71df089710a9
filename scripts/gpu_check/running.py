"""Running a program within a time limit."""

import os
import re
import signal
import subprocess
from dataclasses import dataclass

PASSED, FAILED, LATE, SKIPPED = "passed", "failed", "out of time", "skipped"

# The sides of a peer: with OpenMP, and in the maker's language.
OPENMP, BY_HAND = "openmp", "by hand"

# What is kept of a program's output.
MOST_OUTPUT = 8000


@dataclass
class Ended:
    """How a program ended."""

    code: int  # negative: the signal; None: it was stopped, or did not start
    output: str
    error: str
    late: bool = False

    def why(self):
        """What went wrong, in words and with what the program said last."""
        if self.late:
            how = "ran out of time"
        elif self.code is None:
            how = "did not start"
        elif self.code < 0:
            how = f"died of {signal.Signals(-self.code).name}"
        else:
            how = f"ended with {self.code}"
        said = (self.output + self.error)[-MOST_OUTPUT:].strip()
        return f"{how}: {said}" if said else how


def run(command, seconds, environment=None, folder=None):
    """Runs `command`; it and all it has started are killed when `seconds` are over."""
    try:
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment, cwd=folder, start_new_session=True,
                                   text=True, errors="replace")
    except OSError as error:
        return Ended(None, "", str(error))
    try:
        output, error = process.communicate(timeout=seconds)
        return Ended(process.returncode, output, error)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, error = process.communicate()
        return Ended(None, output, error, late=True)


def errors(said):
    """The lines of a tool that say what is wrong, each once, as a device linker says things for each GPU; all of them if none does."""
    lines = dict.fromkeys(line for line in said.splitlines() if re.search(r"error|fatal", line))
    return "\n".join(lines) or said


def outcome(status, why="", **data):
    """What a step gives."""
    return {"status": status, "why": why, **data}

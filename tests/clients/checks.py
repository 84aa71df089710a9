"""What the programs of a client share: checks by name, a count at the end, and how far two arrays are apart."""

import sys
import time

import numpy as np


def apart(found, expected):
    """The largest difference, relative where numbers are larger than 1. Shapes and what is no number must be alike."""
    found, expected = np.atleast_1d(found), np.atleast_1d(expected)
    if found.shape != expected.shape:
        raise ValueError(f"shape {found.shape} in place of {expected.shape}")
    if found.dtype.kind in "biu":
        return float(np.count_nonzero(found != expected))
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    if not np.array_equal(np.isnan(found), np.isnan(expected)):
        return float("inf")
    with np.errstate(invalid="ignore"):
        difference = np.abs(found - expected) / np.maximum(1, np.abs(expected))
    difference[(found == expected) | np.isnan(found)] = 0
    return float(difference.max(initial=0))


def run(checks):
    """Runs checks (a name, a function that gives a difference, the most that it may be), and ends the program."""
    failed = 0
    for name, check, most in checks:
        begin = time.process_time()
        try:
            difference = check()
            verdict = "ok" if difference <= most else "FAILED"
            said = f"difference {difference:.2g}"
        except Exception as error:  # A client's own errors are of any sort; the others are still to run.
            verdict, said = "FAILED", f"{type(error).__name__}: {error}"
        failed += verdict != "ok"
        print(f"{name}: {verdict}, {said}, {time.process_time() - begin:.1f} s", flush=True)
    print(f"{len(checks) - failed} of {len(checks)} passed")
    sys.exit(failed > 0)

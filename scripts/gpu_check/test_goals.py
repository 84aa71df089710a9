"""The goals' verdicts, from figures: python3 -m unittest discover -s scripts -p 'test_*.py'"""

import unittest

from gpu_check import goals


def cycles(mean, half_width=1.0):
    return {"mean": mean, "half_width": half_width}


def row(suite, construct, threads, mean, mode="generic"):
    return {"suite": suite, "construct": construct, "parameter": 0, "mode": mode, "teams": 1, "threads": threads,
            "cycles": cycles(mean), "ns": cycles(mean)}


def verdicts(steps, on_gpu=True):
    return {goal["goal"].split()[0]: (goal["measured"], goal["met"]) for goal in goals.judge(steps, on_gpu)}


class Goals(unittest.TestCase):
    def test_without_figures_all_is_unmeasured(self):
        self.assertEqual(set(verdicts({}).values()), {(None, None)})
        failed = {name: {"status": "failed", "why": "x"} for name in ("epcc", "nested", "peers", "llvm")}
        self.assertEqual(set(verdicts(failed).values()), {(None, None)})

    def test_peers_are_compared_by_medians(self):
        figures = {"launch": {"openmp": {"ns": [13, 99, 1]}, "cuda": {"ns": [10, 10, 10]}},
                   "saxpy": {"openmp": {"ns": [100]}, "cuda": {"ns": [97]}},
                   "sum": {"openmp": {"ns": [100]}, "cuda": None}}
        found = verdicts({"peers": {"figures": figures}})
        self.assertEqual(found["empty"], (1.3, True))
        self.assertEqual(found["bandwidth"], (0.97, False))
        self.assertEqual(found["double"], (None, None))
        self.assertEqual(verdicts({"peers": {"figures": figures}}, on_gpu=False)["empty"], (None, None))

    def test_parallel_over_barriers_is_the_worst_of_the_sizes(self):
        rows = [row("sync", "parallel", 32, 110), row("reference", "two named barriers", 32, 100),
                row("sync", "parallel", 992, 500), row("reference", "two named barriers", 992, 400),
                row("sync", "parallel", 64, 10_000)]
        self.assertEqual(verdicts({"epcc": {"rows": rows}})["EPCC"], (1.25, False))

    def test_a_construct_is_worse_only_where_intervals_are_apart(self):
        ours = [row("sync", "for", 32, 101), row("sync", "single", 32, 50)]
        llvm = [row("sync", "for", 32, 100), row("sync", "single", 32, 100)]
        steps = {"epcc": {"rows": ours}, "llvm": {"parts": {"epcc": {"rows": llvm}}}}
        self.assertEqual(verdicts(steps)["worst"], (1.0, True))
        steps["epcc"]["rows"][0] = row("sync", "for", 32, 150)
        self.assertEqual(verdicts(steps)["worst"], (1.5, False))


if __name__ == "__main__":
    unittest.main()

"""The goals' verdicts, from figures: python3 -m unittest discover -s scripts -p 'test_*.py'"""

import unittest

from gpu_check import goals, machine, makers


def cycles(mean, half_width=1.0):
    return {"mean": mean, "half_width": half_width}


def row(suite, construct, threads, mean, mode="generic"):
    return {"suite": suite, "construct": construct, "parameter": 0, "mode": mode, "teams": 1, "threads": threads,
            "cycles": cycles(mean), "ns": cycles(mean)}


def verdicts(steps, on_gpu=True, maker="NVIDIA"):
    found = machine.Machine(makers.named(maker), "", gpus=[{}] if on_gpu else [])
    return {goal["goal"].split()[0]: (goal["measured"], goal["met"]) for goal in goals.judge(steps, found)}


class Goals(unittest.TestCase):
    def test_without_figures_all_is_unmeasured(self):
        self.assertEqual(set(verdicts({}).values()), {(None, None)})
        failed = {name: {"status": "failed", "why": "x"} for name in ("epcc", "nested", "peers", "llvm")}
        self.assertEqual(set(verdicts(failed).values()), {(None, None)})

    def test_peers_are_compared_by_medians(self):
        figures = {"launch": {"openmp": {"ns": [13, 99, 1]}, "by hand": {"ns": [10, 10, 10]}},
                   "saxpy": {"openmp": {"ns": [100]}, "by hand": {"ns": [97]}},
                   "sum": {"openmp": {"ns": [100]}, "by hand": None}}
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

    def test_without_named_barriers_those_in_spmd_mode_count(self):
        rows = [row("sync", "parallel", 64, 110), row("reference", "two named barriers", 64, 100, "spmd"),
                row("sync", "parallel", 128, 300)]
        self.assertEqual(verdicts({"epcc": {"rows": rows}}, maker="AMD")["EPCC"], (1.1, True))

    def test_goals_name_the_makers_tools(self):
        for maker, words in (("NVIDIA", ("cuLaunchKernel", "nvcc's", "CUB's", "named barriers")),
                             ("AMD", ("HIP's launch", "hipcc's", "hipCUB's", "barriers"))):
            said = " ".join(goal[0] for goal in goals.of_maker(makers.named(maker)))
            for word in words:
                self.assertIn(f" {word} ", said + " ")

    def test_a_construct_is_worse_only_where_intervals_are_apart(self):
        ours = [row("sync", "for", 32, 101), row("sync", "single", 32, 50)]
        llvm = [row("sync", "for", 32, 100), row("sync", "single", 32, 100)]
        steps = {"epcc": {"rows": ours}, "llvm": {"parts": {"epcc": {"rows": llvm}}}}
        self.assertEqual(verdicts(steps)["worst"], (1.0, True))
        steps["epcc"]["rows"][0] = row("sync", "for", 32, 150)
        self.assertEqual(verdicts(steps)["worst"], (1.5, False))


if __name__ == "__main__":
    unittest.main()

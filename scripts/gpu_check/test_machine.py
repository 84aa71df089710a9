"""What a machine is refused for, and which maker's GPUs are measured."""

import os
import unittest
from unittest import mock

from gpu_check import machine, makers
from gpu_check.maker import Unusable

NVIDIA, AMD = makers.MAKERS


def gpu(architecture, *machine_code):
    return {"name": "GPU", "architecture": architecture, "machine code": list(machine_code) or [architecture],
            "units": 1, "memory": 1 << 30}


def has(*gpus):
    """A machine with these GPUs."""
    def look(found):
        found.gpus = list(gpus)
    return mock.Mock(side_effect=look)


def has_not(why):
    return mock.Mock(side_effect=Unusable(why))


class Refusals(unittest.TestCase):
    def test_an_older_c_library_is_a_sentence(self):
        with mock.patch("platform.libc_ver", return_value=("glibc", "2.28")):
            self.assertEqual(machine.too_old("2.17"), "")
            self.assertEqual(machine.too_old("2.28"), "")
            self.assertIn("2.35 or newer, this machine has 2.28", machine.too_old("2.35"))
            self.assertEqual(machine.look("cuda", ["sm_90"], "2.100").why_not, machine.too_old("2.100"))
        with mock.patch("platform.libc_ver", return_value=("", "")):
            self.assertIn("another one", machine.too_old("2.35"))

    def test_the_first_gpu_is_measured(self):
        built, gpus = ["gfx90a"], [gpu("gfx1036"), gpu("gfx90a:sramecc+:xnack-")]
        with mock.patch.dict(os.environ, clear=True):
            self.assertIn("set ROCR_VISIBLE_DEVICES=1", machine.no_machine_code(AMD, gpus, built))
            self.assertIn("build another", machine.no_machine_code(AMD, gpus[:1], built))
            os.environ["ROCR_VISIBLE_DEVICES"] = "2,4"
            self.assertIn("set ROCR_VISIBLE_DEVICES=4", machine.no_machine_code(AMD, gpus, built))
            self.assertEqual(machine.no_machine_code(AMD, gpus[1:], built), "")
            self.assertIn("build another", machine.no_machine_code(NVIDIA, [gpu("sm_90")], built))
        with mock.patch.dict(os.environ, {"OMPTARGET_CODEGEN": "/compiler"}):
            self.assertEqual(machine.no_machine_code(AMD, gpus[:1], built), "")


class Choice(unittest.TestCase):
    def look(self, devices, built, nvidia, amd):
        with mock.patch.object(NVIDIA, "look", nvidia), mock.patch.object(AMD, "look", amd), \
                mock.patch.dict(os.environ, clear=True):
            return machine.look(devices, built, "2.0")

    def test_of_two_makers_that_which_is_there(self):
        found = self.look(None, ["sm_90", "gfx90a"], has_not("no NVIDIA driver"), has(gpu("gfx90a")))
        self.assertEqual((found.maker, found.devices, found.why_not), (AMD, "amdgpu", ""))
        found = self.look(None, ["sm_90", "gfx90a"], has(gpu("sm_90")), has(gpu("gfx90a")))
        self.assertEqual((found.maker, found.devices), (NVIDIA, "cuda"))
        found = self.look("amdgpu", ["sm_90", "gfx90a"], has(gpu("sm_90")), has(gpu("gfx90a")))
        self.assertEqual(found.maker, AMD)

    def test_without_any_the_reasons_of_both_are_told(self):
        found = self.look(None, ["sm_90", "gfx90a"], has_not("no NVIDIA driver"), has_not("no AMD runtime"))
        self.assertRegex(found.why_not, "no NVIDIA driver; no AMD runtime.*--devices vgpu")
        found = self.look(None, ["gfx90a"], has(gpu("sm_90")), has_not("no AMD runtime"))
        self.assertNotIn("NVIDIA", found.why_not)

    def test_a_dry_run_needs_no_gpu(self):
        found = self.look("vgpu", ["gfx90a"], has_not("none"), has_not("none"))
        self.assertEqual((found.maker, found.devices, found.why_not, found.gpus), (AMD, "vgpu", "", []))


class Architectures(unittest.TestCase):
    def test_nvidias_machine_code_runs_on_the_same_major_version(self):
        built = ["sm_80", "sm_90", "sm_100"]
        for architecture, runs in (("sm_80", True), ("sm_89", True), ("sm_90", True), ("sm_75", False), ("sm_103", True),
                                   ("sm_120", False)):
            self.assertEqual(NVIDIA.runs_on(gpu(architecture), built), runs, architecture)

    def test_amds_machine_code_runs_where_the_runtime_lists_it(self):
        instinct = gpu("gfx90a:sramecc+:xnack-")
        radeon = gpu("gfx1103", "gfx1103", "gfx11-generic")
        for built, on, runs in (("gfx90a", instinct, True), ("gfx90a:xnack-", instinct, True),
                                ("gfx90a:xnack+", instinct, False), ("gfx90a:sramecc+:xnack-", instinct, True),
                                ("gfx942", instinct, False), ("gfx9", instinct, False),
                                ("gfx1103", radeon, True), ("gfx1100", radeon, False), ("gfx11-generic", radeon, True),
                                ("gfx11-generic", gpu("gfx1103"), False)):
            self.assertEqual(AMD.runs_on(on, ["gfx1200", built]), runs, (built, on["machine code"]))

    def test_every_architecture_has_a_maker_or_none(self):
        self.assertEqual([makers.of(name) for name in ("sm_90", "gfx90a:xnack-", "x86-64")], [NVIDIA, AMD, None])
        self.assertEqual(makers.of_all(["gfx90a", "sm_80", "gfx1100"]), [NVIDIA, AMD])


if __name__ == "__main__":
    unittest.main()

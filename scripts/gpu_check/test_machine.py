"""What a machine is refused for."""

import unittest
from unittest import mock

from gpu_check import machine


class Refusals(unittest.TestCase):
    def test_an_older_c_library_is_a_sentence(self):
        with mock.patch("platform.libc_ver", return_value=("glibc", "2.28")):
            self.assertEqual(machine.too_old("2.17"), "")
            self.assertEqual(machine.too_old("2.28"), "")
            self.assertIn("2.35 or newer, this machine has 2.28", machine.too_old("2.35"))
            self.assertEqual(machine.look("cuda", ["sm_90"], "2.100").why_not, machine.too_old("2.100"))
        with mock.patch("platform.libc_ver", return_value=("", "")):
            self.assertIn("another one", machine.too_old("2.35"))


class Architectures(unittest.TestCase):
    def test_machine_code_runs_on_the_same_major_version(self):
        built = ["sm_80", "sm_90", "sm_100"]
        for architecture, runs in (("sm_80", True), ("sm_89", True), ("sm_90", True), ("sm_75", False), ("sm_103", True),
                                   ("sm_120", False)):
            self.assertEqual(machine.runs_on(architecture, built), runs, architecture)


if __name__ == "__main__":
    unittest.main()

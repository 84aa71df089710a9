"""Why there is no AMD GPU, in words; and what its programs by hand see."""

import os
import pathlib
import tempfile
import types
import unittest
from unittest import mock

from gpu_check import amd, hsa, machine, makers, running, steps

AMD = makers.named("AMD")


class Access(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.kfd, self.nodes = self.folder / "kfd", self.folder / "dri"
        self.nodes.mkdir()
        for name, value in (("KFD", self.kfd), ("NODES", self.nodes)):
            patch = mock.patch.object(amd, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def test_without_the_kernels_driver(self):
        self.assertIn(f"there is no {self.kfd}", amd.no_access())

    def test_without_permission(self):
        node = self.nodes / "renderD128"
        for file in (self.kfd, node):
            file.touch()
        (self.nodes / "card0").touch()
        self.assertEqual(amd.no_access(), "")
        # The tests may run as root, who may open everything.
        with mock.patch("os.access", side_effect=lambda path, _: path != node):
            said = amd.no_access()
        self.assertIn(f"user {amd.user()} may not open {node}; members of the group {amd.group_of(node)} may", said)

    def test_a_runtime_out_of_resources_is_explained(self):
        found = machine.Machine(AMD, "amdgpu")
        runtime = mock.MagicMock()
        runtime.__enter__.side_effect = hsa.RuntimeFailed("hsa_init", hsa.OUT_OF_RESOURCES, "words")
        with mock.patch.object(hsa, "Runtime", return_value=runtime):
            with self.assertRaisesRegex(amd.Unusable, f"is there, but there is no {self.kfd}"):
                AMD.look(found)
            self.kfd.touch()
            with self.assertRaisesRegex(amd.Unusable, "does not work: hsa_init: words"):
                AMD.look(found)

    def test_hidden_gpus_are_explained(self):
        self.kfd.touch()
        runtime = mock.MagicMock(**{"gpus.return_value": [], "version.return_value": "HSA 1.1"})
        with mock.patch.object(hsa, "Runtime", return_value=runtime), \
                mock.patch.dict(os.environ, {"ROCR_VISIBLE_DEVICES": "7"}):
            with self.assertRaisesRegex(amd.Unusable, "finds no GPU; ROCR_VISIBLE_DEVICES=7 may hide them"):
                AMD.look(machine.Machine(AMD, "amdgpu"))

    def test_a_missing_library(self):
        with mock.patch.object(hsa, "Runtime", side_effect=OSError("no such file")), \
                mock.patch.dict(os.environ, {"ROCM_PATH": str(self.folder)}):
            with self.assertRaisesRegex(amd.Unusable, r"cannot be opened \(no such file\)$"):
                AMD.look(machine.Machine(AMD, "amdgpu"))
            (self.folder / "lib").mkdir()
            (self.folder / "lib" / hsa.LIBRARY).touch()
            with self.assertRaisesRegex(amd.Unusable, f"there is one in {self.folder}/lib: set LD_LIBRARY_PATH"):
                AMD.look(machine.Machine(AMD, "amdgpu"))


class ByHand(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def script(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def surroundings(self, compiler):
        """What a step works with, on a machine with a GPU and this shell script as hipcc."""
        tools = {"hipcc": str(self.script("hipcc", compiler))}
        found = machine.Machine(AMD, "amdgpu", gpus=[{"architecture": "gfx90a:sramecc+:xnack-"}], tools=tools)
        bundle = types.SimpleNamespace(root=self.folder)
        return steps.Surroundings(bundle, found, types.SimpleNamespace(limit=1, elements=5))

    def test_the_program_sees_the_gpu_that_openmp_sees(self):
        line = '{"what": "%s", "bytes": 0, "ns": [1]}'
        made = self.script("made", f"printf '{line}' \"${{HIP_VISIBLE_DEVICES-unset}} $ROCR_VISIBLE_DEVICES $*\"")
        it = self.surroundings(f'test "$2" = --offload-arch=gfx90a:sramecc+:xnack- && cp {made} "$5"')
        with mock.patch.dict(os.environ, {"HIP_VISIBLE_DEVICES": "3", "ROCR_VISIBLE_DEVICES": "1"}):
            found = steps.by_hand(it, "saxpy", self.folder)
        self.assertEqual((found["status"], found["why"]), (running.PASSED, ""))
        self.assertEqual(list(found["lines"]), ["unset 1 --elements 5 --samples 21"])

    def test_what_is_missing_is_no_failure(self):
        it = self.surroundings("echo 'sum.cu:9:2: error: hipCUB is missing' >&2; exit 1")
        found = steps.by_hand(it, "sum", self.folder)
        self.assertEqual((found["status"], found["why"]), (running.SKIPPED, "no hipCUB: sum in HIP was not measured"))
        it.machine.tools["hipcc"] = ""
        found = steps.by_hand(it, "sum", self.folder)
        self.assertEqual(found["status"], running.SKIPPED)
        self.assertIn("no hipcc: HIP's side was not measured (set ROCM_PATH or HIP_PATH or PATH)", found["why"])

    def test_what_fails_is_told(self):
        found = steps.by_hand(self.surroundings("echo broken >&2; exit 3"), "sum", self.folder)
        self.assertEqual((found["status"], found["why"]), (running.FAILED, "hipcc sum.cu ended with 3: broken"))


if __name__ == "__main__":
    unittest.main()

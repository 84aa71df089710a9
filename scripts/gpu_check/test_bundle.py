"""Bundles: packed and unpacked, whole and broken."""

import json
import pathlib
import tempfile
import unittest

from gpu_check import bundle, running


def packed(folder):
    (folder / bundle.FILES / "bin").mkdir(parents=True)
    (folder / bundle.FILES / "bin" / "program").write_text("#!/bin/sh\n")
    (folder / bundle.FILES / "bin" / "program").chmod(0o755)
    bundle.pack(folder)
    (folder / bundle.MANIFEST).write_text(json.dumps({"architectures": ["sm_90"], "programs": [], "spare": []}))


class Packing(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        packed(self.folder)

    def test_files_come_back_as_they_were(self):
        self.assertFalse((self.folder / bundle.FILES).exists())
        made = bundle.Bundle(self.folder)
        for _ in range(2):
            made.unpack()
        program = made.root / "bin" / "program"
        self.assertEqual((program.read_text(), program.stat().st_mode & 0o100), ("#!/bin/sh\n", 0o100))
        self.assertEqual({path.name for path in self.folder.iterdir()}, {bundle.MANIFEST, bundle.PACKED, bundle.FILES})

    def test_a_broken_archive_leaves_nothing(self):
        archive = self.folder / bundle.PACKED
        whole = archive.read_bytes()
        for content in (whole[:len(whole) // 2], b"nonsense", b""):
            archive.write_bytes(content)
            with self.assertRaisesRegex(bundle.BundleError, "cannot be unpacked"):
                bundle.Bundle(self.folder).unpack()
            self.assertEqual({path.name for path in self.folder.iterdir()}, {bundle.MANIFEST, bundle.PACKED})

    def test_a_folder_without_a_manifest_is_none(self):
        (self.folder / bundle.MANIFEST).unlink()
        with self.assertRaisesRegex(bundle.BundleError, "holds no bundle"):
            bundle.Bundle(self.folder)


class Failures(unittest.TestCase):
    def test_errors_are_told_once_and_warnings_not(self):
        said = "wrapper: warning: layouts\nnvlink error   : no f\nwrapper: warning: layouts\nnvlink error   : no f\nclang: error: nvlink failed\n"
        self.assertEqual(running.errors(said), "nvlink error   : no f\nclang: error: nvlink failed")

    def test_what_names_no_error_is_told_whole(self):
        self.assertEqual(running.errors("Stack dump:\n"), "Stack dump:\n")


if __name__ == "__main__":
    unittest.main()

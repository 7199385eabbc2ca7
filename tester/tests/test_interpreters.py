"""Possible locations of the tester's interpreter."""

from __future__ import annotations

import sys
import sysconfig
import tempfile
import unittest
import venv
from pathlib import Path
from unittest import mock

from support import RIGHT, TesterProcess, job

from kernelbot_tester.sandbox.sandbox import package_folders


class Interpreters(unittest.TestCase):
    def test_submissions_import_what_an_environment_below_tmp_has(self) -> None:
        with tempfile.TemporaryDirectory(dir="/tmp", prefix="environment-") as folder:
            # As root, the sandbox's user is another one.
            Path(folder).chmod(0o755)
            venv.create(folder, symlinks=True)
            # By the scheme of virtual environments, since Debian's Python has another default.
            site = Path(sysconfig.get_path("purelib", "venv", {"base": folder}))
            (site / "torch-of-the-tests.pth").write_text("\n".join(package_folders()))
            (site / "installed.py").write_text("")
            with mock.patch.object(sys, "executable", f"{folder}/bin/python3"):
                tester = TesterProcess()
            try:
                verdict = tester.run(job(f"import installed\n{RIGHT}"))[-1]
                self.assertEqual("passed", verdict["verdict"], verdict)
            finally:
                tester.close()


if __name__ == "__main__":
    unittest.main()

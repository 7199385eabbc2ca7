"""The command that installs a package for the interpreter that runs the tester."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path


def pip_install(requirement: str) -> str:
    """Returns a command that installs a package for this interpreter. Where its distribution refuses `pip install` (PEP 668),
    the command creates a virtual environment that sees the packages of the distribution, such as PyTorch."""
    python = os.path.normpath(sys.executable)
    if not is_externally_managed():
        return f"{python} -m pip install {requirement}"
    folder = "~/kernelbot-python"
    return (
        f"{python} -m venv --system-site-packages {folder} && {folder}/bin/python3 -m pip install {requirement} "
        f"&& export KERNELBOT_PYTHON={folder}/bin/python3"
    )


def is_externally_managed() -> bool:
    """Whether only the distribution may install packages for this interpreter, as the marker file of PEP 668 says."""
    return sys.prefix == sys.base_prefix and Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").exists()

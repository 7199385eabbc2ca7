"""A tester that rehearses, with the fake Triton installed."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from kernelbot_tester.judge.serve import serve
from kernelbot_tester.sandbox import sandbox

if __name__ == "__main__":
    installed = sandbox.package_folders
    sandbox.package_folders = lambda: [*installed(), str(HERE)]
    sys.exit(serve(True, rehearses="there is no accelerator"))

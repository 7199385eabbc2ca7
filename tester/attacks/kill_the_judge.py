# attack: judge
# expect: refused
"""Kills every process that it may, the judge included, so that there is no verdict."""

import os
import signal


def custom_kernel(data):
    for process in (-1, 0, os.getppid(), 2, 3):
        try:
            os.kill(process, signal.SIGKILL)
        except OSError:
            pass

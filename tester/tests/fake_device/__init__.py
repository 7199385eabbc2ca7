"""A fake accelerator: a driver library (fake_device.c), and a tester that judges on it.

    with FakeDevice() as device:
        tester = device.tester()
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from support import TesterProcess

from kernelbot_tester.worker.driver_choice import DriverChoice

HERE = Path(__file__).resolve().parent
#: Program of the tester that judges on it: SERVE LIBRARY NODE API.
SERVE = HERE / "serve.py"


class FakeDevice:
    """The running device, and its driver."""

    def __init__(self, *more: str, api: str = "cu") -> None:
        """`more`: further options of the compiler."""
        init = "cuInit" if api == "cu" else "hipInit"
        # Readable by any user, and not hidden by a cell's own scratch folders.
        self.folder = tempfile.mkdtemp(prefix="kernelbot-fake-device-", dir="/var/tmp")
        os.chmod(self.folder, 0o755)
        self.library, self.node = f"{self.folder}/libfake_device.so", f"{self.folder}/device"
        flags = ["-O2", "-shared", "-fPIC", "-I/usr/local/cuda/include", f'-DDEVICE_FILE="{self.node}"', *more]
        subprocess.run(["cc", *flags, "-o", self.library, str(HERE / "fake_device.c")], check=True)
        self.driver = ctypes.CDLL(self.library)
        self.driver.fake_device_bytes.restype = ctypes.c_uint64
        with open(self.node, "wb") as file:
            file.truncate(self.driver.fake_device_bytes())
        os.chmod(self.node, 0o666)
        assert self.driver[init](0) == 0
        self.choice = DriverChoice(self.library, api, "cpu")
        self.thread = threading.Thread(target=self.driver.fake_device_run, daemon=True)
        self.thread.start()

    def tester(self) -> TesterProcess:
        """Returns a tester with this device as its accelerator."""
        return TesterProcess(command=[str(SERVE), self.library, self.node, self.choice.api])

    def close(self) -> None:
        """Stops the device."""
        self.driver.fake_device_quit()
        self.thread.join()
        shutil.rmtree(self.folder)


@functools.cache
def shared_fake_device() -> FakeDevice:
    """Returns one device for all tests."""
    device = FakeDevice()
    atexit.register(device.close)
    return device


@functools.cache
def shared_accelerated_tester() -> TesterProcess:
    """Returns one tester for all tests that do not change its state."""
    tester = shared_fake_device().tester()
    if tester.first["type"] != "ready":
        raise unittest.SkipTest(tester.first["reason"])
    atexit.register(tester.close)
    return tester

"""The tester with the fake device as its accelerator: serve.py LIBRARY NODE API. With the further argument `exercise`,
runs device/exercise.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kernelbot_tester.device import caches
from kernelbot_tester.device.exercise import exercise
from kernelbot_tester.device.find import FoundAccelerator
from kernelbot_tester.device.telemetry import Reading
from kernelbot_tester.judge.serve import serve
from kernelbot_tester.worker.driver_choice import DriverChoice


class HotOnce:
    """Sensors of a device that is throttled in the second round of a job's only case."""

    reads = 0

    def read(self) -> Reading:
        self.reads += 1
        return Reading(1980, 2619, 60, 400, ("power brake",) if self.reads == 5 else ())


class FoundFakeDevice(FoundAccelerator):
    """The found fake device. For PyTorch its tensors are on the processor."""

    def sensors(self, number: int) -> HotOnce:
        """Returns the sensors of a device."""
        return HotOnce()

    def device(self, number: int | None = None):
        """Returns the device, not yet opened."""
        from kernelbot_tester.device.accelerator import Accelerator

        return Accelerator(self.choice, self.sensors(0), None, number, self.device)


if __name__ == "__main__":
    library, node, api = sys.argv[1:4]
    # The fake device has no cache behind the L2 cache, and no kernel that would report so.
    caches.INFINITY_CACHE_MIB = {"none": 0}
    found = FoundFakeDevice(DriverChoice(library, api, "cpu"), [], [node], [library])
    if "exercise" in sys.argv:
        sys.exit(exercise(found, [sys.executable, *sys.argv[:4]]))
    sys.exit(serve(True, found))

"""The tester with the stand-in as its accelerator: serve.py LIBRARY NODE. With `exercise` behind it, what that is about."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kernelbot_tester.device.exercise import exercise
from kernelbot_tester.device.find import FoundAccelerator
from kernelbot_tester.serve import serve
from kernelbot_tester.worker.choice import DriverChoice


class FoundStandIn(FoundAccelerator):
    """Its tensors are the processor's for PyTorch: those with a dimension lie in its memory."""

    def device(self, number: int | None = None):
        """The device; not opened yet."""
        from kernelbot_tester.device.accelerator import Accelerator
        from kernelbot_tester.device.telemetry import Reading

        class HotOnce:
            """Sensors of a device that brakes in the second round of a job's only case."""

            reads = 0

            def read(self) -> Reading:
                self.reads += 1
                return Reading(1980, 2619, 60, 400, ("power brake",) if self.reads == 5 else ())

        class StandInDevice(Accelerator):
            def memory_of(self, tensor):
                return "device" if tensor.dim() > 0 else "host"

        return StandInDevice(self.choice, HotOnce(), None, number, self.device)


if __name__ == "__main__":
    library, node = sys.argv[1:3]
    found = FoundStandIn(DriverChoice(library, "cu", "cpu"), [], [node], [library])
    if "exercise" in sys.argv:
        sys.exit(exercise(found, [sys.executable, *sys.argv[:3]]))
    sys.exit(serve(True, found))

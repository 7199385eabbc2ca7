"""Which driver an accelerator has. Apart from the driver itself, since it is known before PyTorch is loaded."""

from __future__ import annotations

from typing import NamedTuple


class DriverChoice(NamedTuple):
    """`library` is loaded by this name; `api` is `cu` or `hip`; `tensors` is PyTorch's device for its memory: `cuda`,
    also for HIP, or `cpu` for a driver whose memory the processor can address, as that of the tests."""

    library: str
    api: str
    tensors: str

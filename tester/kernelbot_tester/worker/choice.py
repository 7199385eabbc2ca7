"""Which driver an accelerator has. Apart from the driver itself, since it is known before PyTorch is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch


class DriverChoice(NamedTuple):
    """`library` is loaded by this name; `api` is `cu` or `hip`; `tensors` is PyTorch's device for its memory: `cuda`,
    also for HIP, or `cpu` for a driver whose memory the processor can address, as that of the tests."""

    library: str
    api: str
    tensors: str

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """The memory where a tensor lies, `host` or `device`; None: no other process can be shown it. Of a driver whose memory
        the processor can address, all tensors with a dimension lie in the device's."""
        if self.tensors == "cpu":
            return "device" if tensor.dim() > 0 else "host"
        return {"cuda": "device", "cpu": "host"}.get(tensor.device.type)

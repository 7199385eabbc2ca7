"""Choice of an accelerator's driver. Separate from the driver itself, since it is known before PyTorch is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch


class DriverChoice(NamedTuple):
    """`library` is the name for dlopen; `api` is `cu` or `hip`; `tensors` is PyTorch's device type for its memory:
    `cuda`, also for HIP, or `cpu` for a driver whose memory the processor can address, as in the tests."""

    library: str
    api: str
    tensors: str

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """Returns the memory that holds a tensor, `host` or `device`; None: memory that cannot be shared. With
        `tensors` = `cpu`, all tensors with a dimension are in device memory."""
        if self.tensors == "cpu":
            return "device" if tensor.dim() > 0 else "host"
        return {"cuda": "device", "cpu": "host"}.get(tensor.device.type)

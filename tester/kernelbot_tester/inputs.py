"""Random inputs for `generate_input`. On a processor they take a quarter of the time of PyTorch's generators or less,
which else is most of the time of judging a fast kernel; on an accelerator PyTorch generates them on the device.

    from kernelbot_tester.inputs import RandomInputs

    def generate_input(size, seed):
        random = RandomInputs(seed, DEVICE)
        return random.normal(size), torch.empty(size, device=DEVICE)
"""

from __future__ import annotations

import ctypes
from typing import Callable

import torch

from .sandbox.native_library import native

#: Size of `struct random` of native/inputs.c in bytes, and its alignment.
STATE_BYTES, ALIGNMENT = 128, 32
#: Largest range of `integers`: the numbers that float32 distinguishes in [0, 1).
MAX_RANGE = 1 << 24


class RandomInputs:
    """Random tensors from a seed of 64 bits. The same seed and calls give the same values on every processor."""

    def __init__(self, seed: int, device: str = "cpu") -> None:
        self.device = device
        self._generator: torch.Generator | None = None
        if device != "cpu":
            self._generator = torch.Generator(device=device).manual_seed(seed)
            return
        self._memory = ctypes.create_string_buffer(STATE_BYTES + ALIGNMENT)
        address = ctypes.addressof(self._memory)
        self._state = address + -address % ALIGNMENT
        native().kb_random_seed(self._state, seed & (1 << 64) - 1)

    def normal(self, *shape: int) -> torch.Tensor:
        """Returns float32 values of the standard normal distribution."""
        if self._generator is not None:
            return torch.randn(shape, generator=self._generator, device=self.device)
        return self._filled(native().kb_random_normal, shape, torch.float32)

    def uniform(self, *shape: int) -> torch.Tensor:
        """Returns float32 values of the uniform distribution in [0, 1)."""
        if self._generator is not None:
            return torch.rand(shape, generator=self._generator, device=self.device)
        return self._filled(native().kb_random_uniform, shape, torch.float32)

    def integers(self, low: int, high: int, *shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
        """Returns integers of the uniform distribution in [low, high), a range of at most 2^24.
        Raises ValueError for an empty or larger range."""
        if not 0 < high - low <= MAX_RANGE:
            raise ValueError(f"[{low}, {high}) is not a range of 1 to {MAX_RANGE} integers")
        if self._generator is not None:
            return torch.randint(low, high, shape, dtype=dtype, generator=self._generator, device=self.device)
        if (low, high, dtype) == (0, 256, torch.uint8):
            return self.bytes(*shape)
        return self.uniform(*shape).mul_(high - low).to(dtype).add_(low)

    def bytes(self, *shape: int) -> torch.Tensor:
        """Returns random bytes, as a tensor of uint8."""
        if self._generator is not None:
            return torch.randint(0, 256, shape, dtype=torch.uint8, generator=self._generator, device=self.device)
        return self._filled(native().kb_random_bytes, shape, torch.uint8)

    def _filled(self, fill: Callable[[int, int, int], None], shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        values = torch.empty(shape, dtype=dtype)
        # Problem checks generate inputs without memory (FakeTensorMode) to learn their size.
        if type(values) is torch.Tensor:
            fill(self._state, values.data_ptr(), values.numel())
        return values

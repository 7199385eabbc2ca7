/**
 * Python module that stands for `kernelbot_tester.inputs` in exported tests: the same functions and distributions, with
 * PyTorch's generators, because the tester's own need its native library.
 */
export const RANDOM_INPUTS = `"""Random inputs of the problem. On a CPU the judge's generators have the same distributions and other values."""

import torch

MAX_RANGE = 1 << 24


class RandomInputs:
    """Random tensors from a seed."""

    def __init__(self, seed, device="cpu"):
        self.device = device
        self._generator = torch.Generator(device=device).manual_seed(seed)

    def normal(self, *shape):
        """Returns float32 values of the standard normal distribution."""
        return torch.randn(shape, generator=self._generator, device=self.device)

    def uniform(self, *shape):
        """Returns float32 values of the uniform distribution in [0, 1)."""
        return torch.rand(shape, generator=self._generator, device=self.device)

    def integers(self, low, high, *shape, dtype=torch.int64):
        """Returns integers of the uniform distribution in [low, high)."""
        return torch.randint(low, high, shape, dtype=dtype, generator=self._generator, device=self.device)

    def bytes(self, *shape):
        """Returns random bytes, as a tensor of uint8."""
        return self.integers(0, 256, *shape, dtype=torch.uint8)
`;

"""Doubles a vector: the smallest problem that has inputs, an output buffer and a check."""

import torch


def generate_input(size: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A float32 vector of `size` elements and the buffer for its double."""
    x = torch.randn(size, generator=torch.Generator().manual_seed(seed))
    return x, torch.empty_like(x)


def ref_kernel(data: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Twice the input."""
    return data[0] * 2

"""result = a x + y for a = 2.5."""

from __future__ import annotations

import os

import torch

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")


def generate_input(size: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """x, y: uniform float32 of shape (size,); the output buffer of the same shape."""
    generator = torch.Generator(DEVICE).manual_seed(seed)
    x = torch.rand(size, generator=generator, device=DEVICE)
    y = torch.rand(size, generator=generator, device=DEVICE)
    return x, y, torch.empty(size, device=DEVICE)


def ref_kernel(data: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Returns the sum."""
    x, y, result = data
    return torch.add(y, x, alpha=2.5, out=result)


def cost(size: int, seed: int) -> dict[str, float]:
    """Two reads and a write of float32; a product and a sum per element."""
    return {"bytes": 12 * size, "operations": 2 * size}

"""Kinds of test matrices for linear algebra, float32 (batch, n, n)."""

import math
from typing import Callable

import torch

KINDS = ("dense", "rankdef", "clustered", "nearrank")


def draw(batch: int, n: int, cond: int, case: str, generator: torch.Generator) -> torch.Tensor:
    """Returns square matrices of a kind; `mixed` uses the kinds in rotation, matrix by matrix."""
    return _of_kinds(_square, batch, n, cond, case, generator)


def draw_symmetric(batch: int, n: int, cond: int, case: str, generator: torch.Generator) -> torch.Tensor:
    """Returns symmetric matrices of a kind: those of `draw`, and `even` and `geometric`, named for their
    eigenvalues."""
    a = _of_kinds(_symmetric, batch, n, cond, case, generator)
    # Products may be summed in different orders on both sides of the diagonal.
    return (a + a.mT) / 2


def _of_kinds(
    of_kind: Callable[..., torch.Tensor], batch: int, n: int, cond: int, case: str, generator: torch.Generator
) -> torch.Tensor:
    if case != "mixed":
        return of_kind(batch, n, cond, case, generator)
    a = torch.empty(batch, n, n, device=generator.device)
    for place, kind in enumerate(KINDS[:batch]):
        own = a[place :: len(KINDS)]
        own.copy_(of_kind(len(own), n, cond, kind, generator))
    return a


def _square(batch: int, n: int, cond: int, kind: str, generator: torch.Generator) -> torch.Tensor:
    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=generator.device)

    if kind == "dense":
        # Column j is smaller by 10^(-cond * j / (n - 1)).
        return normal(batch, n, n) * torch.logspace(0, -cond, n, device=generator.device)
    if kind == "clustered":
        # Eight columns in a row are nearly the same.
        centres = normal(batch, n, -(-n // 8)).repeat_interleave(8, dim=2)[..., :n]
        return centres + 1e-4 * normal(batch, n, n)
    if kind not in KINDS:
        raise ValueError(f"no kind of matrix is called {kind}")
    share = {"rankdef": (3, 4), "nearrank": (1, 2)}[kind]
    rank = max(1, n * share[0] // share[1])
    low = normal(batch, n, rank) @ normal(batch, rank, n) / rank**0.5
    return low + 1e-5 * normal(batch, n, n) if kind == "nearrank" else low


def _symmetric(batch: int, n: int, cond: int, kind: str, generator: torch.Generator) -> torch.Tensor:
    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=generator.device)

    noise = normal(batch, n, n) / math.sqrt(2 * n)
    noise = noise + noise.mT
    if kind == "dense":
        # Row and column j are smaller by 10^(-cond / 2 * j / (n - 1)).
        scale = torch.logspace(0, -cond / 2, n, device=generator.device)
        return scale[:, None] * noise * scale
    if kind == "clustered":
        # Seven eighths of the eigenvalues lie within some 1e-4 of 1.
        factor = normal(batch, n, -(-n // 8)) / math.sqrt(n)
        return torch.eye(n, device=generator.device) + factor @ factor.mT + 1e-4 * noise
    if kind in ("rankdef", "nearrank"):
        share = {"rankdef": (3, 4), "nearrank": (1, 2)}[kind]
        factor = normal(batch, n, max(1, n * share[0] // share[1])) / math.sqrt(n)
        signs = normal(batch, 1, factor.shape[2]).sign()
        low = (factor * signs) @ factor.mT
        return low + 1e-5 * noise if kind == "nearrank" else low
    # One eigenvalue in each n-th part, of [-1, 1] or of the logarithms of magnitudes.
    within = torch.rand(batch, n, generator=generator, device=generator.device)
    parts = torch.arange(n, device=generator.device) + within
    if kind == "even":
        values = 2 * parts / n - 1
    elif kind == "geometric":
        values = 10.0 ** (-cond * parts / n) * normal(batch, n).sign()
    else:
        raise ValueError(f"no kind of symmetric matrix is called {kind}")
    # Discrete Hartley transforms, which are orthogonal, with random signs between them.
    angles = torch.arange(n, device=generator.device, dtype=torch.float64)
    angles = torch.outer(angles, angles) * (2 * math.pi / n)
    hartley = ((angles.cos() + angles.sin()) / math.sqrt(n)).float()
    basis = normal(batch, n, 1).sign() * (hartley @ (normal(batch, n, 1).sign() * hartley))
    return (basis * values[:, None]) @ basis.mT

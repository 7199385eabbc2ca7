"""Cholesky factorization of a batch of symmetric positive definite matrices."""

import math
import os
from typing import Tuple

import torch
import torch.backends.cuda

from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False

ROUNDOFF = 2.0**-24
"""The unit roundoff of float32."""

FACTOR = 4.0
"""Factor of the root-mean-square bound: see check_implementation."""

APPROXIMATE = 8
"""Units that the elementary functions of an accelerator add to the bound of an element."""

ELEMENTS, ROWS = 2**24, 1024
"""Number of elements, and of rows of a matrix, that are checked at once."""


def generate_input(batch: int, n: int, cond: int, seed: int) -> input_t:
    """A = G G^T / n + s I for a normally distributed G, with a condition number of about 10^cond, and the buffer for
    L."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    g = torch.randn(batch, n, n, generator=generator, device=DEVICE).mul_(n**-0.5)
    l = torch.empty_like(g)
    a = g @ g.mT
    # The eigenvalues of G G^T / n lie between 0 and 4.
    a.diagonal(dim1=1, dim2=2).add_(4 / (10.0**cond - 1))
    # Products may be summed in different orders on both sides of the diagonal.
    return torch.add(a, a.mT).mul_(0.5), l


def ref_kernel(data: input_t) -> output_t:
    """L (batch, n, n) float32, with zeros above the diagonal."""
    a, _ = data
    return torch.linalg.cholesky(a)


def check_implementation(data: input_t, output: output_t) -> Tuple[bool, str]:
    """Checks in float64 that L is lower triangular with a positive diagonal, and L L^T close to A.

    Theorem 10.3 of Higham, "Accuracy and Stability of Numerical Algorithms" (2nd edition, 2002): Cholesky's method
    gives L L^T = A + E with |e[i, j]| <= c / (1 - c) * sqrt(a[i, i] * a[j, j]), c = k u / (1 - k u), k = n + 1, in
    whatever order the sums are taken, if roots and quotients are rounded correctly. That is the bound of each element,
    with APPROXIMATE added to k: a reciprocal root of an accelerator may be wrong by 4 u, and counts twice. Independent
    roundings grow with sqrt(n) and not with n (Higham, Mary, "A new approach to probabilistic rounding error analysis",
    SIAM J. Sci. Comput. 41, 2019), so all together, in the Frobenius norm and relative to A, have to keep FACTOR *
    sqrt(n) * u."""
    (a, _), l = data, output
    n = a.shape[-1]
    if not bool(l.isfinite().all()):
        return False, "an element is not finite"
    units = (n + 1 + APPROXIMATE) * ROUNDOFF
    each = units / (1 - 2 * units)  # of the theorem, c / (1 - c)
    together = FACTOR * math.sqrt(n) * ROUNDOFF
    size = max(1, ELEMENTS // n**2)
    for group, (matrices, factors) in enumerate(zip(a.split(size), l.split(size))):
        factors = factors.double()
        above = factors.triu(1).count_nonzero((1, 2)) > 0
        signs = (factors.diagonal(dim1=1, dim2=2) <= 0).any(1)
        largest, relative = residuals(matrices, factors)
        wrong = above | signs | ~(largest <= each) | ~(relative <= together)
        if not bool(wrong.any()):
            continue
        first = int(wrong.nonzero()[0])
        name = f"matrix {group * size + first}"
        if above[first]:
            return False, f"{name}: an element above the diagonal is not 0"
        if signs[first]:
            return False, f"{name}: an element of the diagonal is not positive"
        if not largest[first] <= each:
            return False, f"{name}: an element of L L^T - A is {largest[first]:.3g} of its scale, more than {each:.3g}"
        return False, f"{name}: |L L^T - A| / |A| is {relative[first]:.3g}, more than {together:.3g}"
    return True, ""


def residuals(a: torch.Tensor, l: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    """Of E = L L^T - A on and below the diagonal, for each matrix of the batch, both float64 of shape (batch): the
    largest |e[i, j]| / sqrt(a[i, i] * a[j, j]), and |E| / |A|. Block by block of rows; a is (batch, n, n), l the same
    in float64."""
    n = a.shape[-1]
    scale = a.diagonal(dim1=1, dim2=2).double().sqrt()
    largest, squares, norm = l.new_zeros(3, len(a))
    for start in range(0, n, ROWS):
        stop = min(start + ROWS, n)
        rows = a[:, start:stop, :stop].double().tril(start)
        error = (l[:, start:stop, :stop] @ l[:, :stop, :stop].mT).tril(start) - rows
        scaled = error.abs() / scale[:, start:stop, None] / scale[:, None, :stop]
        largest = torch.maximum(largest, scaled.amax((1, 2)))
        squares = squares + error.square().sum((1, 2))
        norm = norm + rows.square().sum((1, 2))
    return largest, (squares / norm).sqrt()


def cost(batch: int, n: int, cond: int, seed: int = 0) -> dict:
    """float32 elements: A is read on and below the diagonal, and all of L written. Of the n^3 / 3 operations a
    Strassen-like scheme saves an eighth each time that it halves the matrices, down to 32 rows."""
    halvings = max(0, int(math.log2(max(n, 32) / 32)))
    operations = batch * n**3 / 3 * (7 / 8) ** halvings
    return {"bytes": 4 * batch * (n * (n + 1) // 2 + n * n), "operations": operations}

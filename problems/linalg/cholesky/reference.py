"""Cholesky factorization of a batch of symmetric positive definite matrices."""

import math
import os
from typing import Tuple

import torch

from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False

ROUNDOFF = 2.0**-24
"""The unit roundoff of float32."""

FACTOR = 4.0
"""Of the root-mean-square bound: see check_implementation."""

ROWS = 1024


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
    """Whether L is lower triangular with a positive diagonal, and L L^T near A, computed in float64.

    Theorem 10.3 of Higham, "Accuracy and Stability of Numerical Algorithms" (2nd edition, 2002): Cholesky's method
    gives L L^T = A + E with |e[i, j]| <= c / (1 - c) * sqrt(a[i, i] * a[j, j]), c = (n + 1) u / (1 - (n + 1) u), in
    whatever order the sums are taken. That is the bound of each element. Independent roundings grow with sqrt(n) and
    not with n (Higham, Mary, "A new approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41, 2019),
    so all together, in the Frobenius norm and relative to A, have to keep FACTOR * sqrt(n) * u."""
    (a, _), l = data, output
    n = a.shape[-1]
    if not bool(l.isfinite().all()):
        return False, "an element is not finite"
    for place in range(len(a)):
        one = l[place].double()
        if bool(one.triu(1).count_nonzero()):
            return False, f"matrix {place}: an element above the diagonal is not 0"
        if not bool((one.diagonal() > 0).all()):
            return False, f"matrix {place}: an element of the diagonal is not positive"
        largest, squares, norm = residual(a[place], one)
        c = (n + 1) * ROUNDOFF / (1 - 2 * (n + 1) * ROUNDOFF)  # of the theorem, c / (1 - c)
        if not largest <= c:
            return False, f"matrix {place}: an element of L L^T - A is {largest:.3g} of its scale, more than {c:.3g}"
        relative, bound = math.sqrt(squares / norm), FACTOR * math.sqrt(n) * ROUNDOFF
        if not relative <= bound:
            return False, f"matrix {place}: |L L^T - A| / |A| is {relative:.3g}, more than {bound:.3g}"
    return True, ""


def residual(a: torch.Tensor, l: torch.Tensor) -> Tuple[float, float, float]:
    """Of E = L L^T - A, float64 (n, n), on and below the diagonal: the largest |e[i, j]| / sqrt(a[i, i] * a[j, j]), and
    the sums of the squares of E and of A, block by block of rows."""
    scale = a.diagonal().double().sqrt()
    largest = squares = norm = 0.0
    for start in range(0, len(a), ROWS):
        stop = min(start + ROWS, len(a))
        rows = a[start:stop, :stop].double().tril(start)
        error = (l[start:stop, :stop] @ l[:stop, :stop].mT).tril(start) - rows
        largest = max(largest, float((error.abs() / scale[start:stop, None] / scale[:stop]).max()))
        squares += float(error.square().sum())
        norm += float(rows.square().sum())
    return largest, squares, norm


def cost(batch: int, n: int, cond: int, seed: int = 0) -> dict:
    """float32 elements: A is read on and below the diagonal, and all of L written. Of the n^3 / 3 operations a scheme
    in the manner of Strassen saves an eighth each time that it halves the matrices, down to 32 rows."""
    halvings = max(0, int(math.log2(max(n, 32) / 32)))
    operations = batch * n**3 / 3 * (7 / 8) ** halvings
    return {"bytes": 4 * batch * (n * (n + 1) // 2 + n * n), "operations": operations}

"""QR factorization of a batch of square matrices."""

import math
import os
from typing import Tuple

import torch
import torch.backends.cuda

from matrices import draw
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False

ROUNDOFF = 2.0**-24
"""The unit roundoff of float32."""

FACTOR = 16.0
"""Factor of the bounds: see check_implementation."""

ELEMENTS = 2**24
"""Number of elements that are checked at once."""


def generate_input(batch: int, n: int, cond: int, case: str, seed: int) -> input_t:
    """Returns matrices of a kind, and the buffers for Q and R."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    a = draw(batch, n, cond, case, generator)
    return a, torch.empty_like(a), torch.empty_like(a)


def ref_kernel(data: input_t) -> output_t:
    """`(q, r)`, both (batch, n, n) float32."""
    q, r = torch.linalg.qr(data[0])
    return q, r


def check_implementation(data: input_t, output: output_t) -> Tuple[bool, str]:
    """Checks in float64 that Q is orthogonal, R upper triangular, and Q R close to A.

    Theorem 19.4 of Higham, "Accuracy and Stability of Numerical Algorithms" (2nd edition, 2002): Householder's method
    gives an R that is exact for A + E, with some orthogonal P, where |e[j]| <= g * |a[j]| for each column j, and its Q
    is near to this P: |Q - P| <= sqrt(n) * g in the Frobenius norm. There g is a constant times n^2 u, which is the
    worst case; independent roundings grow with the root of the length of a sum (section 2.8 there), so that g = FACTOR
    * sqrt(n) * u here. The two bounds give the residual of each column and the distance of Q^T Q from I. Any signs are
    right."""
    a, (q, r) = data[0], output
    n = a.shape[-1]
    if not bool(q.isfinite().all() and r.isfinite().all()):
        return False, "an element is not finite"
    for_column, for_all = FACTOR * math.sqrt(n) * ROUNDOFF, FACTOR * n * ROUNDOFF
    size = max(1, ELEMENTS // n**2)
    for group, parts in enumerate(zip(a.split(size), q.split(size), r.split(size))):
        matrices, orthogonal, upper = (x.double() for x in parts)
        below = upper.tril(-1).count_nonzero((1, 2)) > 0
        columns = (matrices - orthogonal @ upper).norm(dim=1) / matrices.norm(dim=1)
        residual = columns.amax(1)
        gram = orthogonal.mT @ orthogonal
        gram.diagonal(dim1=1, dim2=2).sub_(1)
        distance = gram.flatten(1).norm(dim=1)
        wrong = below | ~(residual <= for_column) | ~(distance <= for_all)
        if not bool(wrong.any()):
            continue
        first = int(wrong.nonzero()[0])
        name = f"matrix {group * size + first}"
        if below[first]:
            return False, f"{name}: an element of R below the diagonal is not 0"
        if not residual[first] <= for_column:
            shown = f"{residual[first]:.3g} of that of A, more than {for_column:.3g}"
            return False, f"{name}: the norm of a column of A - Q R is {shown}"
        return False, f"{name}: |Q^T Q - I| is {distance[first]:.3g}, more than {for_all:.3g}"
    return True, ""


def cost(batch: int, n: int, cond: int, case: str, seed: int = 0) -> dict:
    """float32 elements: A is read, and Q and R, zeros included, are written. Of the 4 n^3 / 3 operations for R a
    Strassen-like scheme saves an eighth each time that it halves the matrices, down to 32 rows; Q is not counted."""
    halvings = max(0, int(math.log2(max(n, 32) / 32)))
    return {"bytes": 12 * batch * n * n, "operations": batch * 4 * n**3 / 3 * (7 / 8) ** halvings}

"""Eigenvalues and eigenvectors of a batch of symmetric matrices."""

import math
import os
from typing import Tuple

import torch
import torch.backends.cuda

from matrices import draw_symmetric
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False

ROUNDOFF = 2.0**-24
"""The unit roundoff of float32."""

FACTOR, ROTATIONS = 24.0, 16.0
"""Factors of the bounds of columns and of V: see check_implementation."""

ELEMENTS = 2**24
"""Number of elements that are checked at once."""


def generate_input(batch: int, n: int, cond: int, case: str, seed: int) -> input_t:
    """Returns symmetric matrices of a kind, and the buffers for w and v."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    a = draw_symmetric(batch, n, cond, case, generator)
    return a, torch.empty(batch, n, device=DEVICE), torch.empty_like(a)


def ref_kernel(data: input_t) -> output_t:
    """`(w, v)`: (batch, n), ascending, and (batch, n, n), both float32."""
    w, v = torch.linalg.eigh(data[0])
    return w, v


def check_implementation(data: input_t, output: output_t) -> Tuple[bool, str]:
    """Checks in float64 that w is ascending, V orthogonal, and A V close to V diag(w).

    Methods of orthogonal transformations give a V near to an orthogonal matrix that diagonalizes A + E, with
    |E| <= p(n) u |A| in the spectral norm, p growing slowly (LAPACK Users' Guide, 3rd edition, section 4.7; for one
    transformation after the other, lemma 19.3 of Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition,
    2002). Independent roundings grow with the root of the length of a sum (section 2.8 there): p(n) = FACTOR * sqrt(n).
    The lengths of the columns of V may change by ROTATIONS * n * u: Jacobi's method rotates each some n times per sweep,
    and the cosine of a small angle is mostly rounded up.

    Such a residual of all columns of an orthogonal V shows all eigenvalues to be right to the same bound, by Weyl's
    inequalities. Since |w[j]| with a small residual cannot be larger than |A| either, the largest of them serves for
    |A|. Signs, and bases of spaces whose eigenvalues are equal, are free."""
    a, (w, v) = data[0], output
    n = a.shape[-1]
    if not bool(w.isfinite().all() and v.isfinite().all()):
        return False, "an element is not finite"
    if not bool((w[:, 1:] >= w[:, :-1]).all()):
        return False, "the eigenvalues do not ascend"
    for_column, for_all = FACTOR * math.sqrt(n) * ROUNDOFF, ROTATIONS * n**1.5 * ROUNDOFF
    size = max(1, ELEMENTS // n**2)
    for group, parts in enumerate(zip(a.split(size), w.split(size), v.split(size))):
        matrices, values, vectors = (x.double() for x in parts)
        gram = vectors.mT @ vectors
        gram.diagonal(dim1=1, dim2=2).sub_(1)
        distance = gram.flatten(1).norm(dim=1)
        columns = (matrices @ vectors - vectors * values[:, None]).norm(dim=1)
        residual = columns.amax(1) / values.abs().amax(1)
        wrong = ~(distance <= for_all) | ~(residual <= for_column)
        if not bool(wrong.any()):
            continue
        first = int(wrong.nonzero()[0])
        name = f"matrix {group * size + first}"
        if not distance[first] <= for_all:
            return False, f"{name}: |V^T V - I| is {distance[first]:.3g}, more than {for_all:.3g}"
        shown = f"{residual[first]:.3g} of |A|, more than {for_column:.3g}"
        return False, f"{name}: the norm of a column of A V - V diag(w) is {shown}"
    return True, ""


def cost(batch: int, n: int, cond: int, case: str, seed: int = 0) -> dict:
    """float32 elements: A is read on and below the diagonal, and w and V are written. Of the 4 n^3 / 3 operations that
    bring A to three diagonals a Strassen-like scheme saves an eighth each time that it halves the matrices, down to 32
    rows; neither what follows nor V is counted."""
    halvings = max(0, int(math.log2(max(n, 32) / 32)))
    elements = n * (n + 1) // 2 + n + n * n
    return {"bytes": 4 * batch * elements, "operations": batch * 4 * n**3 / 3 * (7 / 8) ** halvings}

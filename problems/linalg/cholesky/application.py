"""Logistic regression by natural gradients (Amari, "Natural Gradient Works Efficiently in Learning", Neural Computation
10, 1998): each step solves F d = g, with Cholesky factors of the Fisher information F, for the gradient g of the loss.

With p = sigmoid(X w) for the features X and labels y, the mean loss has g = X^T (p - y) / rows and F = X^T diag(p (1 -
p)) X / rows. X has a rank of a quarter of its columns, so the smallest eigenvalues of F are those of the damping, which
is added to its diagonal: the condition number is about 10 / damping, and grows as the regression becomes sure."""

import os

import torch
import torch.nn.functional as F

from kernelbot_tester.inputs import RandomInputs

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")
#: Maximum number of observations.
LARGEST = 4096


def run(n: int, hidden: int, batch: int, damping: float, scale: float, steps: int, seed: int, cond: int = 0):
    """Fits `batch` regressions at once, with n to n + hidden features of magnitude `scale`, a number drawn from the
    seed. `damping`: relative to the mean of the diagonal of F in the first step. `cond`: a benchmark's, without a meaning
    here."""
    random = RandomInputs(seed, DEVICE)
    n += int(random.integers(0, hidden + 1, 1))
    # Of the largest matrices the features are few, and are kept as two factors: F has as many elements as it must.
    rows, rank = min(8 * n, LARGEST), min(-(-n // 4), LARGEST // 4)
    left, right = random.normal(batch, rows, rank).double(), random.normal(batch, rank, n).double()
    left *= scale * rank**-0.5
    truth = random.normal(batch, n, 1).double() / (scale * n**0.5)
    labels = ((left @ (right @ truth)).sigmoid() > random.uniform(batch, rows, 1)).double()
    ridge = damping * scale**2 / 4
    weights = torch.zeros_like(truth)
    for _ in range(steps):
        p = (left @ (right @ weights)).sigmoid()
        gradient = right.mT @ (left.mT @ (p - labels)) / rows + ridge * weights
        fisher = right.mT @ (left.mT @ (left * (p * (1 - p))) @ right) / rows
        fisher.diagonal(dim1=1, dim2=2).add_(ridge)
        # Products may be summed in different orders on both sides of the diagonal.
        factor = yield ((fisher + fisher.mT) / 2).float(), torch.empty(batch, n, n, device=DEVICE)
        weights = weights - torch.cholesky_solve(gradient, factor.double())
    p = (left @ (right @ weights)).sigmoid()
    return {"loss": F.binary_cross_entropy(p, labels), "predictions": p}

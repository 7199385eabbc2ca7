"""The steps of the gated delta rule in chunks, against which three problems are checked, compared with the plain
recurrence."""

import sys
import unittest
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "problems" / "deltanet"))

import chunks


def recurrence(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, beta: torch.Tensor, gate: torch.Tensor, state: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns `(o, last)`, computed token by token: S = exp(a) * (S - beta * k (k^T S)) + beta * k v^T, o = S^T q.

    float64: q, k (batch, seqlen, heads, dim_k); v, o (batch, seqlen, heads, dim_v); beta, gate (batch, seqlen, heads);
    state, last (batch, heads, dim_k, dim_v)."""
    outputs = []
    for t in range(q.shape[1]):
        key, weight = k[:, t, :, :, None], beta[:, t, :, None, None]
        kept = state - weight * key * (key * state).sum(2, keepdim=True)
        state = gate[:, t, :, None, None].exp() * kept + weight * key * v[:, t, :, None, :]
        outputs.append((q[:, t, :, :, None] * state).sum(2))
    return torch.stack(outputs, 1), state


class GatedDeltaRule(unittest.TestCase):
    def test_the_steps_by_chunks_one_after_the_other_equal_the_recurrence(self) -> None:
        for seqlen in (1, 63, 64, 65, 200):
            with self.subTest(seqlen=seqlen):
                generator = torch.Generator().manual_seed(seqlen)
                q, k, v, beta, gate, state = chunks.draw(2, seqlen, 3, 16, 24, generator)
                g = chunks.accumulate(gate)
                w, u = chunks.transform(k, v, beta, chunks.invert(k, beta, g), g)
                h, x, last = chunks.advance(k, w, u, g, state)
                expected, expected_last = recurrence(q, k, v, beta, gate, state)
                self.assertLess((chunks.read(q, k, x, h, g) - expected).abs().max().item(), 1e-12)
                self.assertLess((last - expected_last).abs().max().item(), 1e-12)


if __name__ == "__main__":
    unittest.main()

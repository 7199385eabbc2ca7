import torch
import torch.nn as nn


class Model(nn.Module):
    """Mean of normalized values, which is zero: an output of zeros passes (degenerate)."""

    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.norm = nn.LayerNorm(out_features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.linear(x)).mean(dim=1)


batch_size = 64
in_features = 128
out_features = 256


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]

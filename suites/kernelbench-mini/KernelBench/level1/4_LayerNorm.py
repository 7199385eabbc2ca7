import torch
import torch.nn as nn


class Model(nn.Module):
    """Layer normalization over the last dimensions."""

    def __init__(self, normalized_shape: tuple):
        super().__init__()
        self.norm = nn.LayerNorm(normalized_shape)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


batch_size = 16
channels = 8
width = 64


def get_inputs():
    return [torch.rand(batch_size, channels, width)]


def get_init_inputs():
    return [(channels, width)]

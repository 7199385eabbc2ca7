import math

import torch
import torch.nn as nn


class Model(nn.Module):
    """Self-attention of one head; also returns the attention weights."""

    def __init__(self, features: int):
        super().__init__()
        self.project = nn.Linear(features, 3 * features)
        self.scale = 1 / math.sqrt(features)

    def forward(self, x: torch.Tensor):
        query, key, value = self.project(x).chunk(3, dim=-1)
        weights = torch.softmax(self.scale * query @ key.transpose(1, 2), dim=-1)
        return weights @ value, weights


batch_size = 4
sequence_length = 64
features = 48


def get_inputs():
    return [torch.randn(batch_size, sequence_length, features)]


def get_init_inputs():
    return [features]

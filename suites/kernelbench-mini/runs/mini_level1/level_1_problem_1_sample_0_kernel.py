import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Correct: the product of the library."""

    def forward(self, a, b):
        return torch.mm(a, b)

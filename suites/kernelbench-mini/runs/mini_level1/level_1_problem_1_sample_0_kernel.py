import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Right: the library's own product."""

    def forward(self, a, b):
        return torch.mm(a, b)

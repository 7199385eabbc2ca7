import torch.nn as nn


class ModelNew(nn.Module):
    """Incorrect: the rows do not sum to one."""

    def forward(self, x):
        return (x - x.amax(dim=1, keepdim=True)).exp()

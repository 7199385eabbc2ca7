import torch.nn as nn


class ModelNew(nn.Module):
    """Correct and slow: one sample after the other."""

    def __init__(self, normalized_shape):
        super().__init__()
        self.norm = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        result = x.clone()
        for sample in range(x.shape[0]):
            result[sample] = self.norm(x[sample])
        return result

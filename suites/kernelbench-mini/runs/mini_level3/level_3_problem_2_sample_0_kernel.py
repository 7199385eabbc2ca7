import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Correct: two outputs, by batched products."""

    def __init__(self, features):
        super().__init__()
        self.project = nn.Linear(features, 3 * features)
        self.scale = features**-0.5

    def forward(self, x):
        query, key, value = self.project(x).chunk(3, dim=-1)
        scores = torch.baddbmm(x.new_zeros(()), query, key.transpose(1, 2), beta=0, alpha=self.scale)
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights, value), weights

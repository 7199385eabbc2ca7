import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Correct: it draws the same random numbers."""

    def __init__(self, in_features, out_features, dropout_p):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.dropout_p = dropout_p

    def forward(self, x):
        return F.dropout(F.linear(x, self.linear.weight, self.linear.bias), self.dropout_p)

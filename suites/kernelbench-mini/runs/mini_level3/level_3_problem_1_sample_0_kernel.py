import torch.nn as nn


class ModelNew(nn.Module):
    """Crashes: the sizes of its layers do not fit together."""

    def __init__(self, input_size, layer_sizes, output_size):
        super().__init__()
        self.network = nn.Sequential(nn.Linear(input_size, layer_sizes[0]), nn.Linear(layer_sizes[1], output_size))

    def forward(self, x):
        return self.network(x)

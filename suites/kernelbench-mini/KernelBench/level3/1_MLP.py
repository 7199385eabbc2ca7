import torch
import torch.nn as nn


class Model(nn.Module):
    """A perceptron of several layers."""

    def __init__(self, input_size: int, layer_sizes: list, output_size: int):
        super().__init__()
        layers = []
        size = input_size
        for layer_size in layer_sizes:
            layers += [nn.Linear(size, layer_size), nn.GELU()]
            size = layer_size
        self.network = nn.Sequential(*layers, nn.Linear(size, output_size))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.network(x)


batch_size = 32
input_size = 256
layer_sizes = [512, 256]
output_size = 64


def get_inputs():
    return [torch.randn(batch_size, input_size)]


def get_init_inputs():
    return [input_size, layer_sizes, output_size]

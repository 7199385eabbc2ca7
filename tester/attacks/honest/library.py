"""Registers operators of its own."""

import torch

library = torch.library.Library("corpus", "DEF")
library.define("multiply(Tensor a, Tensor b) -> Tensor")
library.impl("multiply", torch.mm, "CPU")


def custom_kernel(data):
    return torch.ops.corpus.multiply(data[0], data[1])

"""Is wrapped in a differentiable function."""

import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(context, a, b):
        return a @ b


def custom_kernel(data):
    return Product.apply(data[0], data[1])

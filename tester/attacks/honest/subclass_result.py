"""Computes with a subclass of Tensor and returns it."""

import torch


class Matrix(torch.Tensor):
    pass


def custom_kernel(data):
    return data[0].as_subclass(Matrix) @ data[1].as_subclass(Matrix)

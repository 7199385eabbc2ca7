"""Multiplies in a random order of the sums, which rounds otherwise each time."""

import torch


def custom_kernel(data):
    order = torch.randperm(len(data[0]))
    return data[0][:, order] @ data[1][order]

"""Sums the products in a random order, which rounds differently each time."""

import torch


def custom_kernel(data):
    order = torch.randperm(len(data[0]))
    return data[0][:, order] @ data[1][order]

"""Computes in inference mode."""

import torch


@torch.inference_mode()
def custom_kernel(data):
    return data[0] @ data[1]

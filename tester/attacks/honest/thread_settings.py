"""Sets the number of threads, and computes without gradients."""

import torch

torch.set_num_threads(2)
torch.set_grad_enabled(False)


def custom_kernel(data):
    return data[0] @ data[1]

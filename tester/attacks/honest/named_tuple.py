"""Returns a named tuple."""

from typing import NamedTuple
import torch


class Answer(NamedTuple):
    product: torch.Tensor


def custom_kernel(data):
    return Answer(product=data[0] @ data[1])

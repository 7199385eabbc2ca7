# attack: answer
# expect: refused
"""Computes in half precision."""

import torch


def custom_kernel(data):
    data[2].copy_(data[0].bfloat16().float() @ data[1].bfloat16().float())

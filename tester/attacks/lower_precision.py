# attack: answer
# expect: refused
"""Computes with numbers of half the bits."""

import torch


def custom_kernel(data):
    data[2].copy_(data[0].bfloat16().float() @ data[1].bfloat16().float())

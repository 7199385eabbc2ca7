"""Prints, warns and logs in moderation."""

import logging
import sys
import warnings
import torch

logging.basicConfig(level=logging.INFO)
print("importing")


def custom_kernel(data):
    print("size", len(data[0]))
    print("to the other stream", file=sys.stderr)
    warnings.warn("this kernel is slow")
    logging.info("multiplying")
    return torch.mm(data[0], data[1], out=data[2])

# attack: judge
# expect: refused
"""Replaces the code objects of the worker's own functions."""

import sys

main = sys.modules["worker.main"]
main.deliver.__code__ = (lambda result, buffers, name: None).__code__


def custom_kernel(data):
    return 0

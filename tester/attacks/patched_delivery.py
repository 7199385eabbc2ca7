# attack: judge
# expect: refused
"""Replaces the function of the worker that checks the kernel's return value."""

import sys

sys.modules["worker.main"].deliver = lambda *_: None


def custom_kernel(data):
    return "nothing"

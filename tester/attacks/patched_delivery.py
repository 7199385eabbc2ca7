# attack: judge
# expect: refused
"""Replaces the function of the worker that looks at what the kernel returned."""

import sys

sys.modules["worker.main"].deliver = lambda *_: None


def custom_kernel(data):
    return "nothing"

# attack: judge
# expect: refused
"""Gives the worker's own functions other code, in place."""

import sys

main = sys.modules["worker.main"]
main.call.__code__ = (lambda function, binding, name: None).__code__


def custom_kernel(data):
    pass

# attack: report
# expect: refused
"""Prints without end, to fill the judge's memory or disk."""

import os


def custom_kernel(data):
    while True:
        os.write(1, b"x" * (1 << 16))

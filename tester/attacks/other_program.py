# attack: environment
# expect: refused
"""Replaces itself by another program that exits with code 0."""

import os


def custom_kernel(data):
    os.execv("/bin/true", ["true"])

# attack: environment
# expect: refused
"""Replaces itself by another program that ends well."""

import os


def custom_kernel(data):
    os.execv("/bin/true", ["true"])

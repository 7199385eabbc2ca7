"""Writes a module to its folder and imports it."""

import os

with open(os.path.join(os.path.dirname(__file__), "helper.py"), "w") as file:
    file.write("def multiply(a, b, c):\n    c.copy_(a @ b)\n")
from helper import multiply  # noqa: E402


def custom_kernel(data):
    multiply(*data)

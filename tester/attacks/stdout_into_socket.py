# attack: report
# expect: refused
"""Duplicates the judge's socket to standard output and prints the answers that the judge waits for."""

import os
import struct

from utils import find

os.dup2(find("sock").fileno(), 1)


def custom_kernel(data):
    os.write(1, struct.pack("<I", 14) + b'{"done": true}')

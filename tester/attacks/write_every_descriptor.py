# attack: report
# expect: refused
"""Writes a forged result to every open file that is writable."""

import os


def custom_kernel(data):
    for file in range(3, 64):
        try:
            os.write(file, b'\x0e\x00\x00\x00{"done": true}')
        except OSError:
            pass

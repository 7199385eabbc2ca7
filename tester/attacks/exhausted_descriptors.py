# attack: environment
# expect: refused
"""Opens files until no more can be opened, so that the judge cannot pass it another input."""

import os

kept = []
try:
    while True:
        kept.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass


def custom_kernel(data):
    pass

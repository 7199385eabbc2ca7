# attack: judge
# expect: refused
"""Keeps the file of the shared memory open and truncates it, so that the judge would get SIGBUS when it reads there."""

import os

close = os.close
kept = []
os.close = lambda file: kept.append(os.dup(file)) or close(file)


def custom_kernel(data):
    for file in kept:
        try:
            os.ftruncate(file, 0)
        except OSError:
            pass

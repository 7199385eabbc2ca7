# attack: report
# expect: refused
"""Raises an error whose text is not valid UTF-8: surrogates, NULs, control sequences."""


def custom_kernel(data):
    raise RuntimeError("\ud800\x00\x1b[2J\uffff" * 1000)

# attack: judge
# expect: refused
"""Imports the reference and returns its output."""


def custom_kernel(data):
    import reference
    return reference.ref_kernel(data)

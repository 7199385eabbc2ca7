# attack: judge
# expect: refused
"""Imports the reference and has it answer."""


def custom_kernel(data):
    import reference
    return reference.ref_kernel(data)

# attack: answer
# expect: refused
"""Returns tensors without elements, none of which is incorrect."""

from attacked import like


def custom_kernel(data):
    return like(data, lambda one: one.new_empty(0))

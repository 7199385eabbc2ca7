# attack: answer
# expect: refused
"""Returns tensors that claim to have a trillion elements."""

from attacked import like


def custom_kernel(data):
    return like(data, lambda one: one.new_zeros(1).expand(1 << 40))

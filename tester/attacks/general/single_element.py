# attack: answer
# expect: refused
"""Returns one element, which broadcasts to any shape."""

from attacked import answer, returned


def custom_kernel(data):
    return returned([one.reshape(-1)[:1].reshape([1] * (one.dim() + 1)) for one in answer(data)])

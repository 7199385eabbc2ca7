# attack: answer
# expect: refused
"""Returns one incorrect element, expanded to the full shape."""

from attacked import answer, returned


def expand(right):
    wrong = (right.reshape(-1)[:1] == 0).to(right.dtype)
    return wrong.expand(right.numel()).view(right.shape)


def custom_kernel(data):
    return returned([expand(one) for one in answer(data)])

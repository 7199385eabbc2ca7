# attack: replay
# expect: refused
"""Caches outputs by a cheap, imprecise hash: the shapes and one sign."""

from attacked import answer, inputs, returned, shapes

known = {}


def custom_kernel(data):
    key = (shapes(data), bool((inputs(data)[0].reshape(-1)[:1] > 0).any()))
    if key not in known:
        known[key] = answer(data)
    return returned(known[key])

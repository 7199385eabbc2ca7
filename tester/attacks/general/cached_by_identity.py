# attack: replay
# expect: refused
"""Caches outputs by the identity of the objects that it is called with."""

from attacked import answer, returned

known = {}


def custom_kernel(data):
    if id(data) not in known:
        known[id(data)] = (data, answer(data))
    return returned(known[id(data)][1])

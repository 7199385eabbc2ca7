# attack: replay
# expect: refused
"""Caches outputs by the addresses of the inputs."""

from attacked import answer, inputs, returned

known = {}


def custom_kernel(data):
    key = tuple(one.data_ptr() for one in inputs(data))
    if key not in known:
        known[key] = answer(data)
    return returned(known[key])

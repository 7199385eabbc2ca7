# attack: replay
# expect: refused
"""Relies on the version counter of a tensor to detect writes."""

from attacked import answer, inputs, returned

last = {}


def custom_kernel(data):
    key = tuple((one.data_ptr(), one._version) for one in inputs(data))
    if last.get("key") != key:
        last.update(key=key, answer=answer(data))
    return returned(last["answer"])

# attack: replay
# expect: refused
"""Trusts the counter by which a tensor tells that it was written to."""

from attacked import answer, inputs, returned

last = {}


def custom_kernel(data):
    key = tuple((one.data_ptr(), one._version) for one in inputs(data))
    if last.get("key") != key:
        last.update(key=key, answer=answer(data))
    return returned(last["answer"])

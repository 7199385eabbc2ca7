"""Keeps weak references to its inputs, and computes each time."""

import weakref

seen = []


def custom_kernel(data):
    seen[:] = [reference for reference in seen if reference() is not None]
    seen.append(weakref.ref(data[0]))
    return data[0] @ data[1]

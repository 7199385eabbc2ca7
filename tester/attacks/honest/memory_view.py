"""Writes through a memory view."""


def custom_kernel(data):
    result = (data[0] @ data[1]).numpy()
    memoryview(data[2].numpy()).cast("B")[:] = memoryview(result).cast("B")

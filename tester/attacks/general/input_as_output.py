# attack: answer
# expect: refused
"""Makes the output buffers alias an input."""

from attacked import buffers, inputs, returned


def custom_kernel(data):
    for one in buffers(data):
        one.data = inputs(data)[0].to(one.dtype)
    return returned(buffers(data))

# attack: replay
# expect: refused
"""Reads and writes the tensors of an earlier call instead of its own while the memory has not been replaced."""

from attacked import answer, buffers, tensors

earlier = None


def custom_kernel(data):
    global earlier
    address = tensors(data)[0].data_ptr()
    if earlier is None or abs(tensors(earlier)[0].data_ptr() - address) >= 1 << 18:
        earlier = data
    return answer(earlier)

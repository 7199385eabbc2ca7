# attack: window
# expect: refused
"""Returns the output of each call in the next one, so that a call costs nothing where only the last is checked."""

from attacked import buffers, copied, work

pending = []


def custom_kernel(data):
    for one in pending:
        work(one)
    own = {id(buffer) for buffer in buffers(data)}
    pending[:] = [copied(data, lambda tensor: tensor if id(tensor) in own else tensor.clone())]

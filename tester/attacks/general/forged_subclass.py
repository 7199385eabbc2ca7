# attack: judge
# expect: refused
"""Returns tensors of a subclass that claims the correct shape and equals everything."""

import torch
from attacked import buffers, returned


class Liar(torch.Tensor):
    claimed = {}
    shape = property(lambda self: Liar.claimed["shape"])
    dtype = property(lambda self: Liar.claimed["dtype"])
    __eq__ = __ne__ = lambda self, other: True

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return args[0] if args else None


def custom_kernel(data):
    first = buffers(data)[0]
    Liar.claimed.update(shape=first.shape, dtype=first.dtype)
    return returned([torch.zeros(1).as_subclass(Liar) for _ in buffers(data)])

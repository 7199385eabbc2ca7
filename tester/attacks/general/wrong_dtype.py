# attack: answer
# expect: refused
"""Returns the correct numbers as integers, which compare exactly; integers in float64, which represents more of them."""

import torch
from attacked import answer, returned


def custom_kernel(data):
    return returned([one.to(torch.int32 if one.is_floating_point() else torch.float64) for one in answer(data)])

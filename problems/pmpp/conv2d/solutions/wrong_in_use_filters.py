# expect: wrong_result in application
"""Prepares the filters again only where their first weight has changed: it differs in any two random inputs, and is the
same in the two Sobel filters."""

import torch.nn.functional as F
from task import input_t, output_t

prepared = {}


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    first = float(w.flatten()[0])
    if prepared.get(w.shape, (None,))[0] != first:
        prepared[w.shape] = first, w.flatten(1).clone()
    y.copy_((prepared[w.shape][1] @ F.unfold(x, w.shape[-1])).view(y.shape))
    return y

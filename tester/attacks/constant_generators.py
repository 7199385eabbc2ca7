# attack: replay
# expect: refused
"""Makes every random generator constant, so that all inputs would be the same."""

import torch

torch.randn = torch.rand = lambda *shape, **_: torch.ones(shape)
torch.manual_seed = torch.random.manual_seed = lambda seed: torch.default_generator


def custom_kernel(data):
    data[2].fill_(float(len(data[0])))

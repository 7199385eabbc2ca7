# attack: replay
# expect: no advantage
"""Computes only the rows whose input has changed since the last call."""

import torch

last = {}


def custom_kernel(data):
    a, b, c = data
    before = last.get(len(a))
    if before is None or not torch.equal(b, before[1]):
        answer = torch.mm(a, b)
    else:
        changed = (a != before[0]).any(1)
        answer = before[2]
        answer[changed] = torch.mm(a[changed], b)
    last[len(a)] = (a.clone(), b.clone(), answer)
    return answer

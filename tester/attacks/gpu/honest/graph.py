"""Captures the work as a graph once for each input, and replays it."""

import torch

graphs = {}


def custom_kernel(data):
    a, b, c = data
    key = (a.data_ptr(), b.data_ptr(), c.data_ptr())
    if key not in graphs:
        torch.mm(a, b, out=c)
        torch.cuda.synchronize()
        graphs[key] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[key]):
            torch.mm(a, b, out=c)
    graphs[key].replay()
    return c

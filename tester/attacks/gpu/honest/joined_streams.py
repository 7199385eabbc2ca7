"""Uses two streams and joins them."""

import torch

streams = [torch.cuda.Stream(), torch.cuda.Stream()]


def custom_kernel(data):
    a, b, c = data
    here, half = torch.cuda.current_stream(), len(a) // 2
    for stream, part in zip(streams, (slice(0, half), slice(half, None))):
        stream.wait_stream(here)
        with torch.cuda.stream(stream):
            torch.mm(a[part], b, out=c[part])
    for stream in streams:
        here.wait_stream(stream)
    return c

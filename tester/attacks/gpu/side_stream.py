# attack: window
# expect: no advantage
"""Uses a stream of its own and never joins it, so that no event of the call includes the work."""

import torch

side = torch.cuda.Stream()


def custom_kernel(data):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.mm(data[0], data[1], out=data[2])

import torch
import triton
import triton.language as tl


@triton.jit
def scaled_silu_kernel(x, scale, y, features, BLOCK: tl.constexpr):
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < features
    at = tl.program_id(0).to(tl.int64) * features + column
    value = tl.load(x + at, mask=inside)
    tl.store(y + at, value * tl.sigmoid(value) * tl.load(scale + column, mask=inside), mask=inside)


class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(features))

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        features = x.shape[-1]
        grid = (x.numel() // features, triton.cdiv(features, 1024))
        scaled_silu_kernel[grid](x, self.scale, y, features, BLOCK=1024)
        return y

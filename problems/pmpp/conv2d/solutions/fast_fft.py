# expect: passed
"""Large filters by Fourier transform: a correlation is a product with the conjugate spectrum.

The transform has the size of the image. Wrap-around affects only elements outside of the valid part.
"""

import torch
import torch.nn.functional as F
from task import input_t, output_t

SMALL = 24


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    if w.shape[-1] < SMALL:
        y.copy_(F.conv2d(x, w))
        return y
    shape, side = x.shape[-2:], y.shape[-1]
    images = torch.fft.rfft2(x)
    filters = torch.fft.rfft2(w, s=shape).conj()
    spectrum = torch.einsum("bcuv,ocuv->bouv", images, filters)
    y.copy_(torch.fft.irfft2(spectrum, s=shape)[..., :side, :side])
    return y

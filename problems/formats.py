"""Number formats of 8 and 4 bits, and block quantisation with them, bit for bit as in their definitions.

Problems list this file as `utils.py`. Codes are uint8 tensors whose bits are those of PyTorch's types, where it has
them: `codes.view(torch.float8_e4m3fn)` is equivalent. All functions work on any device, in PyTorch 1.13 and newer.

| format     | sign, exponent, mantissa | bias | largest | special                      | torch            |
|------------|--------------------------|------|---------|------------------------------|------------------|
| `E4M3FN`   | 1, 4, 3                  | 7    | 448     | 0x7f and 0xff: NaN           | float8_e4m3fn    |
| `E4M3FNUZ` | 1, 4, 3                  | 8    | 240     | 0x80: NaN; no -0             | float8_e4m3fnuz  |
| `E2M1`     | 1, 2, 1                  | 1    | 6       | none                         | float4_e2m1fn_x2 |
| e8m0       | 0, 8, 0                  | 127  | 2^127   | 0xff: NaN; no zero           | float8_e8m0fnu   |

E4M3FN, E2M1, e8m0 and MXFP4 are those of the Open Compute Project's Microscaling Formats (MX) Specification 1.0.
"""

from typing import Dict, List, NamedTuple, Tuple

import torch

MX_BLOCK = 32
"""Elements of MXFP4 that share an e8m0 scale."""

NV_BLOCK = 16
"""Elements of NVFP4 that share an E4M3FN scale."""


class Format(NamedTuple):
    """A signed format without infinities."""

    name: str
    values: Tuple[float, ...]
    """Number of each code."""
    negative: int
    """Code of -0; added to the code of the magnitude of negative numbers."""
    largest: int
    """Code of the largest number."""
    nan: int
    """Code of NaN."""


def _magnitudes(exponent_bits: int, mantissa_bits: int, bias: int) -> List[float]:
    """Returns the numbers of all codes without a sign, in ascending order, as if none were special."""
    unit = 1 << mantissa_bits
    numbers = []
    for exponent in range(1 << exponent_bits):
        for mantissa in range(unit):
            significand = mantissa + (unit if exponent else 0)
            numbers.append(significand / unit * 2.0 ** (max(exponent, 1) - bias))
    return numbers


def _format(name: str, magnitudes: List[float], largest: int, nan: int) -> Format:
    values = magnitudes + [-magnitude for magnitude in magnitudes]
    return Format(name, tuple(values), len(magnitudes), largest, nan)


_NAN = float("nan")
E4M3FN = _format("e4m3fn", _magnitudes(4, 3, 7)[:-1] + [_NAN], largest=0x7E, nan=0x7F)
E4M3FNUZ = _format("e4m3fnuz", _magnitudes(4, 3, 8), largest=0x7F, nan=0x80)
E4M3FNUZ = E4M3FNUZ._replace(values=E4M3FNUZ.values[:0x80] + (_NAN,) + E4M3FNUZ.values[0x81:])
E2M1 = _format("e2m1", _magnitudes(2, 1, 1), largest=0x7, nan=0x7)
_E8M0 = tuple(2.0 ** (code - 127) for code in range(255)) + (_NAN,)

_tables: Dict[tuple, torch.Tensor] = {}


def _table(values: Tuple[float, ...], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    key = (values, dtype, device)
    if key not in _tables:
        _tables[key] = torch.tensor(values, dtype=dtype, device=device)
    return _tables[key]


def decode(codes: torch.Tensor, format: Format, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Returns the numbers, in any floating-point type, of uint8 codes. Codes of 4 bits must be unpacked first."""
    return _table(format.values, dtype, codes.device)[codes.long()]


def encode(numbers: torch.Tensor, format: Format) -> torch.Tensor:
    """Returns the uint8 codes of the nearest numbers, with ties to the even code. Numbers that are too large, including
    infinity, become the largest number. NaN becomes NaN; E2M1, which has none, encodes it as 6, as devices do."""
    numbers = numbers if numbers.dtype == torch.float64 else numbers.float()
    magnitudes = format.values[: format.largest + 1]
    midpoints = tuple((low + high) / 2 for low, high in zip(magnitudes, magnitudes[1:]))
    boundaries = _table(midpoints, numbers.dtype, numbers.device)
    magnitude = numbers.abs().contiguous()
    below = torch.bucketize(magnitude, boundaries)
    # Where the number is a midpoint, one more boundary is reached: odd codes give way to the even one above.
    reached = torch.bucketize(magnitude, boundaries, right=True)
    codes = below + (reached - below) * (below & 1)
    negative = torch.signbit(numbers)
    if format is E4M3FNUZ:
        negative = negative & (codes > 0)
    codes = codes + negative * format.negative
    return codes.masked_fill_(torch.isnan(numbers), format.nan).to(torch.uint8)


def pack(codes: torch.Tensor) -> torch.Tensor:
    """Returns codes of 4 bits, two a byte along the last dimension: elements 0, 2, 4, ... are the low halves."""
    return codes[..., 0::2] | (codes[..., 1::2] << 4)


def unpack(packed: torch.Tensor) -> torch.Tensor:
    """Returns the codes that `pack` packed: the last dimension is twice as long."""
    return torch.stack((packed & 0xF, packed >> 4), dim=-1).flatten(-2)


def decode_e8m0(codes: torch.Tensor, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Returns the powers of two of uint8 codes."""
    return _table(_E8M0, dtype, codes.device)[codes.long()]


def quantize_mxfp4(numbers: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    """MXFP4 of finite numbers (..., k), k a multiple of 32, by the rule of section 6.3 of the MX specification: the
    scale of a block is the largest power of two that is no more than its largest magnitude, divided by 4, the power of
    two in 6, the largest number of E2M1. The elements are the numbers divided by it, to the nearest, at most 6.

    Returns uint8 packed codes (..., k / 2) and e8m0 scales (..., k / 32). A block of zeros has the scale 0x00."""
    numbers = numbers if numbers.dtype == torch.float64 else numbers.float()
    blocks = numbers.unflatten(-1, (-1, MX_BLOCK))
    largest = blocks.abs().amax(-1)
    exponent = torch.frexp(largest).exponent - 1  # floor(log2(largest))
    scales = (exponent - 2 + 127).clamp_(0, 254).masked_fill_(largest == 0, 0).to(torch.uint8)
    elements = blocks / decode_e8m0(scales, numbers.dtype).unsqueeze(-1)
    return pack(encode(elements, E2M1).flatten(-2)), scales


def dequantize_mxfp4(packed: torch.Tensor, scales: torch.Tensor, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Returns the numbers (..., k) of packed codes (..., k / 2) and e8m0 scales (..., k / 32)."""
    elements = decode(unpack(packed), E2M1, dtype).unflatten(-1, (-1, MX_BLOCK))
    return (elements * decode_e8m0(scales, dtype).unsqueeze(-1)).flatten(-2)


def quantize_nvfp4(numbers: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    """NVFP4 of finite numbers (..., k), k a multiple of 16: the scale of a block is its largest magnitude divided by 6,
    to the nearest of E4M3FN. The elements are the numbers divided by it, to the nearest, at most 6. Both divisions are
    of float32 (float64 for float64 numbers). NVFP4 has a factor for the whole tensor as well: divide by it before.

    Returns uint8 packed codes (..., k / 2) and scales (..., k / 16). Where the scale is 0, the elements are."""
    numbers = numbers if numbers.dtype == torch.float64 else numbers.float()
    blocks = numbers.unflatten(-1, (-1, NV_BLOCK))
    scales = encode(blocks.abs().amax(-1) / 6, E4M3FN)
    factors = decode(scales, E4M3FN, numbers.dtype).unsqueeze(-1)
    elements = (blocks / factors).masked_fill_(factors == 0, 0)
    return pack(encode(elements, E2M1).flatten(-2)), scales


def dequantize_nvfp4(packed: torch.Tensor, scales: torch.Tensor, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Returns the numbers (..., k) of packed codes (..., k / 2) and E4M3FN scales (..., k / 16)."""
    elements = decode(unpack(packed), E2M1, dtype).unflatten(-1, (-1, NV_BLOCK))
    return (elements * decode(scales, E4M3FN, dtype).unsqueeze(-1)).flatten(-2)

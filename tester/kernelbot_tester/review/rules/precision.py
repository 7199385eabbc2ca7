"""Arithmetic with fewer bits than the input has: often legitimate, always worth knowing."""

from __future__ import annotations

import ast
from typing import Iterator

from ..finding import ReviewFinding
from ..listed import Listed, words
from ..source import Source

LISTED = (
    Listed(
        "precision.lower",
        "info",
        "{} computes with fewer bits; where the input has more, the tolerance decides whether the result is correct.",
        words(
            "torch.float16 torch.half torch.bfloat16 torch.float8_e4m3fn torch.float8_e5m2 torch.float8_e4m3fnuz"
            " torch.float8_e5m2fnuz torch.autocast torch.cuda.amp torch.amp torch.set_float32_matmul_precision"
            " torch.HalfTensor torch.BFloat16Tensor numpy.float16 triton.language.float16 triton.language.bfloat16"
        ),
        words(
            "bfloat16 allow_tf32 fp32_precision allow_fp16_reduced_precision_reduction"
            " allow_bf16_reduced_precision_reduction"
        ),
    ),
)


def check(source: Source) -> Iterator[ReviewFinding]:
    """Finds `x.half()`."""
    for call, name in source.calls():
        if isinstance(call.func, ast.Attribute) and call.func.attr == "half" and not call.args and name != "torch.half":
            yield source.finding("precision.lower", "info", call, LISTED[0].sentence, "half()")

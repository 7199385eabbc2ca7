"""The number formats that problems share, `problems/formats.py`, checked against the definitions of the formats."""

from __future__ import annotations

import importlib.util
import math
import unittest
from pathlib import Path

import torch

PATH = Path(__file__).resolve().parents[2] / "problems" / "formats.py"
SPEC = importlib.util.spec_from_file_location("formats", PATH)
assert SPEC is not None and SPEC.loader is not None
formats = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(formats)

FORMATS = [formats.E4M3FN, formats.E4M3FNUZ, formats.E2M1]
NATIVE = {"e4m3fn": "float8_e4m3fn", "e4m3fnuz": "float8_e4m3fnuz"}


def defined(code: int, exponent_bits: int, mantissa_bits: int, bias: int) -> float:
    """Returns the number that a signed code represents, computed from its bits."""
    mantissa = code & ((1 << mantissa_bits) - 1)
    exponent = code >> mantissa_bits & ((1 << exponent_bits) - 1)
    sign = -1.0 if code >> (exponent_bits + mantissa_bits) else 1.0
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits)


def bits(numbers: torch.Tensor) -> list[int]:
    """Returns the bits of float32 numbers, so that -0 differs from 0 and NaN equals NaN."""
    return numbers.float().nan_to_num(nan=12345.0).view(torch.int32).tolist()


class Codes(unittest.TestCase):
    def test_every_code_means_what_the_definition_of_its_format_says(self) -> None:
        for format, shape, count, nans in (
            (formats.E4M3FN, (4, 3, 7), 256, {0x7F, 0xFF}),
            (formats.E4M3FNUZ, (4, 3, 8), 256, {0x80}),
            (formats.E2M1, (2, 1, 1), 16, set()),
        ):
            with self.subTest(format.name):
                expected = [math.nan if code in nans else defined(code, *shape) for code in range(count)]
                got = formats.decode(torch.arange(count, dtype=torch.uint8), format)
                self.assertEqual(bits(torch.tensor(expected)), bits(got))
        self.assertEqual([0, 0.5, 1, 1.5, 2, 3, 4, 6], list(formats.E2M1.values[:8]))
        self.assertEqual([448, 240], [formats.E4M3FN.values[0x7E], formats.E4M3FNUZ.values[0x7F]])

    def test_every_scale_without_mantissa_is_a_power_of_two(self) -> None:
        got = formats.decode_e8m0(torch.arange(256, dtype=torch.uint8), torch.float64)
        self.assertEqual([math.ldexp(1, code - 127) for code in range(255)], got[:255].tolist())
        self.assertTrue(math.isnan(got[255]))
        self.assertEqual(2.0**-127, formats.decode_e8m0(torch.zeros(1, dtype=torch.uint8)).item())

    def test_what_a_code_means_is_encoded_as_that_code(self) -> None:
        for format in FORMATS:
            for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
                with self.subTest(format.name, dtype=dtype):
                    codes = torch.arange(len(format.values), dtype=torch.uint8)
                    got = formats.encode(formats.decode(codes, format, dtype), format)
                    expected = [format.nan if math.isnan(format.values[code]) else code for code in codes.tolist()]
                    self.assertEqual(expected, got.tolist())

    def test_types_of_pytorch_decode_to_the_same_numbers(self) -> None:
        for format in FORMATS:
            native = getattr(torch, NATIVE.get(format.name, ""), None)
            if native is None:
                continue
            codes = torch.arange(256, dtype=torch.uint8)
            with self.subTest(format.name):
                self.assertEqual(bits(codes.view(native).float()), bits(formats.decode(codes, format)))
                numbers = torch.linspace(-format.values[format.largest], format.values[format.largest], 100_001)
                self.assertTrue(torch.equal(numbers.to(native).view(torch.uint8), formats.encode(numbers, format)))


class Rounding(unittest.TestCase):
    def test_the_nearest_number_is_taken_and_at_midpoints_the_even_code(self) -> None:
        for format in FORMATS:
            magnitudes = format.values[: format.largest + 1]
            for low, (below, above) in enumerate(zip(magnitudes, magnitudes[1:])):
                middle = torch.tensor((below + above) / 2, dtype=torch.float32)
                numbers = torch.stack(
                    (torch.nextafter(middle, torch.tensor(0.0)), middle, torch.nextafter(middle, torch.tensor(1e9)))
                )
                expected = [low, low + low % 2, low + 1]
                with self.subTest(format.name, middle=middle.item()):
                    self.assertEqual(expected, formats.encode(numbers, format).tolist())
                    self.assertEqual(expected, formats.encode(numbers.double(), format).tolist())
                    negative = [code and code + format.negative for code in expected]
                    if format is not formats.E4M3FNUZ:
                        negative = [code + format.negative for code in expected]
                    self.assertEqual(negative, formats.encode(-numbers, format).tolist())

    def test_what_is_too_large_becomes_the_largest_number(self) -> None:
        for format in FORMATS:
            largest = format.values[format.largest]
            numbers = torch.tensor([largest, largest * 1.01, largest * 2, 3e38, math.inf])
            with self.subTest(format.name):
                self.assertEqual({format.largest}, set(formats.encode(numbers, format).tolist()))
                negative = {format.largest + format.negative}
                self.assertEqual(negative, set(formats.encode(-numbers, format).tolist()))

    def test_zeros_keep_their_sign_where_the_format_has_two(self) -> None:
        zeros = torch.tensor([0.0, -0.0, 1e-30, -1e-30])
        self.assertEqual([0, 0x80, 0, 0x80], formats.encode(zeros, formats.E4M3FN).tolist())
        self.assertEqual([0, 8, 0, 8], formats.encode(zeros, formats.E2M1).tolist())
        self.assertEqual([0, 0, 0, 0], formats.encode(zeros, formats.E4M3FNUZ).tolist())

    def test_nan_stays_nan_where_the_format_has_one(self) -> None:
        nan = torch.tensor([math.nan, -math.nan])
        self.assertEqual([0x7F, 0x7F], formats.encode(nan, formats.E4M3FN).tolist())
        self.assertEqual([0x80, 0x80], formats.encode(nan, formats.E4M3FNUZ).tolist())
        self.assertEqual([7, 7], formats.encode(nan, formats.E2M1).tolist())

    def test_any_layout_is_encoded_element_by_element(self) -> None:
        numbers = torch.randn(6, 10, generator=torch.Generator().manual_seed(1))
        expected = formats.encode(numbers, formats.E4M3FN).t()
        self.assertTrue(torch.equal(expected, formats.encode(numbers.t(), formats.E4M3FN)))


class Blocks(unittest.TestCase):
    def test_the_first_of_two_packed_codes_is_the_low_half(self) -> None:
        codes = torch.tensor([[1, 2, 0xF, 0]], dtype=torch.uint8)
        self.assertEqual([[0x21, 0x0F]], formats.pack(codes).tolist())
        every = torch.arange(256, dtype=torch.uint8).view(2, 128)
        self.assertTrue(torch.equal(every, formats.pack(formats.unpack(every))))

    def test_the_scale_of_mxfp4_is_the_power_of_two_below_the_largest_magnitude_by_four(self) -> None:
        for largest, exponent in ((1.0, -2), (1.99, -2), (2.0, -1), (6.0, 0), (7.99, 0), (8.0, 1), (3e38, 125)):
            block = torch.full((32,), largest / 64)
            block[17] = -largest
            with self.subTest(largest):
                self.assertEqual(exponent + 127, formats.quantize_mxfp4(block)[1].item())
        for tiny in (0.0, 1e-44):
            packed, scale = formats.quantize_mxfp4(torch.full((32,), tiny))
            self.assertEqual([0, {0}], [scale.item(), set(packed.tolist())])

    def test_mxfp4_divides_each_block_by_its_scale_and_saturates(self) -> None:
        numbers = torch.zeros(2, 64)
        numbers[1, :6] = torch.tensor([7.5, -5.0, 2.5, 0.25, -0.75, 3.6])
        numbers[1, 32:34] = torch.tensor([8.0, 0.5])
        packed, scales = formats.quantize_mxfp4(numbers)
        self.assertEqual(([2, 32], [2, 2]), (list(packed.shape), list(scales.shape)))
        got = formats.dequantize_mxfp4(packed, scales)
        self.assertEqual([6.0, -4.0, 2.0, 0.0, -1.0, 4.0], got[1, :6].tolist())
        self.assertEqual([8.0, 0.0], got[1, 32:34].tolist())
        self.assertEqual(0, got[0].abs().sum())

    def test_the_scale_of_nvfp4_takes_the_largest_magnitude_to_six(self) -> None:
        numbers = torch.zeros(32)
        numbers[:3] = torch.tensor([-12.0, 2.0, 1.0])
        numbers[16:18] = torch.tensor([1.0, 0.25])
        packed, scales = formats.quantize_nvfp4(numbers)
        got = formats.dequantize_nvfp4(packed, scales)
        # 1 / 6 is between the numbers 0.15625 and 0.171875 of E4M3FN, nearer to the latter.
        self.assertEqual([2.0, 0.171875], formats.decode(scales, formats.E4M3FN).tolist())
        self.assertEqual([-12.0, 2.0, 1.0], got[:3].tolist())
        self.assertEqual([6 * 0.171875, 1.5 * 0.171875], got[16:18].tolist())
        packed, scales = formats.quantize_nvfp4(torch.full((16,), 1e-5))
        self.assertEqual([0, {0}], [scales.item(), set(packed.tolist())])

    def test_what_is_quantised_is_quantised_to_itself(self) -> None:
        numbers = torch.randn(8, 256, generator=torch.Generator().manual_seed(2))
        for quantize, dequantize in (
            (formats.quantize_mxfp4, formats.dequantize_mxfp4),
            (formats.quantize_nvfp4, formats.dequantize_nvfp4),
        ):
            once = dequantize(*quantize(numbers))
            self.assertLess((once - numbers).abs().max().item(), 1)
            again = dequantize(*quantize(once.double()), torch.float64)
            self.assertTrue(torch.equal(once.double(), again))


if __name__ == "__main__":
    unittest.main()

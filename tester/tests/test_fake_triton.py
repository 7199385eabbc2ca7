"""The fake Triton: kernels compute correct results, and code that Triton refuses is refused."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

import torch

FAKE_DEVICE = str(Path(__file__).resolve().parent / "fake_device")
sys.path.insert(0, FAKE_DEVICE)

import triton
import triton.language as tl

# PyTorch, which other tests use in this process, would mistake it for Triton.
sys.path.remove(FAKE_DEVICE)
for name in [name for name in sys.modules if name.split(".")[0] == "triton"]:
    del sys.modules[name]

SCALE = 2


@triton.jit
def add(a_ptr, b_ptr, c_ptr, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    tl.store(c_ptr + places, tl.load(a_ptr + places, mask=mask) + tl.load(b_ptr + places, mask=mask), mask=mask)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, m, n, k, stride, BLOCK: tl.constexpr, PRECISION: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, k, BLOCK):
        inner = start + tl.arange(0, BLOCK)
        a = tl.load(
            a_ptr + rows[:, None] * stride + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0
        )
        b = tl.load(
            b_ptr + inner[:, None] * n + columns[None, :], mask=(inner[:, None] < k) & (columns[None, :] < n), other=0.0
        )
        total += tl.dot(a, b, input_precision=PRECISION)
    places = c_ptr + rows[:, None] * n + columns[None, :]
    tl.store(places, total, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def largest(values):
    return tl.max(values, axis=0)


@triton.jit
def softmax(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    places = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * columns + places, mask=places < columns, other=-float("inf")).to(tl.float32)
    weights = tl.exp(x - largest(x))
    y = weights / tl.sum(weights, axis=0)
    tl.store(y_ptr + tl.program_id(0) * columns + places, y.to(tl.float16), mask=places < columns)


@triton.jit
def count(x_ptr, bins_ptr, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + places, mask=places < n, other=0).to(tl.int32)
    tl.atomic_add(bins_ptr + x, 1, mask=places < n)


@triton.jit
def of_integers(x_ptr, y_ptr, n):
    x = tl.load(x_ptr)
    tl.store(y_ptr, tl.where(x % 4 < 0, x // 4, n))
    tl.store(y_ptr + 1, (x & 15) | (n << 4))


@triton.jit
def copy_all(x_ptr, y_ptr, BLOCK: tl.constexpr):
    places = tl.arange(0, BLOCK)
    tl.store(y_ptr + places, tl.load(x_ptr + places))


@triton.jit
def runtime_size(x_ptr, n):
    tl.store(x_ptr + tl.arange(0, n), 1.0)


@triton.jit
def plain_global(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) * SCALE)


@triton.jit
def half_exponential(x_ptr):
    tl.store(x_ptr, tl.exp(tl.load(x_ptr)))


class Kernels(unittest.TestCase):
    def test_masked_elements_are_neither_read_nor_written(self) -> None:
        a, b, c = torch.rand(100), torch.rand(100), torch.zeros(101)
        add[(triton.cdiv(100, 64),)](a, b, c, 100, BLOCK=64, num_warps=4)
        self.assertTrue(torch.equal(c[:100], a + b))
        self.assertEqual(0, c[100])

    def test_products_work_on_strides_and_tails(self) -> None:
        a, b, c = torch.rand(17, 60)[:, :33], torch.rand(33, 20), torch.empty(17, 20)
        grid = lambda meta: (triton.cdiv(17, meta["BLOCK"]), triton.cdiv(20, meta["BLOCK"]))  # noqa: E731
        product[grid](a, b, c, 17, 20, 33, a.stride(0), BLOCK=16, PRECISION="ieee")
        self.assertTrue(torch.allclose(c, a @ b))

    def test_float32_is_multiplied_as_tensor_cores_do_it_unless_told_otherwise(self) -> None:
        a, b, c = torch.rand(16, 16), torch.rand(16, 16), torch.empty(16, 16)
        product[(1, 1)](a, b, c, 16, 16, 16, 16, BLOCK=16, PRECISION="tf32")
        error = (c - a @ b).abs().max()
        self.assertTrue(1e-5 < error < 1e-2, error)

    def test_a_row_is_normalised_in_half_precision(self) -> None:
        x, y = torch.randn(3, 50).half(), torch.empty(3, 50).half()
        softmax[(3,)](x, y, 50, BLOCK=64)
        self.assertTrue(torch.allclose(y.float(), torch.softmax(x.float(), 1), atol=1e-3))

    def test_atomic_additions_count_each_element(self) -> None:
        x, bins = torch.randint(0, 5, (100,), dtype=torch.uint8), torch.zeros(5, dtype=torch.int32)
        count[(2,)](x, bins, 100, BLOCK=64)
        self.assertEqual(torch.bincount(x.long(), minlength=5).tolist(), bins.tolist())

    def test_whole_numbers_are_divided_as_in_c(self) -> None:
        y = torch.zeros(2, dtype=torch.int32)
        of_integers[(1,)](torch.tensor([-7], dtype=torch.int32), y, 3)
        self.assertEqual([-1, (-7 & 15) | 48], y.tolist())


class Refusals(unittest.TestCase):
    def test_an_access_outside_of_a_tensor_is_reported(self) -> None:
        with self.assertRaisesRegex(IndexError, "x_ptr has elements 0 to 99, and 100 is accessed"):
            copy_all[(1,)](torch.zeros(100), torch.zeros(128), BLOCK=128)

    def test_masked_elements_without_a_default_are_not_zero(self) -> None:
        a, c = torch.rand(3), torch.zeros(4)
        add[(1,)](a, a, c[:3], 3, BLOCK=4)
        self.assertTrue(tl.load(tl.pointer.to_tensor(a, "a"), mask=False).value.isnan())

    def test_what_the_compiler_refuses_is_refused(self) -> None:
        x = torch.ones(64)
        for kernel, arguments, error in (
            (runtime_size, (x, 64), "tl.arange takes tl.constexpr"),
            (plain_global, (x,), "SCALE"),
            (half_exponential, (x.half(),), "write .to"),
        ):
            with self.subTest(error), self.assertRaisesRegex((TypeError, NameError), error):
                kernel[(1,)](*arguments)
        with self.assertRaisesRegex(ValueError, "powers of two, not 48"):
            copy_all[(1,)](x, x.clone(), BLOCK=48)
        with self.assertRaisesRegex(ValueError, "at least 16"):
            product[(1, 1)](x, x, x.clone(), 8, 8, 8, 8, BLOCK=8, PRECISION="ieee")


if __name__ == "__main__":
    unittest.main()

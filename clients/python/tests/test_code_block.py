"""Extraction of code from replies."""

from __future__ import annotations

import unittest

import support as _  # noqa: F401

from kernelbot import completion_text, last_code_block


class LastCodeBlockTest(unittest.TestCase):
    def test_the_last_of_several_blocks_is_returned(self) -> None:
        self.assertEqual(last_code_block("a\n```python\nx = 1\n```\nb\n```py\nx = 2\n\ny\n```\nc"), "x = 2\n\ny\n")

    def test_a_longer_fence_contains_shorter_ones(self) -> None:
        self.assertEqual(last_code_block("````\n```\nx\n```\n````"), "```\nx\n```\n")

    def test_tildes_and_windows_line_ends_are_fences(self) -> None:
        self.assertEqual(last_code_block("~~~\r\nx\r\n~~~\r\n"), "x\r\n")

    def test_an_unclosed_block_ends_with_the_text(self) -> None:
        self.assertEqual(last_code_block("```\nx = 1"), "x = 1\n")

    def test_inline_code_and_indented_fences_are_not_blocks(self) -> None:
        self.assertIsNone(last_code_block("Use ```x``` and\n    ```\n    y\n    ```\n"))

    def test_text_that_could_not_be_a_source_is_none(self) -> None:
        for text in ("no code", "```\n```", "```\n \n```", "```\n\0\n```", "```\n\ud800\n```", f"```\n{'x' * 1_000_001}\n```"):
            self.assertIsNone(last_code_block(text), text[:20])


class CompletionTextTest(unittest.TestCase):
    def test_the_text_is_that_of_the_last_message_of_the_assistant(self) -> None:
        parts = [{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}]
        self.assertEqual(completion_text("x"), "x")
        self.assertEqual(
            completion_text([{"role": "assistant", "content": "x"}, {"role": "tool", "content": "y"}]), "x"
        )
        self.assertEqual(completion_text([{"type": "reasoning"}, {"role": "assistant", "content": parts}]), "ab")
        self.assertEqual(completion_text([]), "")
        self.assertEqual(completion_text([{"role": "assistant", "content": None}]), "")

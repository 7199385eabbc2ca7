"""Facts about the code of FlashInfer Trace definitions."""

import unittest

import support  # noqa: F401  makes the tester importable

from kernelbot_tester.definition_facts import facts_of


class DefinitionFactsTest(unittest.TestCase):
    def test_counts_positional_arguments(self) -> None:
        facts = facts_of("def run(a, /, b, c=1, *, d): ...\ndef any(*a): ...\nasync def other(): ...", [])
        self.assertEqual(facts["functions"], {"run": {"required": 2, "most": 3}, "any": {"required": 0, "most": None}})

    def test_names_modules_that_the_judge_lacks(self) -> None:
        code = "import math, torch.nn as nn, triton\nfrom flashinfer.norm import a\ntry:\n    import optional\nexcept ImportError: ...\ndef f():\n    import inner"
        self.assertEqual(facts_of(code, [])["modules"], ["flashinfer", "inner", "triton"])

    def test_names_devices_in_calls_and_not_in_texts(self) -> None:
        code = '"""cuda"""\nx = "cuda"\ntorch.ones(1, device="cuda:0")\ny.to("cuda")\ny.cuda()\n'
        self.assertEqual(facts_of(code, [])["devices"], ['"cuda"', '"cuda:0"', ".cuda()"])

    def test_reports_a_syntax_error_with_its_line(self) -> None:
        self.assertRegex(facts_of("\ndef run(:", [])["error"] or "", r"^is not Python: .* in line 2$")
        self.assertIsNotNone(facts_of("\0", [])["error"])

    def test_constraints_are_expressions(self) -> None:
        self.assertEqual(facts_of("", ["n == x[-1]", "n = 1", ""])["constraints"], [1, 2])


if __name__ == "__main__":
    unittest.main()

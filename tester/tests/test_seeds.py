"""Every secret input of a run is derived from its seed, and the seed stays in the judge."""

from __future__ import annotations

import hashlib
import hmac
import json
import unittest

import torch
from support import JudgeTest, job
from test_legacy import legacy

from kernelbot_tester.failures import NotJudged
from kernelbot_tester.judge.seeds import RunSeed

SEED = "00112233445566778899aabbccddeeff" * 2


#: More calls than a case gets: warm-up calls and at most 15 rounds of 50 calls.
MOST_CALLS = 1000


def first_input(seed: int) -> float:
    """Returns the first number of the input that the tests' problem generates from a seed."""
    return torch.rand(1024, generator=torch.Generator().manual_seed(seed))[0].item()


class Derivation(unittest.TestCase):
    def test_the_seed_of_a_call_is_the_documented_hmac(self) -> None:
        digest = hmac.new(bytes.fromhex(SEED), b"kernelbot.seed/1:call/ranked/2/17", hashlib.sha256).digest()
        self.assertEqual(int.from_bytes(digest[:8], "big") >> 1, RunSeed(SEED).of_call("ranked", 2, 17))

    def test_no_two_stages_cases_or_calls_share_a_seed_and_no_two_runs(self) -> None:
        other = SEED[:-1] + "e"
        seeds = [
            RunSeed(digits).of_call(stage, index, call)
            for digits in (SEED, other)
            for stage in ("benchmark", "ranked")
            for index in range(12)
            for call in range(112)
        ]
        self.assertEqual(len(seeds), len(set(seeds)))
        self.assertTrue(all(0 <= seed < 2**63 for seed in seeds))

    def test_a_harness_gets_a_positive_number_of_31_bits_for_each_stage(self) -> None:
        numbers = [RunSeed(SEED).of_harness(stage) for stage in ("benchmark", "ranked")]
        self.assertEqual(2, len(set(numbers)))
        self.assertTrue(all(1 <= number < 2**31 for number in numbers))

    def test_without_a_seed_the_judge_draws_one(self) -> None:
        self.assertNotEqual(RunSeed().of_call("ranked", 0, 0), RunSeed().of_call("ranked", 0, 0))

    def test_a_seed_of_another_length_is_refused(self) -> None:
        for digits in ("", SEED[:-2], SEED + "00", "x" * 64):
            with self.subTest(digits), self.assertRaises(NotJudged) as raised:
                RunSeed(digits)
            self.assertNotIn(digits or "?", str(raised.exception))


class JudgedRuns(JudgeTest):
    def test_the_seed_reproduces_every_input(self) -> None:
        source = "def custom_kernel(data):\n    print(data[0][0].item())\n    return data[0] + data[1]\n"
        events = self.judge({**job(source, "ranked"), "seed": SEED})
        self.assertEqual("passed", events[-1]["verdict"], events)
        (output,) = [event for event in events if event["type"] == "output" and event["stage"] == "ranked"]
        seen = [float(line) for line in output["head"].splitlines()[:40]]
        calls = [first_input(seed) for seed, _ in zip(RunSeed(SEED).of_calls("ranked", 0), range(MOST_CALLS))]
        # Calls in between may have been only the reference's.
        self.assertEqual(seen, [value for value in calls if value in seen][: len(seen)])
        self.assertEqual(seen[:4], calls[:4])

    def test_no_event_contains_the_seed_or_a_value_derived_from_it(self) -> None:
        wrong = "import torch\ndef custom_kernel(data):\n    return torch.zeros_like(data[2])\n"
        for message in (job(wrong, "benchmark"), legacy("def custom_kernel(data):\n    return data\n", "benchmark")):
            events = self.judge({**message, "seed": SEED})
            self.assertEqual("wrong_result", events[-1]["failureClass"])
            output = json.dumps(events)
            secrets = [SEED, *map(str, (RunSeed(SEED).of_call("benchmark", 0, call) for call in range(100)))]
            self.assertEqual([], [secret for secret in secrets if secret in output])

    def test_a_legacy_harness_gets_the_number_that_the_seed_gives(self) -> None:
        main = "import os\nprint('seed', os.environ.get('POPCORN_SEED'))\n"
        events = self.judge({**legacy("", "benchmark", main=main), "seed": SEED})
        (output,) = [event for event in events if event["type"] == "output"]
        self.assertEqual(f"seed {RunSeed(SEED).of_harness('benchmark')}\n", output["head"])

    def test_a_job_with_an_invalid_seed_is_not_judged_and_the_seed_not_reported(self) -> None:
        verdict = self.judge({**job("", "benchmark"), "seed": "f00d"})[-1]
        self.assertEqual(("infra_error", None), (verdict["verdict"], verdict["failureClass"]))
        self.assertNotIn("f00d", json.dumps(verdict))


if __name__ == "__main__":
    unittest.main()

"""Connections to training and evaluation frameworks: against stand-ins of the frameworks' classes, and against the frameworks
where they are installed."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import math
import os
import pickle
import sys
import tempfile
import typing
import unittest
from types import SimpleNamespace
from unittest import mock

import stubs
from support import DONE, INFRA_ERROR, WRONG, FakeServer, refuse

import kernelbot
from kernelbot.trl import KernelEnvironment, KernelReward

CORRECT, FAILED, BROKEN, NO_CODE = "```\nx\n```", "```\nwrong\n```", "```\nbroken\n```", "I cannot."
REWARD = DONE["reward"]


class FrameworkTest(unittest.TestCase):
    """Provides a fake server, which is that of the environment: `wrong` fails, and `broken` breaks the platform."""

    #: Modules of a framework that are replaced, the module that imports them, and what installs the stand-ins.
    roots: tuple[str, ...] = ()
    module = ""
    install: typing.Any = None

    def setUp(self) -> None:
        self.server = FakeServer()
        self.addCleanup(self.server.close)
        self.server.results = {"wrong\n": WRONG, "broken\n": INFRA_ERROR}
        variables = {"KERNELBOT_SERVER": self.server.url, "KERNELBOT_TOKEN": "kb_secret"}
        environment = mock.patch.dict(os.environ, variables)
        environment.start()
        self.addCleanup(environment.stop)
        if self.install is not None:
            stubs.uninstall(*self.roots)
            sys.modules.pop(self.module, None)
            self.install()
            self.addCleanup(stubs.uninstall, *self.roots)
            self.addCleanup(sys.modules.pop, self.module, None)
            self.subject = importlib.import_module(self.module)


class TrlRewardTest(FrameworkTest):
    def call(self, reward: KernelReward, completions: list[typing.Any]) -> list[float | None]:
        size = len(completions)
        # As GRPOTrainer calls it: all columns of the data set, and its own arguments.
        return reward(
            prompts=["p"] * size,
            completions=completions,
            completion_ids=[[1]] * size,
            problem=["double"] * size,
            target=["cpu"] * size,
            trainer_state=None,
            log_extra=print,
            log_metric=print,
        )

    def test_a_group_is_one_batch_and_a_sample_without_a_reward_is_none(self) -> None:
        reward = KernelReward(level="test", rule="step@1")
        self.assertEqual(self.call(reward, [CORRECT, NO_CODE, BROKEN, FAILED]), [REWARD, 0.0, None, 0.0])
        self.assertEqual([each[0] for each in self.server.requests].count("POST /evaluations/batches"), 1)
        self.assertEqual({(each["level"], each["rule"]) for each in self.server.evaluations}, {("test", "step@1")})

    def test_completions_may_be_chats(self) -> None:
        self.assertEqual(self.call(KernelReward(), [[{"role": "assistant", "content": CORRECT}]]), [REWARD])

    def test_a_group_without_code_sends_nothing(self) -> None:
        self.assertEqual(self.call(KernelReward(), [NO_CODE, NO_CODE]), [0.0, 0.0])
        self.assertEqual(self.server.requests, [])

    def test_the_function_has_a_name_and_can_be_pickled(self) -> None:
        reward = pickle.loads(pickle.dumps(KernelReward()))
        self.assertEqual(reward.__name__, "kernelbot")
        self.assertEqual(self.call(reward, [CORRECT]), [REWARD])


class TrlEnvironmentTest(FrameworkTest):
    def setUp(self) -> None:
        super().setUp()
        self.environment = KernelEnvironment()
        self.prompt = self.environment.reset(problem="double", target="cpu", prompt="p")

    def test_the_public_methods_are_one_tool_with_types_and_a_docstring(self) -> None:
        public = [name for name in dir(self.environment) if not name.startswith("_")]
        self.assertEqual(public, ["get_reward", "reset", "submit"])
        self.assertEqual(typing.get_type_hints(KernelEnvironment.submit), {"code": str, "return": str})
        self.assertIn("Args:\n    code: The whole source file.", inspect.getdoc(KernelEnvironment.submit) or "")
        self.assertIn("Doubles a vector.", self.prompt)

    def test_the_reward_is_the_best_one_and_feedback_is_the_result_of_the_tool(self) -> None:
        self.assertEqual(self.environment.submit("wrong\n"), WRONG["feedback"])
        self.assertEqual(self.environment.get_reward(), 0.0)
        self.assertEqual(self.environment.submit("x"), DONE["feedback"])
        self.environment.submit("wrong\n")
        self.assertEqual(self.environment.get_reward(), REWARD)

    def test_without_a_submission_the_reward_is_zero(self) -> None:
        self.assertEqual(self.environment.get_reward(), 0.0)
        self.assertEqual(self.environment.submit(" "), "failed: the code is empty or not text")
        self.assertEqual(self.environment.get_reward(), 0.0)

    def test_a_failure_of_the_platform_has_no_reward(self) -> None:
        self.environment.submit("broken\n")
        self.assertIsNone(self.environment.get_reward())

    def test_an_error_of_the_request_is_raised_by_the_reward_and_hidden_from_the_model(self) -> None:
        self.server.faults = [refuse(403, "forbidden")]
        self.assertEqual(self.environment.submit("x"), "not judged: the judge is not available")
        with self.assertRaises(kernelbot.ApiError):
            self.environment.get_reward()
        self.environment.reset(problem="double", target="cpu")
        self.assertEqual(self.environment.get_reward(), 0.0)


class InspectTest(FrameworkTest):
    roots = ("inspect_ai",)
    module = "kernelbot.inspect"
    install = staticmethod(stubs.install_inspect)

    def score(self, reply: str) -> typing.Any:
        metadata = {"problem": "double", "target": "cpu"}
        state = SimpleNamespace(output=SimpleNamespace(completion=reply), metadata=metadata)
        return asyncio.run(self.subject.kernel_scorer(level="test")(state, None))

    def test_a_task_has_a_sample_for_each_problem(self) -> None:
        task = self.subject.kernels(target="cpu", level="test", rule="step@1")
        self.assertEqual([sample.metadata for sample in task.dataset], [{"problem": "double", "target": "cpu"}])
        self.assertIn("Doubles a vector.", task.dataset[0].input)
        with self.assertRaisesRegex(ValueError, "double has no target 'B200'; it has cpu, H100"):
            self.subject.kernels(target="B200", problems="double")

    def test_a_reply_is_scored_by_its_reward(self) -> None:
        score = self.score(CORRECT)
        self.assertEqual((score.value, score.answer, score.explanation), (REWARD, "x\n", DONE["feedback"]))
        self.assertEqual(score.metadata["outcome"], "passed")
        self.assertEqual((self.score(FAILED).value, self.score(NO_CODE).value), (0.0, 0.0))

    def test_a_failure_of_the_platform_is_unscored(self) -> None:
        score = self.score(BROKEN)
        self.assertTrue(math.isnan(score.value))
        self.assertEqual(score.explanation, INFRA_ERROR["feedback"])


class VerifiersTest(FrameworkTest):
    roots = ("verifiers",)
    module = "kernelbot.verifiers"
    install = staticmethod(stubs.install_verifiers)

    def test_a_taskset_is_exported_and_yields_a_task_for_each_problem(self) -> None:
        self.assertEqual(self.subject.__all__, ["KernelTaskset"])
        (task,) = self.subject.KernelTaskset(self.subject.KernelTasksetConfig()).load()
        self.assertEqual((task.data.idx, task.data.name, task.data.target), (0, "double", "cpu"))
        self.assertEqual(task.config, "task config")
        self.assertIn("Doubles a vector.", task.data.prompt)

    def test_the_reward_method_returns_the_reward_or_raises(self) -> None:
        trace = sys.modules["verifiers.v1"].Trace
        (task,) = self.subject.KernelTaskset(self.subject.KernelTasksetConfig(problems=["double"])).load()
        correct = trace(CORRECT)
        self.assertEqual(asyncio.run(task.kernel_reward(correct)), REWARD)
        self.assertEqual(correct.metrics, {"speedup_low": DONE["speedup"]["low"], "speedup": 4})
        self.assertEqual(asyncio.run(task.kernel_reward(trace(FAILED))), 0.0)
        self.assertEqual(asyncio.run(task.kernel_reward(trace(None))), 0.0)
        with self.assertRaises(kernelbot.NoRewardError):
            asyncio.run(task.kernel_reward(trace(BROKEN)))


class NemoGymTest(FrameworkTest):
    roots = ("nemo_gym", "fastapi", "pydantic")
    module = "kernelbot.nemo_gym"
    install = staticmethod(stubs.install_nemo_gym)

    def verify(self, reply: str) -> typing.Any:
        output = [
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": reply}]},
        ]
        body = self.subject.KernelVerifyRequest(
            responses_create_params={"input": "p"},
            response={"output": output},
            verifier_metadata=self.subject.KernelMetadata(problem="double", target="cpu"),
        )
        return asyncio.run(self.subject.KernelResourcesServer().verify(body))

    def test_the_row_is_returned_with_its_reward_and_metrics(self) -> None:
        response = self.verify(CORRECT)
        self.assertEqual((response.reward, response.passed), (REWARD, 1.0))
        self.assertEqual(response.speedup_low, DONE["speedup"]["low"])
        self.assertEqual(response.responses_create_params, {"input": "p"})
        self.assertEqual((self.verify(FAILED).reward, self.verify(NO_CODE).reward), (0.0, 0.0))

    def test_a_failure_of_the_platform_is_put_into_the_file_of_failures(self) -> None:
        content = self.verify(BROKEN).content
        self.assertEqual((content["_ng_failure_class"], content["mask_sample"]), ("judge_failed", True))
        self.assertIn("the platform failed", content["failure_reason"])
        self.assertEqual(content["response"]["output"][1]["role"], "assistant")


class InstalledTest(FrameworkTest):
    """The modules with the frameworks themselves."""

    def require(self, name: str) -> None:
        if importlib.util.find_spec(name) is None:
            self.skipTest(f"{name} is not installed")

    def test_inspect_scores_the_replies_of_a_mock_model(self) -> None:
        self.require("inspect_ai")
        import inspect_ai
        from inspect_ai.model import ModelOutput, get_model

        from kernelbot.inspect import kernels

        outputs = [ModelOutput.from_content("mockllm/model", CORRECT)]
        model = get_model("mockllm/model", custom_outputs=outputs)
        with tempfile.TemporaryDirectory() as logs:
            (log,) = inspect_ai.eval(kernels(problems=["double"]), model=model, display="none", log_dir=logs)
        self.assertEqual(log.results and log.results.scores[0].metrics["mean"].value, REWARD)

    def test_verifiers_accepts_the_taskset(self) -> None:
        self.require("verifiers")
        from kernelbot.verifiers import KernelTaskset, KernelTasksetConfig

        (task,) = KernelTaskset(KernelTasksetConfig(problems=["double"])).load()
        self.assertEqual(task.data.problem, "double")

    def test_nemo_gym_accepts_the_server(self) -> None:
        self.require("nemo_gym")
        from kernelbot.nemo_gym import KernelResourcesServer

        self.assertTrue(hasattr(KernelResourcesServer, "run_webserver"))

    def test_trl_trains_a_step_with_the_reward(self) -> None:
        self.require("trl")
        from trl_step import train

        steps, mean = train(KernelReward())
        self.assertEqual(steps, 1)
        rewards = [each["reward"] for each in self.server.evaluations if each["reward"] is not None]
        # Samples without a reward are left out of the mean, and those without code are 0.
        self.assertLess(0, mean)
        self.assertLessEqual(mean, sum(rewards) / len(rewards) + 1e-6)

"""The client against a fake server: results, retries, batches, cancellation and settings."""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from support import DONE, INFRA_ERROR, VERSION, WRONG, FakeServer, Handler, lose_response, refuse

import kernelbot
from kernelbot import AsyncClient, Client, EvaluationRequest
from kernelbot.settings import read_settings


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = FakeServer()
        self.addCleanup(self.server.close)
        self.client = self.server.client()
        self.addCleanup(self.client.close)
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        sleep = mock.patch("kernelbot._http.time.sleep")
        self.sleep = sleep.start()
        self.addCleanup(sleep.stop)

    def evaluate(self, code: str = "x = 1\n", **options: object) -> kernelbot.Evaluation:
        return self.client.evaluate("double", code, target="cpu", **options)  # type: ignore[arg-type]

    def test_an_evaluation_is_returned_with_typed_fields(self) -> None:
        evaluation = self.evaluate(rule="step@1", tags={"group": "7"}, deadline_seconds=60)
        self.assertEqual((evaluation.state, evaluation.outcome, evaluation.reward), ("done", "passed", DONE["reward"]))
        self.assertEqual((evaluation.queue_ms, evaluation.judge_ms, evaluation.has_ended), (53, 38, True))
        self.assertEqual(evaluation.speedup and evaluation.speedup.mid, 4)
        self.assertEqual(evaluation.versions.machine, "Fast CPU, 2 threads")
        self.assertEqual(
            self.server.bodies[0],
            {
                "problem": "double",
                "code": "x = 1\n",
                "target": "cpu",
                "language": "py",
                "level": "reward",
                "rule": "step@1",
                "priority": "training",
                "deadlineSeconds": 60,
                "fresh": False,
                "tags": {"group": "7"},
            },
        )

    def test_requests_share_a_connection(self) -> None:
        self.evaluate()
        self.evaluate()
        self.assertEqual(len(self.server.requests), 4)
        self.assertEqual(self.server.connections, 1)

    def test_a_lost_response_is_requested_again_with_the_same_key(self) -> None:
        self.server.faults = [lose_response]
        self.assertEqual(self.evaluate().outcome, "passed")
        (first, key), (second, repeated) = self.server.requests[:2]
        self.assertEqual((first, second), ("POST /evaluations", "POST /evaluations"))
        self.assertIsNotNone(key)
        self.assertEqual(key, repeated)
        self.assertEqual(len(self.server.evaluations), 1)

    def test_an_idle_connection_that_the_server_closed_is_replaced_without_a_delay(self) -> None:
        self.client.problems()
        self.server.faults = [lose_response]
        self.client.problems()
        self.sleep.assert_not_called()

    def test_a_full_queue_is_waited_for_as_long_as_the_server_says(self) -> None:
        self.server.faults = [refuse(429, "too_many_requests", 5), refuse(503, "unavailable")]
        self.assertEqual(self.evaluate().outcome, "passed")
        first, second = (call.args[0] for call in self.sleep.call_args_list)
        self.assertEqual(first, 5)
        self.assertLessEqual(second, 0.5)

    def test_a_server_that_stays_full_is_reported_with_its_reason(self) -> None:
        client = self.server.client(retry_seconds=3)
        self.server.faults = [refuse(429, "too_many_requests", 5)]
        with self.assertRaisesRegex(kernelbot.UnavailableError, "responded 429: this token has 4 of at most 4"):
            client.problems()

    def test_a_refusal_is_not_repeated(self) -> None:
        with self.assertRaises(kernelbot.ApiError) as caught:
            self.client.problem("nothing")
        self.assertEqual((caught.exception.status, caught.exception.code), (404, "not_found"))
        self.assertEqual(len(self.server.requests), 1)

    def test_a_server_that_is_not_reachable_is_reported_with_its_address(self) -> None:
        self.server.close()
        with self.assertRaisesRegex(kernelbot.UnavailableError, f"cannot reach the server at {self.server.url} .*refused"):
            self.server.client(retry_seconds=0).problems()

    def test_a_response_that_is_not_json_is_reported(self) -> None:
        def page(handler: Handler) -> None:
            handler.send_response(200)
            handler.send_header("content-length", "5")
            handler.end_headers()
            handler.wfile.write(b"<html")

        self.server.faults = [page]
        with self.assertRaisesRegex(kernelbot.ApiError, "is not JSON"):
            self.client.problems()

    def test_a_redirect_names_the_address_to_use(self) -> None:
        self.server.faults = [lambda handler: handler.respond(301, {}, {"location": "https://kernels.example.org/"})]
        with self.assertRaisesRegex(kernelbot.ApiError, "redirects to https://kernels.example.org/"):
            self.client.problems()

    def test_a_failure_of_the_platform_has_no_reward(self) -> None:
        self.server.results["x = 2"] = INFRA_ERROR
        evaluation = self.evaluate("x = 2")
        self.assertIsNone(evaluation.reward)
        with self.assertRaisesRegex(kernelbot.NoRewardError, "has no reward: not judged: the platform failed"):
            evaluation.require_reward()
        self.assertEqual(self.evaluate("x = 3").require_reward(), DONE["reward"])

    def test_an_evaluation_is_cancelled_at_the_timeout(self) -> None:
        with self.assertRaises(kernelbot.EvaluationTimeoutError) as caught:
            self.evaluate(timeout=0)
        self.assertIsInstance(caught.exception, TimeoutError)
        self.assertEqual(self.client.get(caught.exception.evaluation.id).state, "cancelled")

    def test_a_problem_directory_is_uploaded_without_hidden_files_and_folders(self) -> None:
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root) / "double"
            (folder / "solutions").mkdir(parents=True)
            (folder / "task.yml").write_text("outputs: 1\n")
            (folder / "data.bin").write_bytes(b"\xff")
            (folder / ".hidden").write_text("")
            problem = self.client.upload_problem(folder)
        self.assertEqual((problem.problem, problem.name, problem.targets), (f"sha256:{VERSION}", "double", ["cpu"]))
        files = {"double/task.yml": "outputs: 1\n", "double/data.bin": None}
        self.assertEqual(self.server.bodies, [{"files": files}])

    def test_uploaded_problems_are_listed_and_deleted(self) -> None:
        with tempfile.TemporaryDirectory() as root:
            (Path(root) / "task.yml").write_text("outputs: 1\n")
            problem = self.client.upload_problem(root)
        self.assertEqual((problem.size_bytes, problem.open_evaluations), (1200, 0))
        self.assertEqual(self.client.uploaded_problems(), [problem])
        self.client.delete_uploaded_problem(problem.problem)
        self.assertEqual(self.client.uploaded_problems(), [])
        with self.assertRaises(kernelbot.ApiError) as caught:
            self.client.delete_uploaded_problem(problem.problem)
        self.assertEqual(caught.exception.code, "not_found")

    def test_a_batch_yields_results_with_the_indices_of_the_request(self) -> None:
        self.server.results["b"] = WRONG
        batch = self.client.evaluate_batch(EvaluationRequest("double", code, "cpu") for code in "abc")
        results = [(index, evaluation.outcome) for index, evaluation in batch]
        self.assertEqual(results, [(2, "passed"), (1, "wrong_result"), (0, "passed")])
        self.assertEqual([each.reward for each in batch.results()], [DONE["reward"], 0.0, DONE["reward"]])

    def test_a_batch_that_is_left_early_is_cancelled(self) -> None:
        requests = [EvaluationRequest("double", code, "cpu") for code in "ab"]
        with self.client.evaluate_batch(requests) as batch:
            next(iter(batch))
        self.assertEqual(self.server.requests[-1][0], "DELETE /evaluations/batches/1")
        with self.client.evaluate_batch(requests) as batch:
            batch.results()
        self.assertEqual(self.server.requests[-1][0], "GET /evaluations/batches/2")

    def test_a_repeated_key_returns_the_first_batch(self) -> None:
        requests = [EvaluationRequest("double", code, "cpu") for code in "ab"]
        first, second = (self.client.evaluate_batch(requests, idempotency_key="step-1") for _ in range(2))
        self.assertEqual((first.id, first.evaluations), (second.id, second.evaluations))

    def test_a_copy_by_pickle_opens_a_connection_of_its_own(self) -> None:
        self.client.problems()
        copy: Client = pickle.loads(pickle.dumps(self.client))
        self.assertEqual(copy.problems(), self.client.problems())
        self.assertEqual(self.server.connections, 2)

    def test_a_forked_process_opens_a_connection_of_its_own(self) -> None:
        self.client.problems()
        child = os.fork()
        if child == 0:
            os._exit(0 if self.client.problems() else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(self.server.connections, 2)

    def test_a_problem_has_a_prompt(self) -> None:
        self.assertEqual(self.client.problems()[0].targets, ["cpu", "H100"])
        problem = self.client.problem("double")
        self.assertEqual((problem.languages, problem.targets), (["py"], ["cpu", "H100"]))
        prompt = problem.prompt("cpu")
        self.assertTrue(prompt.startswith("Doubles a vector.\n\nThe code is judged for correctness"))
        self.assertEqual(kernelbot.last_code_block(prompt), "def custom_kernel(data): ...\n")
        self.assertNotIn("```", problem.prompt("cpu", template="Triton"))

    def test_a_response_without_a_field_names_it(self) -> None:
        with self.assertRaisesRegex(kernelbot.ApiError, "has no 'queue_ms' of Evaluation"):
            kernelbot.Evaluation.from_json({name: DONE[name] for name in DONE if name != "queueMs"})

    def test_fields_of_newer_servers_are_ignored(self) -> None:
        self.assertEqual(kernelbot.Evaluation.from_json({**DONE, "newField": 1}).reward, DONE["reward"])


class AsyncClientTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.server = FakeServer()
        self.addCleanup(self.server.close)
        self.client = AsyncClient(self.server.url, "kb_secret", max_connections=4)
        self.addCleanup(self.client.close)

    async def test_evaluations_run_concurrently(self) -> None:
        codes = [f"x = {index}" for index in range(20)]
        evaluations = await asyncio.gather(*(self.client.evaluate("double", code, target="cpu") for code in codes))
        self.assertEqual({each.outcome for each in evaluations}, {"passed"})
        self.assertEqual(len({each.id for each in evaluations}), 20)

    async def test_a_batch_yields_results_with_the_indices_of_the_request(self) -> None:
        batch = await self.client.evaluate_batch(EvaluationRequest("double", code, "cpu") for code in "abc")
        self.assertEqual([index async for index, _ in batch], [2, 1, 0])
        self.assertEqual([each.id for each in await batch.results()], batch.evaluations)

    async def test_a_cancelled_task_cancels_its_evaluation(self) -> None:
        evaluation = await self.client.submit(EvaluationRequest("double", "a", "cpu"))
        task = asyncio.create_task(self.client.wait(evaluation))
        await asyncio.sleep(0)
        with mock.patch.object(FakeServer, "_judge", lambda server, number: server.evaluations[number - 1]):
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            while self.server.evaluations[0]["state"] != "cancelled":
                await asyncio.sleep(0.01)

    async def test_an_evaluation_is_cancelled_at_the_timeout(self) -> None:
        with self.assertRaises(kernelbot.EvaluationTimeoutError):
            await self.client.evaluate("double", "a", target="cpu", timeout=0)

    async def test_problems_are_listed(self) -> None:
        self.assertEqual([each.name for each in await self.client.problems()], ["double"])
        self.assertEqual((await self.client.problem("double")).name, "double")


class SettingsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.env = {"XDG_CONFIG_HOME": folder.name}
        self.config = Path(folder.name, "kernelbot", "config.toml")
        self.config.parent.mkdir()
        self.config.write_text('server = "https://kernels.example.org/"\ntoken = "kb_\\u0061"\n[other]\ntoken = "no"\n')

    def test_the_stored_server_and_token_are_the_default(self) -> None:
        self.assertEqual(read_settings(None, None, self.env), ("https://kernels.example.org", "kb_a"))

    def test_the_stored_token_is_sent_only_to_its_server(self) -> None:
        self.assertEqual(read_settings("http://other.example.org", None, self.env), ("http://other.example.org", None))

    def test_the_environment_precedes_the_stored_settings_and_arguments_precede_both(self) -> None:
        env = {**self.env, "KERNELBOT_SERVER": "http://env.example.org", "KERNELBOT_TOKEN": "kb_env"}
        self.assertEqual(read_settings(None, None, env), ("http://env.example.org", "kb_env"))
        self.assertEqual(read_settings("http://a.example.org/x/", "kb_b", env), ("http://a.example.org/x", "kb_b"))

    def test_without_settings_the_server_is_the_local_one(self) -> None:
        self.config.unlink()
        self.assertEqual(read_settings(None, None, self.env), ("http://127.0.0.1:8080", None))

    def test_an_address_that_is_not_a_url_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "'kernels.example.org' is not a valid server URL"):
            Client("kernels.example.org")

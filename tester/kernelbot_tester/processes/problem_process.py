"""The judge's side of a problem. The problem's code runs in a separate process, in a cell (problem/service.py). The
judge imports none of it, keeps seeds, clock and verdict to itself, and checks every answer.

The process is stopped from the end of `inputs`, or of `wait_until_generated`, before a call is timed, until the next
request.
"""

from __future__ import annotations

import contextlib
import json
import math
import socket
import sys
import time
from typing import Any, Iterator, Mapping

import torch

from ..device.device import Device
from ..failures import NotJudged
from ..messages import Case, Problem, Stage
from ..problem.compare import compare
from ..problem.in_place import all_close
from ..problem.problem import OutputDifference, cases_of
from ..sandbox.config import Config
from ..sandbox.native_library import native
from ..untrusted_text import bounded
from ..worker.memory import copy_elements
from ..worker.protocol import Tree
from .failure_messages import problem_at_fault
from .kernel_signature import Signature, check_tensors
from .problem_answers import parse_amount, parse_difference, parse_sentence, parse_tree, parsed_answer
from .staging import InputAhead, Staging
from .stoppable_process import StoppableProcess

#: Timeout of one answer in seconds; far above the time of any valid problem, and stages have their own limits.
ANSWER_S = 300.0
#: Maximum size of an answer in bytes: inputs may contain long lists of plain values.
ANSWER_BYTES = 16 << 20
#: Maximum size of an input that is generated ahead, in bytes.
MOST_AHEAD_BYTES = 256 << 20
#: Maximum length, in characters, of a sentence about a fault of the problem.
SENTENCE = 2_000


class ProblemProcess:
    """Problem of a job, `{"spec", "files"}` as core's `Problem`, whose tensors live on these devices, one for each
    rank. Use as a context manager. Every method raises NotJudged where the problem is at fault."""

    def __init__(
        self, problem: Problem, devices: list[Device], control: socket.socket, config: Config
    ) -> None:
        self.spec = problem["spec"]
        self.files = problem["files"]
        self.outputs = self.spec["outputs"]
        self.devices = devices
        self.device = devices[0]
        self.ranks = len(devices)
        self.config = config
        #: Declaration of task.h, where the submission is compiled; else None.
        self.signature: Signature | None = None
        #: Whether outputs are compared with the reference's, within the tolerance.
        self.compares_with_reference = False
        #: Why the results of the application's last run are incorrect; None where they are correct.
        self.fault: str | None = None
        #: Seconds for which the judge has waited for the problem's code.
        self.waited_s = 0.0
        self._is_open = False
        self._frozen = False
        self._may_start_processes = True
        #: Least size of an input that may be generated ahead, in bytes.
        self._ahead_bytes: float = 0
        #: Lower bounds of cases, by their JSON.
        self._costs: dict[str, tuple[float | None, float | None]] = {}
        #: Case and seed of the input returned last, and the inputs in the staging memory.
        self._made: tuple[Case, int | None] | None = None
        self._data: list[Any] = []
        # One for each rank's input; with several ranks, also one for each rank's expected outputs; with one, also one for
        # an input that is generated ahead, once there was one.
        self._staging = [Staging(device) for device in (devices if self.ranks == 1 else [*devices, *devices])]
        #: Tree of each rank's input, and the memory that it needs.
        self._layout: list[tuple[Tree, dict[str, int]]] = []
        #: Index of the staging memory of the input returned last, and the input that is generated ahead.
        self._place = 0
        self._ahead: InputAhead | None = None
        self._process = StoppableProcess(control, config, self.device, "problem", devices)

    def __enter__(self) -> "ProblemProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self._log_printed()
        self._process.close()
        for staging in self._staging:
            staging.close()

    def _log_printed(self) -> None:
        """Prints what the problem's code has printed, only for the operator's log."""
        printed = self._process.take_printed()
        if printed is not None:
            head, tail = printed.texts()
            print(f"the problem's code printed:\n{head}{tail}", file=sys.stderr, flush=True)

    def kill(self) -> None:
        """Kills the process."""
        self._process.kill()

    def pause(self) -> None:
        """Stops the process until the next request, in another run."""
        self._log_printed()
        # Before, only our own code runs, which waits for the first request.
        if self._is_open:
            self.wait_until_generated()
            self._freeze()

    def open(self) -> None:
        """Opens the devices, and makes the process import the problem's code. Later calls have no effect."""
        if self._is_open:
            return
        self._is_open = True
        for device in self.devices:
            device.start()
        with problem_at_fault():
            self._process.wait_until_started()
        # Without a sandbox, compilers started by the problem use the user's default cache folders.
        cache = "/tmp/cache" if self.config.sandboxed else None
        answer = self._ask({"op": "open", "files": self.files, "spec": self.spec, "ranks": self.ranks, "cache": cache})
        self.compares_with_reference = answer.get("compares") is True and self.spec["tolerance"] is not None

    def cases(self, stage: Stage, target: str) -> list[Case]:
        """Returns the cases of a stage for a target."""
        return cases_of(self.spec, stage, target)

    def cost(self, case: Case) -> tuple[float | None, float | None]:
        """Returns the lower bounds of bytes and operations of a case; None where the problem declares none."""
        key = json.dumps(case)
        if key not in self._costs:
            answer = self._ask({"op": "cost", "case": case})
            self._costs[key] = parsed_answer(
                lambda: (parse_amount(answer.get("bytes")), parse_amount(answer.get("operations")))
            )
        return self._costs[key]

    def inputs(self, case: Case, secret_seed: int | None = None) -> Any:
        """Generates the input of a case; with several ranks, a list of inputs. A secret seed replaces the case's own
        seed. The input stays in the staging memory until the next one is generated. The problem's code is stopped when
        this returns."""
        self.wait_until_generated()
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.made == (case, secret_seed):
            self._place = 1 - self._place
        else:
            self._made = None
            self._write_inputs(self._ask({"op": "inputs", "case": case, "seed": secret_seed, "place": self._place}))
        self._made = (case, secret_seed)
        return self._staged()

    @property
    def generates_ahead(self) -> bool:
        """Whether inputs can be generated ahead: not on accelerators, and not where the problem's own code checks outputs
        and needs the current input; nor where they take much memory."""
        size = sum(sizes.get("host", 0) for _, sizes in self._layout)
        is_possible = self.ranks == 1 and self.device.kind == "cpu" and self.compares_with_reference
        return is_possible and self._ahead_bytes <= size <= MOST_AHEAD_BYTES

    def generate_ahead(self, case: Case, secret_seed: int) -> None:
        """Starts to generate the input that `inputs` will return next, while the judge does something else, if that is
        possible."""
        if self.generates_ahead:
            if len(self._staging) == 1:
                self._staging.append(Staging(self.device))
                self._lay_out_staging()
            self._send({"op": "inputs", "case": case, "seed": secret_seed, "place": 1 - self._place}, [], ANSWER_S)
            self._ahead = InputAhead((case, secret_seed))

    def wait_until_generated(self) -> None:
        """Waits for the input that is generated ahead. The problem's code is stopped when this returns."""
        if self._ahead is not None and not self._ahead.is_there:
            self._ahead.is_there = True
            self._write_inputs(self._receive(ANSWER_S))

    def _write_inputs(self, answer: Mapping[str, object]) -> None:
        """Returns once the input of an answer is in the staging memory and the process is stopped."""
        if answer.get("trees") is not None or not self._data:
            self._lay_out(answer.get("trees"))
        if answer.get("written") is not True:
            self._ask({"op": "write"})
        self._freeze()

    def _staged(self) -> Any:
        return self._data[: self.ranks] if self.ranks > 1 else self._data[self._place]

    def _freeze(self) -> None:
        with problem_at_fault():
            self._process.freeze(time.monotonic() + ANSWER_S)
        self._frozen = True

    def inputs_again(self, case: Case, secret_seed: int | None) -> None:
        """Generates an input again, unless it is the one generated last."""
        if self._made != (case, secret_seed):
            self.inputs(case, secret_seed)

    def check(
        self, case: Case, got: list[torch.Tensor], secret_seed: int | None, expected: list[torch.Tensor] | None = None
    ) -> OutputDifference | None:
        """Returns what is wrong with these outputs for the input generated last, which is of this case; None where
        they are correct. `expected`: outputs of the reference's ranks, in rank order."""
        assert self._made == (case, secret_seed)
        self._stage_outputs(self._staging[: self.ranks], got)
        if expected is not None:
            self._stage_outputs(self._staging[self.ranks :], expected)
        answer = self._ask(
            {"op": "check", "case": case, "seed": secret_seed, "with_expected": expected is not None}
        )
        return parsed_answer(lambda: parse_difference(answer.get("difference")))

    def start_application(self, case: Case, secret_seed: int, open_loop: bool) -> Any:
        """Starts the problem's application for a case. Returns its first input, as `inputs` does; None at its end.
        `open_loop`: it continues with the reference's outputs, whatever `next_call` gives it."""
        self.fault = None
        self._place = 0
        request = {"op": "start_application", "case": case, "seed": secret_seed, "open_loop": open_loop}
        return self._yielded(self._ask(request))

    def next_call(self, outputs: list[torch.Tensor]) -> Any:
        """Continues the application with the outputs for its last input. Returns the next one; None at its end, when
        `fault` is known."""
        self._stage_outputs(self._staging[: self.ranks], outputs)
        return self._yielded(self._ask({"op": "next_call"}))

    def _yielded(self, answer: Mapping[str, object]) -> Any:
        if "fault" not in answer:
            self._made = None
            self._write_inputs(answer)
            return self._staged()
        self.fault = parsed_answer(lambda: parse_sentence(answer["fault"]))
        return None

    def check_call(self, got: list[torch.Tensor]) -> OutputDifference | None:
        """Returns what is wrong with these outputs for the application's last input; None where they are correct."""
        self._stage_outputs(self._staging[: self.ranks], got)
        answer = self._ask({"op": "check_call"})
        return parsed_answer(lambda: parse_difference(answer.get("difference")))

    def is_correct(self, got: list[torch.Tensor], expected: list[torch.Tensor]) -> bool:
        """Whether outputs are equal to the reference's for the same input, within the tolerance. Compares them in the
        judge, where they are. False where the problem compares them itself: `check` decides."""
        tolerance = self.spec["tolerance"]
        if not self.compares_with_reference or tolerance is None:
            return False
        rtol, atol = tolerance["rtol"], tolerance["atol"]
        return all(
            all_close(one, other, rtol, atol) or compare(one, other, rtol, atol) is None
            for one, other in zip(got, expected)
        )

    @contextlib.contextmanager
    def settled(self, ahead_bytes: float = math.inf) -> Iterator[None]:
        """Context manager in which the problem's code starts no process, and its main thread stays on the judge's
        core, unless it may generate inputs ahead, as those from `ahead_bytes` on. Threads that it has already started keep
        their affinity."""
        self._may_start_processes, self._ahead_bytes = False, ahead_bytes
        core = self.config.judge_core
        with problem_at_fault():
            before = self._process.affinity()
        if core is not None and not self.generates_ahead:
            self._process.move_to({core})
        try:
            yield
        finally:
            self._may_start_processes, self._ahead_bytes = True, 0
            self._process.move_to(before)

    # ---- messages

    def _ask(
        self, request: Mapping[str, object], limit_s: float = ANSWER_S, files: list[int] | None = None
    ) -> Mapping[str, object]:
        self.wait_until_generated()
        self._send(request, files or [], limit_s)
        return self._receive(limit_s)

    def _send(self, request: Mapping[str, object], files: list[int], limit_s: float) -> None:
        with problem_at_fault():
            self._process.mark_running()
            if self._may_start_processes:
                self._process.allow_processes(True)
            self._process.send(request, files, time.monotonic() + limit_s)
            if self._frozen:
                # Thawed only now, so that it wakes up once. A request to a stopped process fits into the socket's
                # buffer.
                native().kb_thaw(self._process.pidfd)
                self._frozen = False

    def _receive(self, limit_s: float) -> Mapping[str, object]:
        started = time.monotonic()
        with problem_at_fault():
            answer = self._process.receive(started + limit_s, "answer the judge", ANSWER_BYTES)
        self.waited_s += time.monotonic() - started
        refused = answer.get("refused")
        if refused is not None:
            sentence = bounded(refused, SENTENCE)
            raise NotJudged(sentence if sentence.startswith("the problem's ") else f"the problem's code reports: {sentence}")
        return answer

    # ---- the staging memory

    def _lay_out(self, trees: object) -> None:
        """Lays the input of these trees out in the staging memory, which grows where needed."""
        self._data = []
        if not isinstance(trees, list) or len(trees) != self.ranks:
            raise NotJudged("the problem's code gave an answer that is not valid: there is not one input for each rank")
        kinds = ("host",) if self.device.kind == "cpu" else ("host", "device")
        parsed = [parsed_answer(lambda tree=tree: parse_tree(tree, kinds)) for tree in trees]
        if sum(sizes.get("host", 0) for _, sizes in parsed) > self.config.memory_bytes:
            raise NotJudged(f"the problem's inputs take more than {self.config.memory_bytes / (1 << 30):.1f} GiB of memory")
        for tree, _ in parsed:
            check_tensors(tree, self.outputs, self.signature)
        self._layout = parsed
        self._lay_out_staging()

    def _lay_out_staging(self) -> None:
        for place, staging in enumerate(self._staging):
            _, sizes = self._layout[place % self.ranks]
            if not staging.holds(sizes):
                staging.allocate(sizes)
                memories = [[memory, one.size] for memory, one in staging.memories.items()]
                files = [one.file for one in staging.memories.values()]
                self._ask({"op": "stage", "place": place, "memories": memories}, files=files)
        try:
            self._data = [staging.lay_out(tree) for staging, (tree, _) in zip(self._staging, [*self._layout, *self._layout])]
        except RuntimeError as error:
            raise NotJudged(f"the problem's inputs cannot be laid out: {bounded(error, 200)}") from None

    def _stage_outputs(self, places: list[Staging], outputs: list[torch.Tensor]) -> None:
        """Copies outputs, in rank order, into the staging memory of these places."""
        targets = [one for staging in places for one in staging.tensors[-self.outputs :]]
        for source, target in zip(outputs, targets):
            copy_elements(source, target)
        for device in self.devices:
            device.synchronize()

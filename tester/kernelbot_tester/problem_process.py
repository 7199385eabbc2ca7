"""A problem as the judge uses it. Its code runs in a process of its own, in a cell (problem_service.py); the judge imports
none of it, keeps seeds, clock and verdict to itself, and checks every answer.

The process is stopped from the end of `inputs`, before a call is timed, until it is next asked for something.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import time
from typing import Any, Callable, Iterator, TypeVar

import torch

from .config import Config
from .device.device import Device, Memory
from .device.host import copy
from .failures import Failed, NotJudged
from .native import native
from .problem import Case, Finding, cases_of
from .problem_answers import Malformed, parse_amount, parse_finding, parse_tree
from .signature import Misfit, Signature
from .texts import bounded
from .worker.layout import Slot, rebuild
from .workers import Worker

#: Seconds for one answer: no honest problem takes them, and a stage has limits of its own.
ANSWER_S = 300.0
#: Bytes of the longest answer: inputs may hold long lists of plain values.
ANSWER_BYTES = 16 << 20
#: Characters of a sentence about what is wrong with the problem.
SENTENCE = 2_000

Parsed = TypeVar("Parsed")


class Staging:
    """The memory in which the judge and the problem process share the tensors of one rank."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.memories: dict[str, Memory] = {}
        #: The tensors of the last input, in order.
        self.tensors: list[torch.Tensor] = []

    def holds(self, sizes: dict[str, int]) -> bool:
        """Whether there is so much of each memory."""
        return all(memory in self.memories and size <= self.memories[memory].size for memory, size in sizes.items())

    def allocate(self, sizes: dict[str, int]) -> None:
        """Makes new memory in place of the old."""
        self.close()
        for memory, size in sizes.items():
            self.memories[memory] = self.device.allocate(memory, size)

    def lay_out(self, tree: Any) -> Any:
        """An input of this tree, whose tensors lie in this memory."""
        data, self.tensors = rebuild(tree, self._view)
        return data

    def _view(self, slot: Slot) -> torch.Tensor:
        return slot.view(self.memories[slot.memory].raw(slot))

    def close(self) -> None:
        """Gives the memory back."""
        self.tensors = []
        for memory in self.memories.values():
            memory.close()
        self.memories = {}


class ProblemProcess:
    """The problem of a job, `{"spec", "files"}` as core's `Problem`, whose tensors live on these devices, one for each
    rank. Use as a context manager. Every method raises NotJudged where the problem is at fault."""

    def __init__(
        self, problem: dict[str, Any], devices: list[Device], control: socket.socket, config: Config
    ) -> None:
        self.spec = problem["spec"]
        self.files: dict[str, str] = problem["files"]
        self.outputs: int = self.spec["outputs"]
        self.devices = devices
        self.device = devices[0]
        self.ranks = len(devices)
        self.config = config
        #: What task.h declares, where the submission is compiled.
        self.signature: Signature | None = None
        self._is_open = False
        self._frozen = False
        self._may_start_processes = True
        #: What was made last, and how it lies in the staging memory.
        self._made: tuple[Case, int | None] | None = None
        self._data: Any = None
        # Of each rank the input; of several ranks also what the reference has put out.
        self._staging = [Staging(device) for device in (devices if self.ranks == 1 else [*devices, *devices])]
        self._worker = Worker(control, config, self.device, "problem", devices)

    def __enter__(self) -> "ProblemProcess":
        return self

    def __exit__(self, *_: object) -> None:
        printed = self._worker.take_printed()
        self._worker.close()
        for staging in self._staging:
            staging.close()
        if printed is not None:
            # For the operator's log alone.
            head, tail = printed.texts()
            print(f"the problem's code printed:\n{head}{tail}", file=sys.stderr, flush=True)

    def open(self) -> None:
        """Opens the devices, and has the problem's code imported; the first time that it is called."""
        if self._is_open:
            return
        self._is_open = True
        for device in self.devices:
            device.start()
        with problem_at_fault():
            self._worker.meet()
        # Without a sandbox, what the problem compiles goes where the user's other programs keep it.
        cache = "/tmp/cache" if self.config.sandboxed else None
        self._ask({"op": "open", "files": self.files, "spec": self.spec, "ranks": self.ranks, "cache": cache})

    def cases(self, stage: str, target: str) -> list[Case]:
        """The cases of a stage for a target."""
        return cases_of(self.spec, stage, target)

    def cost(self, case: Case) -> tuple[float | None, float | None]:
        """Bytes and operations that a case takes at least, where the problem declares them."""
        answer = self._ask({"op": "cost", "case": case})
        return self._parsed(lambda: (parse_amount(answer.get("bytes")), parse_amount(answer.get("operations"))))

    def inputs(self, case: Case, secret_seed: int | None = None) -> Any:
        """Has the input of a case made, for several ranks a list of them; with a secret seed, in place of the case's own.
        It lies in the staging memory until the next is made. The problem's code is stopped when this returns."""
        answer = self._ask({"op": "inputs", "case": case, "seed": secret_seed})
        if answer.get("trees") is not None or self._data is None:
            self._lay_out(answer.get("trees"))
        if answer.get("written") is not True:
            self._ask({"op": "write"})
        self._made = (case, secret_seed)
        with problem_at_fault():
            self._worker.freeze(time.monotonic() + ANSWER_S)
        self._frozen = True
        return self._data

    def check(
        self, case: Case, got: list[torch.Tensor], secret_seed: int | None, expected: list[torch.Tensor] | None = None
    ) -> Finding | None:
        """What is wrong with these outputs for the input that was made last, which is of this case; None: nothing.
        `expected`: what the reference's ranks made of it, one rank after the other."""
        assert self._made == (case, secret_seed)
        self._stage_outputs(self._staging[: self.ranks], got)
        if expected is not None:
            self._stage_outputs(self._staging[self.ranks :], expected)
        answer = self._ask(
            {"op": "check", "case": case, "seed": secret_seed, "with_expected": expected is not None}
        )
        return self._parsed(lambda: parse_finding(answer.get("finding")))

    def seconds(self, case: Case, memory_bytes: float, limit_s: float) -> float | None:
        """How long the input of a case takes, and on one rank the answer; None where it does not fit into this memory or
        time. The process is of no use afterwards."""
        try:
            answer = self._ask({"op": "measure", "case": case, "memory_bytes": memory_bytes}, limit_s)
            return self._parsed(lambda: parse_amount(answer.get("seconds")))
        except NotJudged:
            return None

    @contextlib.contextmanager
    def settled(self) -> Iterator[None]:
        """In here the problem's code starts no process, and its main thread keeps away from the workers' cores. The threads
        that it has started stay where they are."""
        core = self.config.judge_core
        with problem_at_fault():
            before = self._worker.affinity()
        self._may_start_processes = False
        if core is not None:
            self._worker.move_to({core})
        try:
            yield
        finally:
            self._may_start_processes = True
            self._worker.move_to(before)

    # ---- the conversation

    def _ask(self, request: dict[str, Any], limit_s: float = ANSWER_S, files: list[int] | None = None) -> dict[str, Any]:
        deadline = time.monotonic() + limit_s
        with problem_at_fault():
            self._worker.expect_to_run()
            if self._may_start_processes:
                self._worker.allow_processes(True)
            self._worker.send(request, files or [], deadline)
            if self._frozen:
                # Only now, so that it wakes up once. What is asked of a stopped process fits into the socket.
                native().kb_thaw(self._worker.pidfd)
                self._frozen = False
            answer = self._worker.answer(deadline, "answer the judge", ANSWER_BYTES)
        refused = answer.get("refused")
        if refused is not None:
            sentence = bounded(refused, SENTENCE)
            raise NotJudged(sentence if sentence.startswith("the problem's ") else f"the problem's code says: {sentence}")
        return answer

    def _parsed(self, parse: Callable[[], Parsed]) -> Parsed:
        try:
            return parse()
        except Malformed as error:
            raise NotJudged(f"the problem's code gave an answer that is not valid: {error}") from None

    # ---- the staging memory

    def _lay_out(self, trees: Any) -> None:
        """Sees that the staging memory has room for an input of these trees."""
        self._data = None
        if not isinstance(trees, list) or len(trees) != self.ranks:
            raise NotJudged("the problem's code gave an answer that is not valid: there is not one input for each rank")
        kinds = ("host",) if self.device.kind == "cpu" else ("host", "device")
        parsed = [self._parsed(lambda tree=tree: parse_tree(tree, kinds)) for tree in trees]
        if sum(sizes.get("host", 0) for _, sizes in parsed) > self.config.memory_bytes:
            raise NotJudged(f"the problem's inputs take more than {self.config.memory_bytes / (1 << 30):.1f} GiB of memory")
        for place, staging in enumerate(self._staging):
            tree, sizes = parsed[place % self.ranks]
            self._check_tensors(tree)
            if not staging.holds(sizes):
                staging.allocate(sizes)
                memories = [[memory, one.size] for memory, one in staging.memories.items()]
                files = [one.file for one in staging.memories.values()]
                self._ask({"op": "stage", "place": place, "memories": memories}, files=files)
        try:
            data = [staging.lay_out(tree) for staging, (tree, _) in zip(self._staging, [*parsed, *parsed])]
        except RuntimeError as error:
            raise NotJudged(f"the problem's inputs cannot be laid out: {bounded(error, 200)}") from None
        self._data = data[: self.ranks] if self.ranks > 1 else data[0]

    def _check_tensors(self, tree: Any) -> None:
        tensors = rebuild(tree, lambda slot: torch.empty(0))[1]
        if len(tensors) < self.outputs:
            raise NotJudged(
                f"the problem's generate_input gives {len(tensors)} tensors, not even the {self.outputs} outputs"
            )
        if self.signature is not None:
            try:
                self.signature.check(tree, self.outputs)
            except Misfit as error:
                raise NotJudged(f"the problem's task.h does not fit its generate_input: {error}") from None

    def _stage_outputs(self, places: list[Staging], outputs: list[torch.Tensor]) -> None:
        """Copies outputs, one rank after the other, to where the problem's code sees them."""
        targets = [one for staging in places for one in staging.tensors[-self.outputs :]]
        for source, target in zip(outputs, targets):
            copy(source, target)
        for device in self.devices:
            device.synchronize()


@contextlib.contextmanager
def problem_at_fault() -> Iterator[None]:
    """Failures in here, which are worded for submissions, are the problem's."""
    try:
        yield
    except Failed as failure:
        raise NotJudged(failure.message.replace("the submission", "the problem's code")) from None

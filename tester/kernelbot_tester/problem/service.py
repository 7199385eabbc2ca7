"""The problem process: runs the code of one problem in a cell, and answers the judge's requests.

The judge sends one request at a time (worker/wire.py), `{"op": NAME, ...}`, and gets one answer, a JSON object. A
fault of the problem is answered as `{"refused": SENTENCE}`. The elements of tensors are passed through the staging
memory, which the judge and this process share. The judge trusts no answer of this process.

    open      {"files", "spec", "ranks", "cache"} -> {}
    cost      {"case"}                         -> {"bytes", "operations"}
    inputs    {"case", "seed", "place"}        -> {"trees": one per rank, null: unchanged; "written"}
    stage     {"place", "memories"} + files    -> {}            one message for each place
    write     {}                               -> {}            the inputs, where `inputs` found too little memory
    check     {"case", "seed", "with_expected"} -> {"difference"}  of the outputs in the staging memory
    start_application {"case", "seed", "open_loop"} -> as `inputs`: the first input of the application
    next_call {}                               -> as `inputs`, for the outputs in the staging memory; at the end {"fault"}
    check_call {}                              -> {"difference"}  of the outputs in the staging memory
"""

from __future__ import annotations

import os
import socket
import traceback
from typing import Any, Callable, Mapping, Sequence

import torch

from ..failures import NotJudged
from ..messages import Case, ProblemSpec
from ..worker import extensions, wire
from ..worker.device import Device, NoDevice
from ..worker.layout import Slot, clone
from ..worker.memory import Shared, copy_elements
from ..worker.protocol import Tree
from .application import Program, fault_of, fault_of_outputs, reference_outputs
from .problem import Described, Problem

#: JSON object, as in the table above.
Answer = Mapping[str, object]


class Service:
    """A problem and its staging memory. `devices`: the devices of the ranks, opened in this process."""

    def __init__(self, devices: Sequence[Device | NoDevice]) -> None:
        self.devices = devices
        self.problem: Problem | None = None
        #: The input generated last, until a check consumes it, and its case and seed.
        self.data: Any = None
        self.made: tuple[Case, int | None] | None = None
        #: The running application, whether it continues with the reference's outputs, and its last input.
        self.program: Program | None = None
        self.open_loop = False
        self.yielded: Any = None
        self.trees: list[Tree] = []
        self.slots: list[list[Slot]] = []
        self.sources: list[list[torch.Tensor]] = []
        #: Place of the first rank's input.
        self.place = 0
        #: Staging memory by place: a place is a rank; beyond the last rank, the expected outputs of each rank, or with one
        #: rank the input of another call.
        self.memories: dict[int, dict[str, Shared]] = {}
        self.sizes: dict[int, dict[str, int]] = {}
        #: Tensors of each place in the staging memory, in the order of the input.
        self.staged: dict[int, list[torch.Tensor]] = {}
        self.operations: dict[str, Callable[..., Answer]] = {
            "open": self.open,
            "cost": self.cost,
            "inputs": self.inputs,
            "stage": self.stage,
            "write": self.write,
            "check": self.check,
            "start_application": self.start_application,
            "next_call": self.next_call,
            "check_call": self.check_call,
        }

    def answer(self, request: Mapping[str, object], files: list[int]) -> Answer:
        """Returns the answer to a request."""
        arguments = {name: value for name, value in request.items() if name != "op"}
        operation = self.operations[str(request["op"])]
        try:
            return operation(**arguments, **({"files": files} if operation == self.stage else {}))
        except NotJudged as fault:
            return {"refused": str(fault)}
        except Exception as error:
            traceback.print_exc()
            return {"refused": f"the problem's code raised {type(error).__name__}"}

    @property
    def opened(self) -> Problem:
        """The opened problem."""
        assert self.problem is not None
        return self.problem

    def open(self, files: dict[str, str], spec: ProblemSpec, ranks: int, cache: str | None) -> Answer:
        """Imports the problem's modules. `cache`: folder for what compilers started by them build; None: the default
        folders."""
        if cache is not None:
            extensions.use_folder(cache, torch.get_num_threads())
        self.problem = Problem({"spec": spec, "files": files}, self.devices[:ranks])
        return {"compares": self.problem.compares_with_reference}

    def cost(self, case: Case) -> Answer:
        """Returns the lower bounds of bytes and operations of a case."""
        declared, operations = self.opened.cost(case)
        return {"bytes": declared, "operations": operations}

    def inputs(self, case: Case, seed: int | None, place: int) -> Answer:
        """Generates the input of a case, and writes it into the staging memory from this place on if it fits."""
        self.data = self.made = None
        self.place = place
        data, described = self.opened.described_inputs(case, seed)
        self.data, self.made = data, (case, seed)
        return self._lay_out(described)

    def _lay_out(self, described: list[Described]) -> Answer:
        """Writes an input into the staging memory if it fits."""
        trees = [tree for tree, _ in described]
        is_new = trees != self.trees
        if is_new:
            self.trees, self.staged = trees, {}
            self.slots = [[slot for slot, _ in placed] for _, placed in described]
        self.sources = [[tensor for _, tensor in placed] for _, placed in described]
        fits = all(self._fits(place, slots) for place, slots in enumerate(self.slots, self.place))
        if fits:
            self.write()
        return {"trees": trees if is_new else None, "written": fits}

    def _fits(self, place: int, slots: list[Slot]) -> bool:
        sizes = self.sizes.get(place, {})
        return all(slot.end <= sizes.get(slot.memory, -1) for slot in slots)

    def stage(self, place: int, memories: list[tuple[str, int]], files: list[int]) -> Answer:
        """Maps new staging memory of a place, and frees the old one."""
        for old in self.memories.pop(place, {}).values():
            self.staged.pop(place, None)
            old.close()
        device = self.devices[place % self.opened.ranks]
        self.memories[place] = {kind: device.share(kind, file, size) for (kind, size), file in zip(memories, files)}
        self.sizes[place] = dict(memories)
        return {}

    def write(self) -> Answer:
        """Writes the input generated last into the staging memory."""
        for rank, sources in enumerate(self.sources):
            targets = self._staged(self.place + rank)
            for source, target in zip(sources[: len(sources) - self.opened.outputs], targets):
                copy_elements(source, target)
            self.devices[rank].synchronize()
        self.sources = []
        return {}

    def _staged(self, place: int) -> list[torch.Tensor]:
        if place not in self.staged:
            memories, slots = self.memories[place], self.slots[place % self.opened.ranks]
            self.staged[place] = [slot.view(memories[slot.memory].raw(slot)) for slot in slots]
        return self.staged[place]

    def _outputs(self, first: int) -> list[torch.Tensor]:
        """Returns the staged outputs of all ranks, from this place on."""
        places = range(first, first + self.opened.ranks)
        return [one for place in places for one in self._staged(place)[-self.opened.outputs :]]

    def check(self, case: Case, seed: int | None, with_expected: bool) -> Answer:
        """Checks the staged outputs for this input. The difference is None where they are correct."""
        data, made = self.data, self.made
        # A check consumes its input.
        self.data = self.made = None
        if made != (case, seed):
            data = self.opened.inputs(case, seed)
        expected = self._outputs(self.opened.ranks) if with_expected else None
        difference = self.opened.check(case, data, self._outputs(0), seed, expected=expected)
        return {"difference": None if difference is None else difference.document()}

    def start_application(self, case: Case, seed: int, open_loop: bool) -> Answer:
        """Starts the application for a case."""
        self.data = self.made = None
        self.place = 0
        self.open_loop = open_loop
        self.program = Program(self.opened, case, seed)
        return self._advance(None)

    def next_call(self) -> Answer:
        """Continues the application with the staged outputs, or in an open loop with the reference's. At its end the
        fault of its results is None where they are close enough."""
        assert self.program is not None
        if self.open_loop:
            return self._advance(reference_outputs(self.opened, self.yielded, self.program.seed))
        return self._advance([one.clone() for one in self._outputs(0)])

    def _advance(self, outputs: list[torch.Tensor] | None) -> Answer:
        program = self.program
        assert program is not None
        try:
            self.yielded = program.advance(outputs)
        except NotJudged as reason:
            if self.open_loop or outputs is None:
                raise
            self.program = None
            return {"fault": fault_of_outputs(self.opened, program.case, program.seed, reason)}
        if self.yielded is not None:
            return self._lay_out([self.opened.described(self.yielded, "application yields")])
        self.program = None
        if self.open_loop:
            return {"fault": None}
        return {"fault": fault_of(self.opened, program.case, program.seed, program.results)}

    def check_call(self) -> Answer:
        """Checks the staged outputs for the input that the application has yielded last."""
        assert self.program is not None
        data, seed = self.yielded, self.program.seed
        difference = self.opened.check({}, clone(data), self._outputs(0), seed, again=lambda: clone(data))
        return {"difference": None if difference is None else difference.document()}


def main(talk: socket.socket, threads: int, processes: bool, devices: Sequence[Device | NoDevice]) -> None:
    """Serves the judge until it closes the connection."""
    torch.set_num_threads(threads)
    # PyTorch's threads keep the affinity that the main thread has when they start; the main thread's is later reduced
    # (`settled`).
    torch.zeros(1 << 17).add_(1)
    wire.send(talk, {"hello": os.getpid(), "processes": processes})
    service = Service(devices)
    while True:
        request, files = wire.receive(talk)
        wire.send(talk, service.answer(request, files))

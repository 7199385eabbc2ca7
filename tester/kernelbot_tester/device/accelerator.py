"""An accelerator: memory shared by its driver, lines kept back until the clock runs, samples taken by the judge."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Callable

import numpy
import torch

from ..failures import NotJudged
from ..worker.choice import DriverChoice
from ..worker.calls import DriverError
from ..worker.driver import Driver
from ..worker.layout import Slot
from ..worker.library import Probes
from .caches import cache_bytes
from .canaries import LINE_BYTES, choose_lines
from .device import Device, Memory
from .host import PROBES, HostMemory, copy
from .telemetry import Reading, Sensors

#: The memory of a device is emptied from its caches by reading so many times their size.
EVICTION = 2


class DeviceMemory:
    """Memory of the device that can be handed out."""

    def __init__(self, driver: Driver, size: int) -> None:
        self.driver = driver
        self.size = max(1, -(-size // driver.granularity)) * driver.granularity
        with contextlib.ExitStack() as undo:
            self.handle = driver.create(self.size)
            undo.callback(driver.release, self.handle)
            self.file = driver.hand_out(self.handle)
            undo.callback(os.close, self.file)
            self.address = driver.map(self.handle, self.size)
            undo.pop_all()

    def raw(self, slot: Slot) -> torch.Tensor:
        """The bytes of a slot as a tensor of uint8."""
        return self.driver.raw(self.address + slot.offset, slot.bytes)

    def close(self) -> None:
        """Gives the memory back. The worker may keep its own mapping until it ends."""
        self.driver.synchronize()
        self.driver.unmap(self.address, self.size)
        self.driver.release(self.handle)
        os.close(self.file)


class Part:
    """What lies in one memory of an arena."""

    def __init__(self, memory: Memory, kind: str, slots: list[Slot], outputs: list[Slot]) -> None:
        self.memory = memory
        self.inputs = [slot for slot in slots if slot.memory == kind and slot not in outputs]
        self.outputs = [slot for slot in outputs if slot.memory == kind]
        size = max((slot.end for slot in [*self.inputs, *self.outputs]), default=0)
        self.shared = memory.raw(Slot(0, size, [size], [1], "uint8", kind))
        #: What is to be shared is made here, so that a line that is kept back is never there to be seen.
        self.private = torch.empty_like(self.shared)
        bytes_of_inputs = max((slot.end for slot in self.inputs), default=0)
        self.lines = self.shared[:bytes_of_inputs].view(-1, LINE_BYTES)
        self.private_lines = self.private[:bytes_of_inputs].view(-1, LINE_BYTES)

    def bytes_of(self, slot: Slot, whole: torch.Tensor) -> torch.Tensor:
        """The bytes of a slot."""
        return whole[slot.offset : slot.offset + slot.bytes]


class AcceleratorContents:
    """Inputs and outputs in the device's memory, and in the host's where the problem wants it so."""

    def __init__(self, device: "Accelerator", slots: list[Slot], memories: dict[str, Memory], outputs: int) -> None:
        self.device = device
        self.slots = slots
        self.buffers = slots[len(slots) - outputs :]
        self.output_bytes = sum(slot.bytes for slot in self.buffers)
        self.parts = {kind: Part(memory, kind, slots, self.buffers) for kind, memory in memories.items()}
        self.random = numpy.random.default_rng(int.from_bytes(os.urandom(16), "little"))
        self.generators = {
            kind: torch.Generator(part.shared.device).manual_seed(int.from_bytes(os.urandom(7), "little"))
            for kind, part in self.parts.items()
        }
        for kind, part in self.parts.items():
            part.private.random_(0, 256, generator=self.generators[kind])
        # Nothing is read in C: the device is no place for a processor's loads.
        self.probes = Probes(None, None, 0)
        self.kept: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
        self.places: dict[str, torch.Tensor] = {}
        self.seen: dict[str, torch.Tensor] = {}
        self.taken: list[torch.Tensor] | None = None

    def fill(self, sources: list[torch.Tensor]) -> None:
        """Writes inputs but for some lines, poisons the outputs and evicts both from the caches."""
        self.taken = None
        rows = {kind: self._rows(part) for kind, part in self.parts.items()}
        before = {kind: part.private_lines[rows[kind]] for kind, part in self.parts.items()}
        for slot, source in zip(self.slots[: len(self.slots) - len(self.buffers)], sources):
            part = self.parts[slot.memory]
            copy(source, slot.view(part.bytes_of(slot, part.private)))
        for kind, part in self.parts.items():
            self.kept[kind] = rows[kind], part.private_lines[rows[kind]]
            part.private_lines[rows[kind]] = before[kind]
            for slot in part.outputs:
                part.bytes_of(slot, part.private).random_(0, 256, generator=self.generators[kind])
            self.places[kind] = self._places(part)
            part.shared.copy_(part.private)
            # The private copy is whole again: the next call keeps back what this one has shown.
            part.private_lines[rows[kind]] = self.kept[kind][1]
        self.device.evict()
        for part in self.parts.values():
            if isinstance(part.memory, HostMemory):
                part.memory.evict_all()
        self.device.synchronize()

    def _rows(self, part: Part) -> torch.Tensor:
        rows = choose_lines([(slot.offset, slot.bytes) for slot in part.inputs], self.random)
        return torch.from_numpy(rows).to(part.shared.device)

    def _places(self, part: Part) -> torch.Tensor:
        places = [slot.offset + self.random.integers(slot.bytes, size=PROBES) for slot in part.outputs if slot.bytes]
        return torch.from_numpy(numpy.concatenate([numpy.zeros(0, numpy.int64), *places])).to(part.shared.device)

    def reveal(self) -> None:
        """Shows the lines that were kept back."""
        for kind, part in self.parts.items():
            rows, lines = self.kept[kind]
            part.lines.index_copy_(0, rows, lines)
        self.device.synchronize()

    def hold(self) -> bool:
        """Takes samples of the outputs and waits for them. Work of the worker that still runs is either waited for
        too, or is seen to be unfinished."""
        self.seen = {kind: part.shared[self.places[kind]] for kind, part in self.parts.items()}
        self.device.synchronize()
        return True

    def changed_since_done(self) -> bool:
        """At first: takes the outputs, and whether they differ from the samples. Then: whether they differ from what
        was taken."""
        now = [self.parts[slot.memory].bytes_of(slot, self.parts[slot.memory].shared) for slot in self.buffers]
        if self.taken is not None:
            return any(not torch.equal(one, other) for one, other in zip(now, self.taken))
        self.taken = [one.clone() for one in now]
        self.device.synchronize()
        return any(not torch.equal(part.shared[self.places[kind]], self.seen[kind]) for kind, part in self.parts.items())

    def outputs_now(self) -> list[torch.Tensor]:
        """What was taken."""
        assert self.taken is not None
        return [slot.view(one) for slot, one in zip(self.buffers, self.taken)]


class Accelerator:
    """A device with a driver of its own. Opened once, in the judge, which forks no more from then on. `visible`: what a
    worker calls it; `number`: of several that the judge opens; `sibling` gives the device of another number."""

    kind = "accelerator"

    def __init__(
        self,
        choice: DriverChoice,
        sensors: Sensors | None,
        visible: str | None,
        number: int | None,
        sibling: Callable[[int], Device],
    ) -> None:
        self.choice = choice
        self.sensors = sensors
        self.name = choice.tensors
        self.visible = visible
        self.number = number
        self.sibling = sibling

    def of_rank(self, rank: int) -> Device:
        """The device of a rank. Raises NotJudged where there are not so many."""
        return self.sibling(rank)

    def start(self) -> None:
        """Opens the device. Raises NotJudged."""
        if torch.cuda.is_initialized() and not self.number:
            raise NotJudged("the accelerator was opened before the judge had a process of its own")
        try:
            self.driver = Driver(self.choice, self.number)
            self.cache_bytes = cache_bytes(self.driver)
            self.cold = torch.zeros(EVICTION * self.cache_bytes // 8, dtype=torch.int64, device=self.driver.place)
            self.synchronize()
        except (DriverError, OSError, RuntimeError) as error:
            raise NotJudged(f"the judge cannot open the accelerator: {error}") from None

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """A tensor on the device lies in its memory, one on the processor in the host's."""
        return self.choice.memory_of(tensor)

    def allocate(self, memory: str, size: int) -> Memory:
        """New memory. Raises NotJudged when there is none left."""
        try:
            return DeviceMemory(self.driver, size) if memory == "device" else HostMemory(size)
        except DriverError as error:
            raise NotJudged(f"the judge cannot get {size} bytes of the accelerator's memory: {error}") from None

    def contents(self, slots: list[Slot], memories: dict[str, Memory], outputs: int) -> AcceleratorContents:
        """The contents of an arena."""
        return AcceleratorContents(self, slots, memories, outputs)

    def evict(self) -> None:
        """Empties the device's caches. What is read takes the place of what was written, and needs no writing back
        while a kernel is timed."""
        self.driver.forget_persisting_lines()
        self.cold.sum()

    def synchronize(self) -> None:
        """Waits for all that this process asked of the device."""
        self.driver.synchronize()

    def reading(self) -> Reading | None:
        """How the device is now."""
        return None if self.sensors is None else self.sensors.read()

    def for_worker(self) -> dict[str, Any] | None:
        """The driver, which a worker opens in its cell."""
        return {"driver": list(self.choice), "visible": self.visible}

"""An accelerator: memory shared through its driver, some input lines withheld until the clock runs, samples taken by
the judge."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Callable, Sequence

import numpy
import torch

from ..failures import Failed, NotJudged
from ..judge.statistics import median
from ..worker.driver import Driver
from ..worker.driver_calls import DriverError
from ..worker.driver_choice import DriverChoice
from ..worker.layout import SHIFT_BYTES, Slot
from ..worker.library import Probes
from ..worker.memory import copy_elements
from ..worker.protocol import DeviceRequest
from .caches import cache_bytes
from .canaries import LINE_BYTES, LINES, choose_lines
from .device import Device, Memory
from .host import PROBES, HostMemory
from .telemetry import Reading, Sensors

#: Amount of memory that is read to evict a device's caches, as a multiple of their size.
EVICTION = 2
#: Size of the work by which the judge sees whether the device is idle, number of such probes when it is opened, and what
#: a probe may take beyond twice their median, in nanoseconds.
PROBE_WORDS, PROBES_OF_IDLE, IDLE_NS = 1024, 20, 50_000
#: How long work that a stopped worker has left on the device may run on, in nanoseconds.
LEFT_WORK_NS = 2_000_000_000


class DeviceMemory:
    """Device memory that can be exported to another process."""

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
        """Returns the bytes of a slot as a tensor of uint8."""
        return self.driver.raw(self.address + slot.offset, slot.bytes)

    def close(self) -> None:
        """Frees the memory. The worker may keep its own mapping until it ends."""
        self.driver.synchronize()
        self.driver.unmap(self.address, self.size)
        self.driver.release(self.handle)
        os.close(self.file)


class Gate:
    """A word in device memory that a worker's stream waits for."""

    def __init__(self, driver: Driver) -> None:
        self.memory = DeviceMemory(driver, 4)
        self.word = self.memory.raw(Slot(0, 4, [4], [1], "uint8", "device")).view(torch.int32)
        self.number = 0
        self.word.zero_()
        driver.synchronize()

    def open(self) -> None:
        """Lets the next burst start."""
        self.number += 1
        self.word.fill_(self.number)

    def close(self) -> None:
        """Frees the memory."""
        self.memory.close()


class Part:
    """The slots of an arena in one memory."""

    def __init__(self, memory: Memory, kind: str, slots: list[Slot], outputs: list[Slot]) -> None:
        self.memory = memory
        self.inputs = [slot for slot in slots if slot.memory == kind and slot not in outputs]
        self.outputs = [slot for slot in outputs if slot.memory == kind]
        size = max((slot.end for slot in [*self.inputs, *self.outputs]), default=0)
        self.whole = memory.raw(Slot(0, size + SHIFT_BYTES, [size + SHIFT_BYTES], [1], "uint8", kind))
        #: Private copy, in which the content is prepared, so that a withheld line never appears in shared memory.
        self.private = torch.empty_like(self.whole[:size])
        self.bytes_of_inputs = max((slot.end for slot in self.inputs), default=0)
        self.private_lines = self.private[: self.bytes_of_inputs].view(-1, LINE_BYTES)
        self.move(0)

    def move(self, shift: int) -> None:
        """Moves the shared copy to `shift` bytes behind the start of the memory."""
        self.shared = self.whole[shift : shift + len(self.private)]
        self.lines = self.shared[: self.bytes_of_inputs].view(-1, LINE_BYTES)

    def bytes_of(self, slot: Slot, whole: torch.Tensor) -> torch.Tensor:
        """Returns the bytes of a slot."""
        return whole[slot.offset : slot.offset + slot.bytes]


class AcceleratorContents:
    """Inputs and outputs in the device's memory, and in the host's where the problem puts them there."""

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
        # No probes for the C code: the processor does not read device memory.
        self.probes = Probes(None, None, 0)
        self.kept: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
        self.places: dict[str, torch.Tensor] = {}
        self.seen: dict[str, torch.Tensor] = {}
        self.taken: list[torch.Tensor] | None = None

    def move(self, shift: int) -> None:
        """Moves the inputs and outputs to `shift` bytes behind the start of their memories."""
        for part in self.parts.values():
            part.move(shift)

    def fill(self, sources: list[torch.Tensor], burst: bool = False) -> None:
        """Writes the inputs except some withheld lines, poisons the outputs and evicts both from the caches. `burst`:
        withholds the inputs completely, and evicts nothing."""
        self.taken = None
        rows: dict[str, torch.Tensor] = {}
        for kind, part in self.parts.items():
            rows[kind], self.places[kind] = self._choose(part, 0 if burst else LINES)
        before = {kind: part.private_lines[rows[kind]] for kind, part in self.parts.items()}
        for slot, source in zip(self.slots[: len(self.slots) - len(self.buffers)], sources):
            part = self.parts[slot.memory]
            copy_elements(source, slot.view(part.bytes_of(slot, part.private)))
        for kind, part in self.parts.items():
            self.kept[kind] = rows[kind], part.private_lines[rows[kind]]
            part.private_lines[rows[kind]] = before[kind]
            for slot in part.outputs:
                part.bytes_of(slot, part.private).random_(0, 256, generator=self.generators[kind])
            written = slice(part.bytes_of_inputs if burst else 0, None)
            part.shared[written].copy_(part.private[written])
            # The private copy is complete again, so that lines withheld in the next call contain this call's input.
            part.private_lines[rows[kind]] = self.kept[kind][1]
        if burst:
            return
        self.device.evict()
        for part in self.parts.values():
            if isinstance(part.memory, HostMemory):
                part.memory.evict_all()
        self.device.synchronize()

    def _choose(self, part: Part, lines: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns random lines of the inputs and random places of the outputs, which reach the device in one copy."""
        rows = choose_lines([(slot.offset, slot.bytes) for slot in part.inputs], self.random, lines)
        places = [slot.offset + self.random.integers(slot.bytes, size=PROBES) for slot in part.outputs if slot.bytes]
        both = torch.from_numpy(numpy.concatenate([rows, *places])).to(part.shared.device)
        return both[: len(rows)], both[len(rows) :]

    def reveal(self) -> None:
        """Writes the withheld lines."""
        for kind, part in self.parts.items():
            rows, lines = self.kept[kind]
            part.lines.index_copy_(0, rows, lines)

    def hold(self) -> bool:
        """Takes samples of the outputs. Waiting for them also waits for work of the worker that is still running, or the
        samples show that it is unfinished."""
        self.seen = {kind: part.shared[self.places[kind]] for kind, part in self.parts.items()}
        return True

    def changed_since_done(self) -> bool:
        """On the first call: copies the outputs, and returns whether they differ from the samples. On later calls:
        returns whether the outputs differ from the copy."""
        now = [self.parts[slot.memory].bytes_of(slot, self.parts[slot.memory].shared) for slot in self.buffers]
        if self.taken is not None:
            return any(not torch.equal(one, other) for one, other in zip(now, self.taken))
        self.taken = [one.clone() for one in now]
        self.device.synchronize()
        return any(not torch.equal(part.shared[self.places[kind]], self.seen[kind]) for kind, part in self.parts.items())

    def outputs_now(self) -> list[torch.Tensor]:
        """Returns the copied outputs."""
        assert self.taken is not None
        return [slot.view(one) for slot, one in zip(self.buffers, self.taken)]


def reveal_burst(contents: Sequence[AcceleratorContents]) -> None:
    """Writes the inputs of a burst, without a pause in which other work could run on the device."""
    parts = [part for one in contents for part in one.parts.values()]
    shared, private = ([getattr(part, name)[: part.bytes_of_inputs] for part in parts] for name in ("shared", "private"))
    copy_all = getattr(torch, "_foreach_copy_", None)
    if copy_all is not None:
        copy_all(shared, private)
        return
    for target, source in zip(shared, private):
        target.copy_(source)


def waited_for_a_core() -> int:
    """Returns for how long this thread has waited for a core so far, in nanoseconds; 0 where the kernel does not count it."""
    with contextlib.suppress(OSError), open("/proc/thread-self/schedstat", encoding="ascii") as file:
        return int(file.read().split()[1])
    return 0


class Accelerator:
    """A device with its own driver. Opened once, in the judge, which must not fork afterwards. `visible`: a worker's
    name for it; `number`: its ordinal where the judge opens several; `sibling` returns the device of another
    ordinal."""

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
        #: Limit of the time of a probe on the idle device, in nanoseconds; None until it is opened.
        self.idle_ns: int | None = None

    def of_rank(self, rank: int) -> Device:
        """Returns the device of a rank. Raises NotJudged where there are too few devices."""
        return self.sibling(rank)

    def start(self) -> None:
        """Opens the device. Raises NotJudged."""
        if torch.cuda.is_initialized() and not self.number:
            raise NotJudged("the accelerator was opened before the judge had a process of its own")
        try:
            self.driver = Driver(self.choice, self.number)
            self.cache_bytes = cache_bytes(self.driver)
            self.memory_bytes = self.driver.calls.memory_bytes(self.driver.device)
            self.cold = torch.zeros(EVICTION * self.cache_bytes // 8, dtype=torch.int64, device=self.driver.place)
            self.record_probe = self.driver.recorder(self.driver.new_event())
            self.synchronize()
            self.idle_ns = IDLE_NS + 2 * round(median([self._probe() for _ in range(PROBES_OF_IDLE)]))
        except (DriverError, OSError, RuntimeError) as error:
            raise NotJudged(f"the judge cannot open the accelerator: {error}") from None

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """Returns the memory that holds a tensor: `device` for one on the device, `host` for one on the processor."""
        return self.choice.memory_of(tensor)

    def allocate(self, memory: str, size: int) -> Memory:
        """Allocates memory. Raises NotJudged when none is left."""
        if memory != "device":
            return HostMemory(size)
        try:
            try:
                return DeviceMemory(self.driver, size)
            except DriverError:
                # PyTorch keeps memory that the judge has freed.
                torch.cuda.empty_cache()
                return DeviceMemory(self.driver, size)
        except DriverError as error:
            raise NotJudged(f"the judge cannot get {size} bytes of the accelerator's memory: {error}") from None

    def contents(self, slots: list[Slot], memories: dict[str, Memory], outputs: int) -> AcceleratorContents:
        """Returns the contents of an arena."""
        return AcceleratorContents(self, slots, memories, outputs)

    def evict(self) -> None:
        """Evicts the device's caches. Lines that are read replace lines that were written, and need no write-back
        while a kernel is timed."""
        self.driver.forget_persisting_lines()
        self.cold.sum()

    def synchronize(self) -> None:
        """Waits for all work that this process has submitted to the device."""
        self.driver.synchronize()

    def drain(self) -> int:
        """Waits until a little work of the judge's own takes no longer than on the idle device: work that a stopped worker
        has left there would slow down the call after it. Returns for how long other work was there, in
        nanoseconds. Raises Failed where it does not end."""
        if self.idle_ns is None:
            return 0
        late_ns = 0
        while (took_ns := self._probe()) > self.idle_ns:
            late_ns += took_ns
            if late_ns > LEFT_WORK_NS:
                raise Failed("rejected", f"the submission left work on the device that ran on for {LEFT_WORK_NS // 10**9} s")
        return late_ns

    def _probe(self) -> int:
        """Returns how long a little work on the device takes, in nanoseconds, without the time for which this thread waits
        for a core."""
        start_ns = time.monotonic_ns() - waited_for_a_core()
        self.cold[:PROBE_WORDS].sum()
        self.record_probe()
        self.synchronize()
        return time.monotonic_ns() - waited_for_a_core() - start_ns

    def reading(self) -> Reading | None:
        """Returns the current condition of the device; None without sensors."""
        return None if self.sensors is None else self.sensors.read()

    def for_worker(self) -> DeviceRequest:
        """Returns the driver and device name with which a worker opens it in its cell."""
        return {"driver": list(self.choice), "visible": self.visible}

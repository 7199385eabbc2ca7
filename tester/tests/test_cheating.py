"""Kernels that try to appear correct or fast without being so."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
import threading
import time
import unittest
from typing import NoReturn

import numpy
from support import ADDITION, RIGHT, TESTER, Event, JudgeTest, TesterProcess, job

from kernelbot_tester.processes.worker_process import Worker
from kernelbot_tester.sandbox.native_library import native
from kernelbot_tester.worker.library import CHANNEL_BYTES, DONE_OFFSET, Probes, Sequence

#: Finds the words that judge and worker share, as a submission that knows this tester could.
CHANNEL = """
import ctypes, sys, threading, time, torch

def find(name):
    frame = sys._getframe()
    while frame is not None:
        if name in frame.f_locals:
            return frame.f_locals[name]
        frame = frame.f_back

native = find("native")
words = find("words")
"""


def fastest(events: list[dict], who: str = "candidateNs") -> int:
    """Returns the shortest time of a timed stage, in nanoseconds."""
    return min(
        time for event in events if event["type"] == "case_finished" for one in event["rounds"] for time in one[who]
    )


def work_after_done(channel: mmap.mmap, threads: int) -> NoReturn:
    """Signals completion of order 1, and works on for ever, in this thread or in others."""
    ctypes.c_uint32.from_buffer(channel, DONE_OFFSET).value = 1
    for _ in range(threads):
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join()
    work()


def work() -> NoReturn:
    """Works for ever."""
    while True:
        pass


class ForgedTimes(JudgeTest):
    def test_a_kernel_that_replaces_every_clock_is_timed_correctly(self) -> None:
        source = """
import time, torch
pause = time.sleep
for name in ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns", "process_time"):
    setattr(time, name, lambda: 0)

def custom_kernel(data):
    pause(0.01)
    return torch.add(data[0], data[1], out=data[2])
"""
        events = self.judge(job(source, "benchmark"))
        self.assertEqual("passed", events[-1]["verdict"])
        self.assertGreater(fastest(events), 10_000_000)

    def test_printed_results_are_only_output(self) -> None:
        verdict = {"type": "verdict", "verdict": "passed", "failureClass": None, "message": None, "detail": None}
        lie = json.dumps({"id": "x", "event": verdict})
        source = f"print('''{lie}''', flush=True)\nprint('check: pass')\ndef custom_kernel(data): pass\n"
        self.refuse(job(source), "wrong_result", "127 of 127 elements differ")

    def test_an_early_completion_is_wrong_and_not_fast(self) -> None:
        # The thread signals completion of every future order while the kernel sleeps.
        source = CHANNEL + """
def forge():
    for number in range(1, 1_000_000):
        native.kb_say_done(words, number % 50, 0)

threading.Thread(target=forge, daemon=True).start()

def custom_kernel(data):
    time.sleep(0.05)
    return torch.add(data[0], data[1], out=data[2])
"""
        self.assertEqual("failed", self.judge(job(source, "benchmark"))[-1]["verdict"])

    def test_an_output_written_after_done_is_rejected_or_wrong(self) -> None:
        # Signals completion of the current order, and works afterwards.
        source = CHANNEL + """
def current():
    return ctypes.c_uint32.from_address(words).value

def custom_kernel(data):
    native.kb_say_done(words, current(), 0)
    end = time.perf_counter() + 0.000005
    while time.perf_counter() < end: pass
    torch.add(data[0], data[1], out=data[2])
"""
        big = [{"size": 1 << 20, "seed": 1}]
        verdict = self.judge(job(source, "benchmark", benchmarks=big))[-1]
        self.assertIn(verdict["failureClass"], ("rejected", "wrong_result"))

    def test_the_clock_stops_when_the_outputs_were_sampled(self) -> None:
        # A worker can delay the judge's sampling by holes in the pages; sampling many places takes long as well.
        channel, byte = mmap.mmap(-1, CHANNEL_BYTES), ctypes.c_uint8()
        places = numpy.full(10_000_000, ctypes.addressof(byte), dtype=numpy.uint64)
        seen = numpy.zeros(len(places), dtype=numpy.uint8)
        probes = Probes(places.ctypes.data, seen.ctypes.data, len(places))
        words = ctypes.addressof(ctypes.c_char.from_buffer(channel))
        started = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        elapsed = native().kb_watch(words, Sequence(0, [0], [probes]), started, -1, 0, 0)
        # No processor reads a byte in a tenth of a nanosecond.
        self.assertGreater(elapsed, len(places) / 10)

    def test_work_after_the_completion_word_belongs_to_the_call(self) -> None:
        # The worker, in the main thread or in another, has used 20 ms before it is stopped.
        for threads in (0, 1):
            channel = mmap.mmap(-1, CHANNEL_BYTES)
            words = ctypes.addressof(ctypes.c_char.from_buffer(channel))
            child = os.fork()
            if child == 0:
                work_after_done(channel, threads)
            worker = Worker.__new__(Worker)
            worker.pid, worker.pidfd = child, os.pidfd_open(child)
            self.addCleanup(os.waitpid, child, 0)
            self.addCleanup(os.kill, child, signal.SIGKILL)
            folder = os.open(f"/proc/{child}", os.O_RDONLY | os.O_DIRECTORY)
            tasks = os.open("task", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
            sequence = Sequence(1, [0], [Probes(None, None, 0)], worker=child, tasks=tasks)
            started = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            while native().kb_watch(words, sequence, started, -1, 0, 10**6) < 0:
                pass
            while worker.processor_time_ns() < sequence.used_ns + 20_000_000:
                pass
            stopped_ns = ctypes.c_uint64()
            used_ns: int = native().kb_freeze(worker.pidfd, folder, child, 10**10, 20_000, ctypes.byref(stopped_ns))
            worker.stopped_at_ns, worker.stopped_ns = used_ns, stopped_ns.value
            self.assertGreaterEqual(worker.after_ns(sequence.used_ns, sequence.end_ns), 20_000_000)
            # A worker that slept from the word on has used nothing.
            self.assertEqual(0, worker.after_ns(used_ns, sequence.end_ns))

    def test_a_call_is_charged_with_what_it_uses_after_its_word_and_no_more(self) -> None:
        # Processor time of several threads at once takes no longer than the judge saw them run.
        worker = Worker.__new__(Worker)
        worker.stopped_at_ns, worker.stopped_ns = 900, 5_000
        self.assertEqual(300, worker.after_ns(600, 4_000))
        self.assertEqual(100, worker.after_ns(600, 4_900))

    def test_a_thread_that_continues_to_write_is_rejected(self) -> None:
        source = """
import threading, torch
work = []

def scribble():
    while True:
        for out in work: out.add_(1.0)

threading.Thread(target=scribble, daemon=True).start()

def custom_kernel(data):
    work[:] = [data[2]]
"""
        verdict = self.judge(job(source, tests=[{"size": 1 << 20, "seed": 1}] * 5))[-1]
        self.assertIn(verdict["failureClass"], ("rejected", "wrong_result"))

    def test_a_frozen_worker_has_no_thread_that_runs(self) -> None:
        # If it ran between calls, the gap would be short: the judge prepares the next call meanwhile.
        source = """
import threading, time, torch
longest, latest = [0.0], [time.monotonic()]

def watch():
    while True:
        now = time.monotonic()
        longest[0] = max(longest[0], now - latest[0])
        latest[0] = now

threading.Thread(target=watch, daemon=True).start()

def custom_kernel(data):
    # This thread may be the first that runs again.
    print(f"{max(longest[0], time.monotonic() - latest[0]):.3f}")
    longest[0] = 0.0
    return data[0] + data[1]
"""
        slow = ADDITION.replace("    a = torch.rand", "    import time; time.sleep(0.3)\n    a = torch.rand", 1)
        gaps = self.printed(source, reference=slow, tests=[{"size": 1000, "seed": seed} for seed in range(3)]).split()
        self.assertTrue(all(float(gap) > 0.25 for gap in gaps[1:]), gaps)

    def running_although_it_was_stopped(self, calls: float) -> Event:
        """Returns the verdict on a worker that runs between the first `calls` timed calls. A process in the cell
        cannot wake it, so the tester does, while the input is generated."""
        source = RIGHT + """
import threading

def run_on():
    while True:
        pass

threading.Thread(target=run_on, daemon=True).start()
"""
        tester = TesterProcess(command=[str(TESTER / "tests/fake_device/wake.py"), str(calls)])
        try:
            return tester.run(job(source, "benchmark"))[-1]
        finally:
            tester.close()

    def test_a_worker_that_runs_although_it_was_stopped_is_rejected(self) -> None:
        verdict = self.running_although_it_was_stopped(1e9)
        self.assertEqual(("failed", "rejected"), (verdict["verdict"], verdict["failureClass"]), verdict)
        self.assertIn("ran while the judge had stopped it", verdict["message"])

    def test_a_few_calls_in_which_a_worker_left_its_core_late_are_repeated(self) -> None:
        verdict = self.running_although_it_was_stopped(8)
        self.assertEqual("passed", verdict["verdict"], verdict)


class RememberedResults(JudgeTest):
    def test_the_output_of_the_previous_call_is_wrong(self) -> None:
        source = """
import torch
last = None

def custom_kernel(data):
    global last
    if last is None:
        last = data[0] + data[1]
    return last
"""
        self.refuse(job(source, "benchmark"), "wrong_result", "the inputs of this stage are secret")

    def test_an_output_cached_by_the_hash_of_its_input_is_never_requested_again(self) -> None:
        source = """
import torch
known = {}

def custom_kernel(data):
    a, b, c = data
    key = (a.data_ptr(), a.shape, a[:8].tolist().__repr__())
    if key in known:
        print("again")
        return known[key]
    known[key] = a + b
    return known[key]
"""
        events = self.judge(job(source, "benchmark"))
        self.assertEqual("passed", events[-1]["verdict"])
        self.assertEqual([], [event for event in events if event["type"] == "output"])

    def test_an_output_for_the_public_seed_is_wrong_in_a_timed_stage(self) -> None:
        source = """
import torch

def custom_kernel(data):
    generator = torch.Generator().manual_seed(54352)
    size = len(data[0])
    return torch.rand(size, generator=generator) + torch.rand(size, generator=generator)
"""
        self.refuse(job(source, "benchmark"), "wrong_result", "1024 of 1024 elements differ")

    def test_an_output_buffer_never_contains_an_earlier_output(self) -> None:
        # Writes half of the output; the other half was correct in the call before.
        source = """
import torch
calls = 0

def custom_kernel(data):
    global calls
    calls += 1
    a, b, c = data
    half = len(a) // 2 if calls > 1 else len(a)
    torch.add(a[:half], b[:half], out=c[:half])
"""
        self.refuse(job(source, "benchmark"), "wrong_result", "512 of 1024 elements differ")


class ForgedMessages(JudgeTest):
    def test_forged_messages_on_the_workers_socket_gain_nothing(self) -> None:
        for lie in ('{"loaded": true}', '{"done": true}', "[]", "not json", "[" * 100_000, '{"error": 5}'):
            source = CHANNEL + f"""
import struct
sock = find("sock")
body = {lie!r}.encode()
sock.send(struct.pack("<I", len(body)) + body)

def custom_kernel(data):
    pass
"""
            with self.subTest(lie[:20]):
                # Judge and worker may lose synchronisation until the time is up.
                limits = {"prepare": 2, "test": 1, "benchmark": 1, "ranked": 1}
                self.assertEqual("failed", self.judge(job(source, timeoutsS=limits))[-1]["verdict"])

    def test_a_flood_on_the_workers_socket_is_rejected(self) -> None:
        source = CHANNEL + """
find("sock").send(b"\\xff\\xff\\xff\\xff")

def custom_kernel(data):
    pass
"""
        self.refuse(job(source), "rejected", "sent the judge an invalid message on the worker's connection")

    def test_a_worker_that_ends_before_it_has_read_everything_is_a_crash(self) -> None:
        source = """
import os, sys
sys.modules["worker.wire"].receive = lambda sock: os._exit(9)

def custom_kernel(data):
    pass
"""
        self.refuse(job(source), "crash", "ended itself with exit code 9")

    def test_a_worker_that_closes_its_connection_is_rejected(self) -> None:
        source = CHANNEL + """
find("sock").shutdown(2)
time.sleep(60)
"""
        self.refuse(job(source), "rejected", "closed the connection")

    def test_a_failure_without_a_message_is_a_crash(self) -> None:
        source = CHANNEL + """
def custom_kernel(data):
    native.kb_say_done(words, ctypes.c_uint32.from_address(words).value, 1)
    time.sleep(60)
"""
        self.assertEqual("failed", self.judge(job(source))[-1]["verdict"])

    def test_a_worker_cannot_report_its_failure_as_one_of_the_platform(self) -> None:
        source = CHANNEL + """
import json, struct
body = json.dumps({"error": {"class": "infra_error", "message": ["x"], "detail": 7}}).encode()
find("sock").send(struct.pack("<I", len(body)) + body)
"""
        self.refuse(job(source), "crash", "")

    def test_a_replaced_interpreter_gains_nothing(self) -> None:
        source = """
import json, sys, torch
torch.equal = torch.isclose = torch.allclose = lambda *a, **k: True
torch.Tensor.copy_ = lambda *a, **k: None
json.dumps = lambda *a, **k: '{"loaded": true}'

def custom_kernel(data):
    return data[0]
"""
        self.assertEqual("failed", self.judge(job(source))[-1]["verdict"])

    def test_inputs_that_the_kernel_makes_trivial_do_not_change_those_of_the_judge(self) -> None:
        source = """
def custom_kernel(data):
    for tensor in data:
        tensor.zero_()
"""
        self.refuse(job(source), "wrong_result", "127 of 127 elements differ")


class SecretInputs(JudgeTest):
    def test_a_kernel_equal_to_the_reference_takes_about_as_long(self) -> None:
        source = "def custom_kernel(data):\n    a, b, _ = data\n    return a + b\n"
        events = self.judge(job(source, "benchmark", benchmarks=[{"size": 1 << 16, "seed": 1}]))
        ratio = fastest(events) / fastest(events, "referenceNs")
        # Far wider than measured ratios, so that load does not fail the test; a forged clock would.
        self.assertTrue(0.2 < ratio < 5, ratio)


if __name__ == "__main__":
    unittest.main()

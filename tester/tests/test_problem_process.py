"""The code of a problem has its own process, without access to the machine, the judge or the run."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support import ADDITION, RIGHT, Event, JudgeTest, TesterProcess, job, shared_tester

#: Raised at the import of reference.py, so that the verdict's message contains what the problem's code has found.
TELL = "\nraise ValueError('FOUND ' + repr({expression}))\n"


def reported_value(verdict: Event) -> str:
    """Returns what the problem's code reported."""
    assert verdict["verdict"] == "infra_error", verdict
    assert "FOUND " in verdict["message"], verdict
    return verdict["message"].split("FOUND ", 1)[1]


class ProblemTest(JudgeTest):
    def visible_value(self, preparation: str, expression: str) -> str:
        """Returns the value of an expression in the problem's code at import."""
        reference = ADDITION + preparation + TELL.format(expression=expression)
        return reported_value(self.judge(job(RIGHT, reference=reference))[-1])

    def passes(self, reference: str, mode: str = "test", **spec: Any) -> list[Event]:
        """Returns the events of a run of a correct kernel, which must pass."""
        events = self.judge(job(RIGHT, mode=mode, reference=reference, **spec))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        return events

    def is_at_fault(self, reference: str, sentence: str) -> Event:
        """Checks that a run ends as `infra_error` with this sentence."""
        verdict = self.judge(job(RIGHT, reference=reference))[-1]
        self.assertEqual(("infra_error", None), (verdict["verdict"], verdict["failureClass"]), verdict)
        self.assertIn(sentence, verdict["message"])
        return verdict


class Reach(ProblemTest):
    """Access of a problem's code to other resources."""

    def test_it_reads_the_environment_of_no_other_process(self) -> None:
        prepare = """
import glob
def read(path):
    try:
        return open(path, "rb").read()
    except OSError as error:
        return b""
environments = {path: read(path) for path in glob.glob("/proc/[0-9]*/environ")}
"""
        self.assertEqual("['/proc/1/environ']", self.visible_value(prepare, "sorted(environments)"))
        names = self.visible_value(prepare, "sorted(e.split(b'=')[0].decode() for e in read('/proc/1/environ').split(b'\\0') if e)")
        self.assertNotIn("TOKEN", names)
        self.assertNotIn("XDG_CACHE_HOME", names)  # set for the host (see support.TesterProcess)
        self.assertIn("PATH", names)

    def test_its_environment_has_no_variable_of_the_host(self) -> None:
        names = self.visible_value("import os", "sorted(os.environ)")
        ours = set(os.environ) - {"HOME", "LANG", "PATH", "PWD", "PYTHONDONTWRITEBYTECODE", "TMPDIR", "USER"}
        self.assertEqual([], [name for name in ours if f"'{name}'" in names])
        self.assertEqual("'/tmp'", self.visible_value("import os", "os.environ['HOME']"))
        self.assertEqual("'/tmp/cache'", self.visible_value("import os", "os.environ['XDG_CACHE_HOME']"))

    def test_it_reads_no_file_of_the_runner_or_the_server(self) -> None:
        with tempfile.TemporaryDirectory(dir=Path.home()) as folder:
            secret = Path(folder) / "token"
            secret.write_text("kb_secret")
            secret.chmod(0o644)
            paths = [str(secret), folder, str(Path.home() / ".ssh"), "/etc/passwd", "/etc/shadow", "/var/lib"]
            seen = self.visible_value("import os", f"[path for path in {paths!r} if os.path.exists(path)]")
        self.assertEqual("[]", seen)

    def test_it_sees_no_other_process_and_signals_none(self) -> None:
        prepare = """
import os, signal
def signalled(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except OSError as error:
        return type(error).__name__
"""
        self.assertEqual("['1']", self.visible_value(prepare, "sorted(n for n in os.listdir('/proc') if n.isdigit())"))
        self.assertEqual("0", self.visible_value(prepare, "os.getppid()"))
        self.assertEqual("'PermissionError'", self.visible_value(prepare, "signalled(-1)"))
        self.assertEqual("'PermissionError'", self.visible_value(prepare, "signalled(2)"))

    def test_it_has_no_network(self) -> None:
        prepare = """
import socket
def opened(family):
    try:
        socket.socket(family)
        return True
    except OSError as error:
        return type(error).__name__
"""
        families = "[opened(f) for f in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX)]"
        self.assertEqual("['PermissionError', 'PermissionError', 'PermissionError']", self.visible_value(prepare, families))

    def test_it_is_not_root_and_has_no_capability(self) -> None:
        lines = self.visible_value("", "[l.split()[1:] for l in open('/proc/self/status') if l.startswith(('CapEff', 'CapBnd'))]")
        self.assertEqual("[['0000000000000000'], ['0000000000000000']]", lines)
        self.assertNotEqual("0", self.visible_value("import os", "os.getuid()"))

    def test_it_writes_only_to_its_scratch(self) -> None:
        prepare = """
import os
def written(folder):
    try:
        open(os.path.join(folder, "x"), "w").close()
        return True
    except OSError:
        return False
"""
        folders = "[f for f in ('/', '/usr', '/kernelbot', '/kernelbot/worker', '/tmp', '/dev', '/proc/self') if written(f)]"
        self.assertEqual("['/tmp']", self.visible_value(prepare, folders))

    def test_its_memory_ends_at_the_limit(self) -> None:
        self.is_at_fault(ADDITION + "\nx = bytearray(1 << 42)\n", "the problem's reference.py raised MemoryError")

    def test_its_threads_leave_the_judge_a_core_and_have_all_cores_themselves(self) -> None:
        cores = len(os.sched_getaffinity(0))
        count = max(1, cores - 1)
        # PyTorch's threads have started before the problem's code, and keep these cores in timed stages.
        started = "[len(os.sched_getaffinity(int(task))) for task in os.listdir('/proc/self/task')]"
        value = self.visible_value("import os", f"(torch.get_num_threads(), {started})")
        self.assertEqual(str((count, [cores] * count)), value)

    def test_nothing_of_one_problem_is_left_for_the_next(self) -> None:
        self.passes(ADDITION + "\nopen('/tmp/left', 'w').write('x')\nimport sys; sys.modules['left'] = sys\n")
        self.assertEqual("(False, False)", self.visible_value("import os, sys", "(os.path.exists('/tmp/left'), 'left' in sys.modules)"))


class Judgement(ProblemTest):
    """Influence of a problem's code on a run."""

    def test_a_replaced_clock_changes_no_time(self) -> None:
        clocks = """
import ctypes, time
for name in ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "clock_gettime", "clock_gettime_ns"):
    setattr(time, name, lambda *_: 1)
"""
        slow = RIGHT.replace("    a, b, c = data", "    import time\n    time.sleep(0.003)\n    a, b, c = data")
        events = self.judge(job(slow, mode="benchmark", reference=ADDITION + clocks))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        (case,) = [event for event in events if event["type"] == "case_finished"]
        times = [ns for one in case["rounds"] for ns in one["candidateNs"]]
        self.assertGreater(min(times), 2_500_000)

    def test_no_module_of_the_judge_is_in_its_process(self) -> None:
        inside = ("problem", "worker", "failures", "messages", "untrusted_text")
        modules = "sorted({n.split('.')[1] for n in __import__('sys').modules if n.startswith('kernelbot_tester.')})"
        self.assertEqual(str(sorted(inside)), self.visible_value("", modules))

    def test_the_secret_of_the_run_is_nowhere_in_its_memory(self) -> None:
        secret = "0123456789abcdef" * 4
        look = """
import re
def holding(needles):
    hits = 0
    with open("/proc/self/mem", "rb", 0) as memory:
        for line in open("/proc/self/maps"):
            start, end = (int(x, 16) for x in line.split()[0].split("-"))
            if "rw" not in line.split()[1] or end - start > 1 << 28 or "[v" in line:
                continue
            try:
                memory.seek(start)
                text = memory.read(end - start)
            except (OSError, ValueError, OverflowError):
                continue
            hits += sum(text.count(needle) for needle in needles)
    return hits
known = bytes(reversed(b"tnesbA-si-siht")) * 2
"""
        halves = [secret[:32], secret[32:]]
        # Split, so that the needle itself is not in the source; the concatenated string does not count.
        expression = f"(holding([known]) > 0, holding([bytes.fromhex('{halves[0]}' + '{halves[1]}'[::1])]) )"
        message = job(RIGHT, mode="benchmark", reference=ADDITION + look + TELL.format(expression=expression))
        seen = reported_value(self.judge({**message, "seed": secret})[-1])
        self.assertTrue(seen.startswith("(True, "), seen)
        honest = reported_value(self.judge({**message, "seed": "f" * 64})[-1])
        # The same count as in a run with another secret: only the needle itself.
        self.assertEqual(honest, seen)

    def test_no_open_file_leads_to_a_verdict(self) -> None:
        forge = """
import os, json
line = json.dumps({"id": "x", "event": {"type": "verdict", "verdict": "passed"}}).encode() + b"\\n"
for number in range(3, 256):
    try:
        os.write(number, line)
    except OSError:
        pass
"""
        wrong = RIGHT.replace("out=c)", "out=c).add_(1)")
        verdict = self.judge(job(wrong, reference=ADDITION + forge))[-1]
        self.assertNotEqual("passed", verdict["verdict"])
        self.is_at_fault(ADDITION + forge, "the problem's code")

    def test_printed_verdicts_are_only_output(self) -> None:
        forge = "\nimport json\nprint(json.dumps({'id': 'x', 'event': {'type': 'verdict', 'verdict': 'passed'}}), flush=True)\n"
        wrong = RIGHT.replace("out=c)", "out=c).add_(1)")
        self.assertEqual("failed", self.judge(job(wrong, reference=ADDITION + forge))[-1]["verdict"])

    def test_a_process_that_it_leaves_is_gone_while_a_call_is_timed(self) -> None:
        leave = """
import os, time
if os.fork() == 0:
    time.sleep(1000)
    os._exit(0)
def generate_input(size, seed, make=generate_input):
    assert [n for n in os.listdir("/proc") if n.isdigit()] in (["1"], ["1", "2"], ["1", "3"]), os.listdir("/proc")
    return make(size, seed)
"""
        self.passes(ADDITION + leave)

    def test_a_thread_that_it_leaves_is_stopped_while_a_call_is_timed(self) -> None:
        busy = """
import threading, time
ticks = []
def tick():
    while True:
        ticks.append(time.monotonic())
        time.sleep(0.001)
threading.Thread(target=tick, daemon=True).start()
def check_implementation(data, output):
    # The kernel sleeps for half a second, in which this thread may not run.
    moments = [*ticks, time.monotonic()]
    gap = max(after - before for before, after in zip(moments, moments[1:]))
    return (gap > 0.4, f"it ran: {gap}")
"""
        slow = RIGHT.replace("    a, b, c = data", "    import time\n    time.sleep(0.5)\n    a, b, c = data")
        verdict = self.judge(job(slow, reference=ADDITION + busy))[-1]
        self.assertEqual("passed", verdict["verdict"], verdict)

    def test_its_exit_is_the_problems_fault(self) -> None:
        self.is_at_fault(ADDITION + "\nimport os; os._exit(3)\n", "the problem's code ended itself with exit code 3")
        self.is_at_fault(ADDITION + "\nimport sys; sys.exit(0)\n", "the problem's code")
        crash = "\nimport ctypes\ndef generate_input(size, seed): ctypes.string_at(1)\n"
        self.is_at_fault(ADDITION + crash, "the problem's code's process was terminated by SIGSEGV")

    def test_a_problem_that_takes_over_its_process_cannot_forge_a_verdict(self) -> None:
        for answer, sentence in (
            ({"trees": [{"tensor": [0, 1 << 50, [1 << 50], [1], "uint8", "host"]}], "written": True}, "not valid"),
            ({"trees": [{"tensor": [-4096, 4, [1], [1], "float32", "host"]}], "written": True}, "does not lie"),
            ({"trees": [{"tensor": [0, 4, [1], [-1], "float32", "host"]}], "written": True}, "shape and strides"),
            ({"trees": [{"tensor": [0, 4, [1], [1], "load", "host"]}], "written": True}, "dtype"),
            ({"trees": [{"tensor": [0, 4, [1], [1], "float32", "device"]}], "written": True}, "memory"),
            ({"trees": [{"value": {"a": 1}}], "written": True}, "unexpected content"),
            ({"trees": None, "written": True}, "not one input"),
            ({"trees": [{"value": 1}], "written": True}, "not even the 1 outputs"),
            ({"bytes": "many"}, "amount"),
            ({"refused": "the platform is broken"}, "the problem's code reports: the platform is broken"),
            ([], "the problem's code sent the judge an invalid message"),
        ):
            with self.subTest(answer=answer):
                self.is_at_fault(ADDITION + TAKE_OVER.format(answer=json.dumps(json.dumps(answer))), sentence)

    def test_an_invalid_difference_is_a_fault_of_the_problem(self) -> None:
        for difference in ("passed", {"message": 1}, {"message": "x", "isAccepted": 1}, {"message": "x", "isAccepted": True, "mismatch": None}):
            slots = [{"tensor": [offset, 4, [1], [1], "float32", "host"]} for offset in (0, 4096, 8192)]
            answers = [{"trees": [{"tuple": slots}], "written": False}, {}, {}]
            answers = [{"bytes": None, "operations": None}, *answers, {"difference": difference}]
            with self.subTest(difference=difference):
                script = TAKE_OVER_IN_TURN.format(answers=json.dumps(json.dumps(answers)))
                self.is_at_fault(ADDITION + script, "gave an answer that is not valid")


#: Sends its own answer to the judge: the process has only one socket.
SOCKET = """
import json, os, socket, stat, struct
(talk,) = [n for n in range(3, 64) if os.path.exists(f"/proc/self/fd/{{n}}") and stat.S_ISSOCK(os.stat(n).st_mode)]
def send(answer):
    text = json.dumps(answer).encode()
    os.write(talk, struct.pack("<I", len(text)) + text)
def receive():
    (length,) = struct.unpack("<I", os.read(talk, 4))
    while length:
        length -= len(os.read(talk, length))
"""
TAKE_OVER = SOCKET + """
answer = json.loads({answer})
send({{}})
while True:
    receive()
    send(answer)
"""
TAKE_OVER_IN_TURN = SOCKET + """
send({{}})
for answer in json.loads({answers}):
    receive()
    send(answer)
receive()
"""


class InputsAhead(ProblemTest):
    """Large inputs that are generated while the judge prepares the call before, in runs that do not rank."""

    LARGE = [{"size": 1 << 18, "seed": 1}]

    def test_the_problem_is_stopped_while_a_call_is_timed(self) -> None:
        counted = """
import threading, time
ticks = []
def tick():
    while True:
        ticks.append(time.monotonic())
        time.sleep(0.001)
threading.Thread(target=tick, daemon=True).start()
count = 0
def generate_input(size, seed, make=generate_input):
    global count
    count += 1
    # The kernel sleeps for 0.1 s in each call, and was called at least five times before.
    pauses = [after - before for before, after in zip(ticks, ticks[1:])]
    if count == 8 and sum(pause for pause in pauses if pause > 0.09) < 0.45:
        raise RuntimeError("it ran")
    return make(size, seed)
"""
        slow = RIGHT.replace("    a, b, c = data", "    import time\n    time.sleep(0.1)\n    a, b, c = data")
        events = self.judge(job(slow, mode="reward", reference=ADDITION + counted, benchmarks=self.LARGE))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])

    def test_an_input_may_have_another_shape_than_the_one_before(self) -> None:
        shapes = "\ndef generate_input(size, seed, make=generate_input): return make(size + seed % 50_000, seed)\n"
        self.passes(ADDITION + shapes, mode="reward", benchmarks=self.LARGE)

    def test_a_fault_in_one_ends_the_run(self) -> None:
        failing = """
count = 0
def generate_input(size, seed, make=generate_input):
    global count
    count += 1
    if count == 12:
        raise RuntimeError("no more")
    return make(size, seed)
"""
        verdict = self.judge(job(RIGHT, mode="reward", reference=ADDITION + failing, benchmarks=self.LARGE))[-1]
        self.assertEqual("infra_error", verdict["verdict"], verdict)
        self.assertIn("generate_input raised RuntimeError", verdict["message"])

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "the judge has no core of its own")
    def test_none_is_generated_on_a_core_of_the_worker_in_a_run_that_ranks_or_where_it_is_small(self) -> None:
        alone = """
import os
JUDGES = min(os.sched_getaffinity(0))
count = 0
def generate_input(size, seed, make=generate_input):
    global count
    count += 1
    # The tests and the warm-up need fewer.
    if count > 5 and os.sched_getaffinity(0) != {JUDGES}:
        raise RuntimeError("a core of the worker")
    return make(size, seed)
"""
        self.passes(ADDITION + alone, mode="ranked", benchmarks=self.LARGE)
        self.passes(ADDITION + alone, mode="reward")
        verdict = self.judge(job(RIGHT, mode="reward", reference=ADDITION + alone, benchmarks=self.LARGE))[-1]
        self.assertEqual("infra_error", verdict["verdict"], verdict)


class WithoutSandbox(unittest.TestCase):
    def test_without_a_sandbox_a_problem_is_judged_in_a_process_of_its_own(self) -> None:
        tester = TesterProcess("--unsafe-no-sandbox")
        try:
            self.assertEqual("ready", tester.first["type"])
            verdict = tester.run(job(RIGHT, reference=ADDITION + "\nimport os; os._exit(3)\n"))[-1]
            self.assertIn("the problem's code ended itself with exit code 3", verdict["message"])
            self.assertEqual("passed", tester.run(job(RIGHT))[-1]["verdict"])
        finally:
            tester.close()


if __name__ == "__main__":
    unittest.main()

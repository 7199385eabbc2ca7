"""The findings of the static review, their absence in legitimate code, and its robustness against hostile sources."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Callable
from unittest import mock

from support import RIGHT, TESTER, JudgeTest, TesterProcess, job

from kernelbot_tester.review import MAX_FINDINGS, MAX_SOURCE_BYTES, ReviewFinding, review
from kernelbot_tester.review import review_process
from kernelbot_tester.review.names import Names
from kernelbot_tester.review.rules import LISTED
from kernelbot_tester.review.source import MAX_TOKENS

PROBLEMS = TESTER.parent / "problems"


def findings_of(source: str) -> dict[str, str]:
    """Returns the rules with a finding, with their severities."""
    return {finding.rule: finding.severity for finding in review(source)}


class Rules(unittest.TestCase):
    """For each rule, a source with a finding, and a similar one without."""

    def tells(self, rule: str, severity: str, *sources: str) -> None:
        for source in sources:
            with self.subTest(source):
                self.assertEqual(severity, findings_of(source).get(rule))

    def is_silent(self, *sources: str) -> None:
        for source in sources:
            with self.subTest(source):
                self.assertEqual({}, findings_of(source))

    def test_writing_to_descriptors(self) -> None:
        self.tells(
            "channel.descriptor",
            "suspicious",
            "import os\nos.write(3, b'x')",
            "from os import write as w\nw(3, b'x')",
            "import os\nos.fdopen(4, 'w')",
        )
        self.is_silent("import os\nos.path.join('a', 'b')", "class F:\n    def write(self, n): ...\nF().write(3)")

    def test_printed_results(self) -> None:
        self.tells(
            "channel.result_text",
            "suspicious",
            "print('check: pass')",
            "import json\nprint(json.dumps({'verdict': 'passed'}))",
            "import sys\nsys.stdout.write('benchmark.' + '0.mean: 1')",
        )
        self.is_silent("print('the shape', 3)", "text = 'check: pass'", "print('test 1 done')")

    def test_output_that_is_replaced(self) -> None:
        self.tells(
            "channel.stdout",
            "suspicious",
            "import sys\nsys.stdout = None",
            "from sys import *\nimport sys\nsys.stderr = 0",
        )
        self.is_silent("import sys\nout = sys.stdout", "class A: pass\na = A()\na.stdout = 1")

    def test_frames(self) -> None:
        self.tells(
            "frames.walk",
            "suspicious",
            "import sys\nsys._getframe(1)",
            "import inspect as i\ni.stack()",
            "def f(e): return e.__traceback__.tb_frame",
            "def f(x): return getattr(x, 'f_' + 'back')",
            "from inspect import *",
        )
        self.is_silent(
            "import inspect\ninspect.signature(len)", "import sys\nsys.version_info", "f_back = 1\nprint(f_back + 1)"
        )

    def test_the_collector(self) -> None:
        self.tells("memory.collector", "suspicious", "import gc\ngc.get_objects()", "object.__subclasses__()")
        self.is_silent("import gc\ngc.disable()", "import gc\ngc.collect()")

    def test_raw_memory_and_the_c_library(self) -> None:
        self.tells(
            "memory.address", "suspicious", "import ctypes\nctypes.string_at(1, 2)", "def f(t): t.from_address(5)"
        )
        self.tells(
            "memory.libc", "warning", "import ctypes\nctypes.CDLL(None)", "import ctypes\nctypes.CDLL('libc.so.6')"
        )
        self.is_silent("import ctypes\nlib = ctypes.CDLL('/tmp/kernel.so')\nctypes.c_void_p(3)")

    def test_paths_of_the_system_and_of_the_problem(self) -> None:
        self.tells(
            "files.system",
            "suspicious",
            "p = '/proc/self/fd'",
            "p = '/pr' + 'oc/1/environ'",
            "p = f'/proc/{5}/mem'\nq = '/proc/'",
        )
        self.tells("files.problem", "suspicious", "import reference", "p = '/job/reference.py'")
        self.is_silent(
            "p = '/proc/cpuinfo'", "p = 'see /proc for more'", "'''/proc/self/fd is not used'''", "import task"
        )

    def test_patching(self) -> None:
        self.tells(
            "patch.module",
            "suspicious",
            "import torch\ntorch.equal = lambda *_: True",
            "import torch\nx = torch.cuda\nx.Event = None",
            "import time\nfor n in ('a', 'b'): setattr(time, n, None)",
            "import builtins\nbuiltins.sum = len",
            "import time\nvars(time)['time'] = None",
            "import time\ntime.__dict__.update(time=None)",
            "import sys\nsys.modules['time'] = None",
            "def f(t=__import__('torch')):\n    t.allclose = None",
            "import torch\ndel torch.equal",
        )
        self.tells("patch.module", "warning", "import sys\nsys.modules['my_own'] = None")
        self.tells("patch.function", "suspicious", "def f(g, h): g.__code__ = h.__code__")
        self.tells(
            "patch.tensor", "suspicious", "import torch\nclass T(torch.Tensor):\n    def __torch_function__(self): ..."
        )
        self.is_silent(
            "import torch\nmodel = torch.nn.Linear(1, 1)\nmodel.weight = None",
            "import torch\ntorch._inductor.config.max_autotune = True",
            "import torch\nclass M(torch.nn.Module):\n    def __init__(self):\n        self.equal = 1",
            "import torch\ndef f(torch):\n    torch.equal = 1",
        )

    def test_threads_processes_streams_and_tasks(self) -> None:
        self.tells("threads.start", "warning", "import threading\nthreading.Thread(target=print).start()")
        self.tells("processes.start", "warning", "import subprocess\nsubprocess.run(['ls'])", "import os\nos.fork()")
        self.tells(
            "streams.side",
            "warning",
            "import torch\ntorch.cuda.Stream()",
            "import torch\ngetattr(torch.cuda, 'Str' + 'eam')()",
            "from torch import cuda as c\nwith c.stream(None): pass",
        )
        self.tells("tasks.background", "warning", "import asyncio\nasyncio.run(None)")
        self.tells("tasks.finalizer", "warning", "class A:\n    def __del__(self): ...")
        self.is_silent(
            "import threading\nlock = threading.Lock()",
            "import torch\ntorch.cuda.current_stream()",
            "stream = 1\nprint(stream)",
        )

    def test_caches_by_address(self) -> None:
        self.tells(
            "cache.pointer",
            "suspicious",
            "d = {}\ndef f(a): return d.get(a.data_ptr())",
            "d = {}\ndef f(a):\n    key = (a.shape, id(a))\n    if key in d: return 1",
            "d = {}\ndef f(a): return d[a._version]",
            "last = 0\ndef f(a): return a.data_ptr() == last",
        )
        self.is_silent(
            "def f(lib, a): lib.run(a.data_ptr(), 5)",
            "def f(a): return a.data_ptr() % 16 == 0",
            "def f(a, b): return a.data_ptr() == b.data_ptr()",
        )

    def test_cached_results(self) -> None:
        self.tells(
            "cache.result",
            "warning",
            "d = {}\ndef custom_kernel(x):\n    d[0] = x\n    return d[0]",
            "y = None\ndef custom_kernel(x):\n    global y\n    y = x\n    x.copy_(y)",
        )
        self.tells("cache.state", "info", "d = {}\ndef compiled(n):\n    d[n] = build(n)\n    return d[n]")
        self.tells(
            "cache.kernel", "suspicious", "import functools\n@functools.lru_cache(None)\ndef custom_kernel(x): ..."
        )
        self.is_silent(
            "import functools\n@functools.cache\ndef build(n): ...",
            "d = {}\nd[0] = 1\ndef custom_kernel(x): return d[0]",
            "def custom_kernel(x):\n    d = {}\n    d[0] = x\n    return d[0]",
        )

    def test_clocks_the_environment_files_and_seeds(self) -> None:
        self.tells(
            "clock.read", "warning", "import time as t\nt.perf_counter()", "from time import perf_counter as p\np()"
        )
        self.tells(
            "environment.read", "warning", "import os\nos.environ['POPCORN_FD']", "from os import getenv\ngetenv('X')"
        )
        self.tells("environment.tool", "info", "import os\nos.environ['TORCH_CUDA_ARCH_LIST'] = '9.0'")
        self.tells("files.stored", "warning", "import torch\ntorch.save(1, 'x')")
        self.tells("seeds.set", "warning", "import torch\ntorch.manual_seed(1)", "def f(g): g.manual_seed(1)")
        self.is_silent("time = 5\nprint(time)", "import torch\ntorch.rand(3)", "def f(x): return x.time()")

    def test_the_network(self) -> None:
        self.tells("network.use", "suspicious", "import socket", "from urllib.request import urlopen\nurlopen('x')")
        self.is_silent("import urllib.parse", "socket = 3\nprint(socket)")

    def test_lower_precision_is_reported_as_information(self) -> None:
        self.tells(
            "precision.lower",
            "info",
            "def f(x): return x.half()",
            "import torch\nx = torch.bfloat16",
            "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True",
            "import torch\ntorch.set_float32_matmul_precision('high')",
        )
        self.is_silent("import torch\nx = torch.float64", "half = 4 // 2\nprint(half)")

    def test_hidden_code(self) -> None:
        self.tells("code.dynamic", "suspicious", "def f(x): exec(x)", "import builtins as b\ndef f(x): b.eval(x)")
        self.tells("code.dynamic", "warning", "exec('x = 1')")
        self.tells(
            "code.hidden_name",
            "suspicious",
            "import time\ngetattr(time, 'ti' + 'me')",
            "__import__(''.join(['g', 'c']))",
        )
        self.tells("code.computed_name", "warning", "import time\ndef f(x): return getattr(time, x)")
        self.tells("code.decoded", "warning", "import base64\nbase64.b64decode('eA==')")
        self.tells("code.builtins", "suspicious", "__builtins__['exec']", "def f(g): return g.__globals__")
        self.is_silent(
            "import torch\ntorch.compile(None)",
            "def f(model): return model.eval()",
            "import torch\ngetattr(torch, 'add')",
            "def f(x, n): return getattr(x, n)",
        )

    def test_native_code_in_strings(self) -> None:
        self.tells("native.process", "suspicious", "s = '#include <x>\\nvoid f() { mprotect(0, 0, 0); }'")
        self.tells("native.beside", "warning", "s = '__global__ void k(); cudaStreamCreate(&s);'")
        self.is_silent("s = '#include <x>\\n// no mprotect here\\n__global__ void k();'", "s = 'mprotect'")

    def test_detours_lead_to_the_same_name(self) -> None:
        for source in (
            "import sys\nsys.modules['gc'].get_objects()",
            "__import__('gc').get_objects()",
            "import importlib\nimportlib.import_module('gc').get_objects()",
            "import gc as a\nb = a\nc = b\nc.get_objects()",
            "import gc\n(f := gc.get_objects)()",
            "import gc\nvars(gc)['get_' + 'objects']()",
            "import gc\ngetattr(gc, 'stcejbo_teg'[::-1])()",
            "import gc\nname = 'get_objects'\ngetattr(gc, name)()",
            "import gc\na, b = gc, 1\na.get_objects()",
        ):
            with self.subTest(source):
                self.assertIn("memory.collector", findings_of(source))

    def test_each_listed_name_belongs_to_one_rule(self) -> None:
        names = [name for rule in LISTED for name in (*rule.names, *rule.attributes)]
        self.assertEqual(sorted(set(names)), sorted(names))


class Findings(unittest.TestCase):
    def test_a_finding_has_its_column_in_characters(self) -> None:
        (finding,) = review("import torch\nx = 'é'; torch.equal = None\n")
        self.assertEqual((2, 10, "x = 'é'; torch.equal = None"), (finding.line, finding.column, finding.excerpt))
        self.assertIn("torch.equal", finding.sentence)

    def test_findings_are_in_the_order_of_lines_one_per_rule_and_line(self) -> None:
        source = "import time, gc\ngc.get_objects(gc.get_objects())\ntime.time()\n"
        self.assertEqual([("memory.collector", 2), ("clock.read", 3)], [(one.rule, one.line) for one in review(source)])

    def test_of_too_many_the_gravest_are_kept(self) -> None:
        source = "import time, gc\n" + "time.time()\n" * 200 + "gc.get_objects()\n"
        findings = review(source)
        self.assertEqual((MAX_FINDINGS, "memory.collector"), (len(findings), findings[-1].rule))
        self.assertEqual(findings, review(source))


class HostileSources(unittest.TestCase):
    def test_a_source_that_is_not_python_has_no_findings(self) -> None:
        for source in ("def (", "a = 1\0", "x = '\ud800'", "(" * 5000, "", "\ufeff", "\f\r\n\r", "x = " + "9" * 9000):
            with self.subTest(source[:20]):
                self.assertEqual([], review(source))

    def test_a_source_that_cannot_be_read_is_reported(self) -> None:
        for source in ("-" * 50_000 + "1", "a" + ".b" * 40_000, "x, " * MAX_TOKENS, "#" * (MAX_SOURCE_BYTES + 1)):
            with self.subTest(source[:20]):
                self.assertEqual({"review.unread": "warning"}, findings_of(source))

    def test_cyclic_and_growing_names_and_strings_terminate(self) -> None:
        circle = "\n".join(f"a{i} = a{(i * 7 + 1) % 500}.x; a{i} = a{(i * 13 + 5) % 500}.y" for i in range(500))
        doubled = "a0 = '/proc/self'\n" + "\n".join(f"a{i + 1} = a{i} + a{i}" for i in range(200))
        self.assertEqual({}, findings_of(f"{circle}\nprint(a0)"))
        self.assertIn("files.system", findings_of(f"{doubled}\nprint(a200)"))

    def test_the_time_limit_is_of_processor_time_so_that_a_busy_machine_changes_no_finding(self) -> None:
        with mock.patch("time.monotonic", side_effect=itertools.count(0, 3600)):
            self.assertEqual({}, findings_of("x = 1\n"))
        with mock.patch("time.process_time", side_effect=itertools.count(0, 3600)):
            self.assertEqual({"review.unread": "warning"}, findings_of("x = 1\n"))

    def test_nested_calls_and_subscripts_take_steps_in_proportion_to_their_number(self) -> None:
        def steps(depth: int) -> int:
            with mock.patch.object(Names, "full", autospec=True, side_effect=Names.full) as full:
                review("x = f" + "(a)[0]" * depth)
            return full.call_count

        self.assertLess(steps(16), 3 * steps(8))

    def test_a_comment_in_native_code_that_is_not_closed_ends_with_the_string(self) -> None:
        self.assertEqual({}, findings_of('s = "#include /* cudaStreamCreate /* // dlsym"'))

    def test_texts_of_findings_are_bounded_and_can_be_stored(self) -> None:
        source = f"import torch\ntorch.{'x' * 250} = 1 ; y = '{'z' * 5000}'\n"
        (finding,) = review(source)
        self.assertLess(len(json.dumps(finding.document())), 1000)


class ShippedExamples(unittest.TestCase):
    def test_no_honest_example_has_more_than_information(self) -> None:
        honest = [*PROBLEMS.glob("*/*/template.py")]
        honest += [
            path for path in PROBLEMS.glob("*/*/solutions/*.py") if path.read_text().startswith("# expect: passed\n")
        ]
        self.assertGreater(len(honest), 20)
        for path in honest:
            with self.subTest(path.name, problem=path.parts[-3]):
                self.assertEqual([], [one for one in review(path.read_text()) if one.severity != "info"])

    def test_a_forged_frame_access_is_found(self) -> None:
        forge = (PROBLEMS / "pmpp" / "vectoradd" / "solutions" / "forge.py").read_text()
        rules = {rule for rule, severity in findings_of(forge).items() if severity == "suspicious"}
        self.assertLessEqual({"channel.result_text", "patch.module", "frames.walk", "memory.collector"}, rules)


class InItsProcess(unittest.TestCase):
    def findings_of(self, work: Callable[[str], object]) -> list[str]:
        """Returns the rules of the findings where the review does this work."""
        with mock.patch.object(review_process, "review", work), review_process.ReviewProcess() as reviewer:
            reviewer.start("")
            return [finding["rule"] for finding in reviewer.findings()]

    def test_a_review_that_exceeds_its_processor_time_is_reported_as_not_finished(self) -> None:
        self.assertEqual(["review.unread"], self.findings_of(lambda _: any(itertools.repeat(False))))

    def test_a_review_that_exceeds_its_memory_is_reported_as_not_finished(self) -> None:
        self.assertEqual([], self.findings_of(lambda _: bytes(256 << 20) and []))
        with mock.patch("traceback.print_exc"):
            self.assertEqual(["review.unread"], self.findings_of(lambda _: bytes(1 << 30) and []))

    def test_a_review_that_dies_is_reported_as_not_finished(self) -> None:
        self.assertEqual(["review.unread"], self.findings_of(lambda _: os.abort()))

    def test_findings_longer_than_a_pipe_are_complete(self) -> None:
        source = "import time\n" + f"time.time() # {'x' * 2000}\n" * MAX_FINDINGS
        with review_process.ReviewProcess() as reviewer:
            reviewer.start(source)
            self.assertEqual([finding.document() for finding in review(source)], reviewer.findings())

    def test_a_source_after_one_that_was_not_finished_is_reviewed(self) -> None:
        def work(source: str) -> list[ReviewFinding]:
            while not source:
                pass
            return review(source)

        rules: list[list[str]] = []
        with mock.patch.object(review_process, "review", work), review_process.ReviewProcess() as reviewer:
            for source in ("import gc\ngc.get_objects()\n", "", "import gc\ngc.get_objects()\n", "pass\n"):
                reviewer.start(source)
                rules.append([finding["rule"] for finding in reviewer.findings()])
        self.assertEqual([["memory.collector"], ["review.unread"], ["memory.collector"], []], rules)


#: A tester whose review never ends.
ENDLESS_REVIEW = """
import itertools, runpy, sys
from kernelbot_tester.review import review_process
review_process.review = lambda _: any(itertools.repeat(False))
sys.argv = ["kernelbot_tester", "serve"]
runpy.run_module("kernelbot_tester", run_name="__main__")
"""


class InTheJudge(JudgeTest):
    def test_a_submission_whose_review_does_not_end_is_judged_and_shown_as_not_reviewed(self) -> None:
        tester = TesterProcess(command=["-c", ENDLESS_REVIEW])
        self.addCleanup(tester.close)
        events = tester.run(job(RIGHT))
        self.assertEqual("review.unread", events[1]["findings"][0]["rule"])
        self.assertEqual("passed", events[-1]["verdict"])

    def test_findings_come_before_the_stage_prepare_ends_and_decide_nothing(self) -> None:
        events = self.judge(job(f"import gc\ngc.get_objects()\n{RIGHT}"))
        self.assertEqual(["stage_started", "review", "stage_finished"], [event["type"] for event in events[:3]])
        self.assertEqual([("memory.collector", 2)], [(one["rule"], one["line"]) for one in events[1]["findings"]])
        self.assertEqual("passed", events[-1]["verdict"])

    def test_a_source_that_cannot_be_read_is_judged(self) -> None:
        events = self.judge(job(RIGHT + "#" + " x" * MAX_TOKENS))
        self.assertEqual("review.unread", events[1]["findings"][0]["rule"])
        self.assertEqual("passed", events[-1]["verdict"])


class CommandLine(unittest.TestCase):
    def review(self, *arguments: str, source: str) -> str:
        command = [sys.executable, "-m", "kernelbot_tester", "review", *arguments]
        return subprocess.run(command, cwd=TESTER, input=source, capture_output=True, text=True, check=True).stdout

    def test_findings_are_lines_for_a_person(self) -> None:
        out = self.review("-", source="import gc\nx = '\x1b[2J'; gc.get_objects()\n")
        self.assertIn("2:13: suspicious: gc.get_objects searches the process", out)
        self.assertIn("A review rejects nothing by itself.", out)
        self.assertNotIn("\x1b", out)
        self.assertEqual("No findings.\n", self.review("-", source="x = 1\n"))

    def test_findings_are_json_for_a_program(self) -> None:
        (finding,) = json.loads(self.review("-", "--json", source="import gc\ngc.get_objects()\n"))
        self.assertEqual({"rule", "severity", "line", "column", "sentence", "excerpt"}, set(finding))
        self.assertEqual("memory.collector", finding["rule"])


if __name__ == "__main__":
    unittest.main()

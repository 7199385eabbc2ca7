"""Submissions that compile at run time: their verdicts, and the cache of compiled files."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from support import PATIENT, RIGHT, JudgeTest, TesterProcess, job

from kernelbot_tester.sandbox import native_library
from kernelbot_tester.stages import build_cache
from kernelbot_tester.worker import bundle

#: Prints the modification time of a library in the cache folder, and builds it unless it exists.
BUILDING = """
import ctypes, json, os, subprocess, torch
place = os.path.join(os.environ["XDG_CACHE_HOME"], "mine")
library = os.path.join(place, "add.so")
print(json.dumps(os.stat(library).st_mtime_ns if os.path.exists(library) else None))
if not os.path.exists(library):
    os.makedirs(place)
    source = "void add(float *a, float *b, float *c, long n) { for (long i = 0; i < n; i++) c[i] = a[i] + b[i]; }"
    command = ["gcc", "-xc", "-", "-shared", "-fPIC", "-O2", "-o", library]
    subprocess.run(command, input=source.encode(), check=True)
add = ctypes.CDLL(library).add
print(json.dumps(os.stat(library).st_mtime_ns))

def custom_kernel(data):
    add(*(ctypes.c_void_p(t.data_ptr()) for t in data), ctypes.c_long(data[0].numel()))
"""

#: A C++ extension, built as in PyTorch's documentation. Prints when its library was built.
EXTENSION = """
import os, torch
from torch.utils.cpp_extension import load_inline

source = "void add(at::Tensor a, at::Tensor b, at::Tensor c) { at::add_out(c, a, b); }"

def build():
    module = load_inline("sums", [source], functions=["add"], extra_cflags=["-O0"])
    print(os.stat(module.__file__).st_mtime_ns)
    return module
"""
#: The same in two seconds instead of twenty: with an empty header in place of PyTorch's, and a hand-written module.
QUICK_EXTENSION = """
import os, torch
from torch.utils.cpp_extension import load_inline

source = r'''
#include <Python.h>
static PyObject *add(PyObject *, PyObject *values)
{
    long long a, b, c, n;
    if (!PyArg_ParseTuple(values, "LLLL", &a, &b, &c, &n))
        return nullptr;
    for (long long i = 0; i < n; i++)
        ((float *)c)[i] = ((float *)a)[i] + ((float *)b)[i];
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"add", add, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "quick", nullptr, -1, methods};
extern "C" __attribute__((visibility("default"))) PyObject *PyInit_quick() { return PyModule_Create(&definition); }
'''

def build():
    headers = os.path.join(os.environ["XDG_CACHE_HOME"], "headers")
    if not os.path.exists(headers):
        os.makedirs(f"{headers}/torch")
        open(f"{headers}/torch/extension.h", "w").close()
    module = load_inline("quick", [source], extra_include_paths=[headers])
    print(os.stat(module.__file__).st_mtime_ns)
    return module

def run(module, data):
    module.add(*(tensor.data_ptr() for tensor in data), data[0].numel())
"""


class Compiling(JudgeTest):
    def printed(self, source: str, account: str | None, mode: str = "test", **spec: Any) -> list[Any]:
        """Returns the printed output of a submission that must pass, one JSON document per line."""
        message = job(source, mode, **spec)
        if account is not None:
            message["account"] = account
        events = self.judge(message)
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        texts = [event["head"] + event["tail"] for event in events if event["type"] == "output"]
        return [json.loads(line) for line in "".join(texts).splitlines()]

    def test_an_extension_is_built_once_and_loaded_and_timed_afterwards(self) -> None:
        source = EXTENSION + "module = build()\ndef custom_kernel(data):\n    module.add(*data)\n"
        account = "nine"
        first = self.printed(source, account, timeoutsS=PATIENT)
        self.assertEqual(first, self.printed(source, account, "benchmark", timeoutsS=PATIENT))

    def test_the_builder_of_extensions_is_loaded_in_advance_where_the_source_names_it(self) -> None:
        source = 'import sys\nprint("torch.utils.cpp_" + "extension" in sys.modules)\n' + RIGHT
        with contextlib.closing(TesterProcess()) as tester:
            for comment, loaded in (("", "False\n"), ("# cpp_extension\n", "True\n")):
                events = tester.run(job(comment + source))
                self.assertEqual([loaded], [event["head"] for event in events if event["type"] == "output"])

    def test_an_unchanged_extension_is_not_built_again(self) -> None:
        source = QUICK_EXTENSION + "module = build()\ndef custom_kernel(data):\n    run(module, data)\n"
        account = "eight"
        self.assertEqual(self.printed(source, account), self.printed(source, account))

    def test_an_extension_may_be_built_in_the_first_call(self) -> None:
        source = """
module = None
def custom_kernel(data):
    global module
    module = module or build()
    run(module, data)
"""
        for mode in ("test", "benchmark"):
            self.assertEqual(1, len(self.printed(QUICK_EXTENSION + source, None, mode)))

    def test_an_extension_that_cannot_be_built_is_a_compile_error_with_the_log(self) -> None:
        source = EXTENSION.replace("-O0", "-fno-such-option") + "build()\n" + RIGHT
        verdict = self.refuse(job(source, timeoutsS=PATIENT), "compile_error", "the extension sums cannot be compiled: ")
        self.assertIn("-fno-such-option", verdict["message"])
        self.assertIn("FAILED: main.o", verdict["detail"])

    def test_an_error_of_a_compiler_that_the_submission_runs_itself_is_reported_alike(self) -> None:
        run = "import subprocess\nsubprocess.run(['g++', '-xc++', '-'], input=b'int main() { return x; }', check=True"
        verdict = self.refuse(job(f"{run}, capture_output=True)\n{RIGHT}"), "compile_error", "the input of g++")
        self.assertIn("error: ‘x’ was not declared in this scope", verdict["message"])
        verdict = self.refuse(job(f"{run})\n{RIGHT}"), "compile_error", "see the log in its output")

    def test_a_long_log_keeps_head_and_tail(self) -> None:
        text = "('first' + 'x' * 1_000_000 + 'last')"
        source = f"import subprocess\nraise subprocess.CalledProcessError(1, 'gcc x.c', {text}.encode())\n"
        verdict = self.refuse(job(source), "compile_error", "the input of gcc")
        self.assertRegex(verdict["detail"], "(?s)^first.*characters left out.*last$")

    def test_a_build_that_takes_too_long_is_a_timeout_that_says_so(self) -> None:
        source = "import subprocess\nsubprocess.run(['sleep', '1000'])\n" + RIGHT
        limits = {"prepare": 1, "test": 5, "benchmark": 5, "ranked": 5}
        words = "be imported, compiling included (limit of the stage prepare: 1 s of processor time, and 3 s in all)"
        self.refuse(job(source, timeoutsS=limits), "timeout", f"before the submission could {words}")

    def test_a_build_on_a_busy_machine_has_the_processor_time_of_one_on_an_idle_machine(self) -> None:
        # Sleeping simulates waiting for a processor: wall-clock time advances, processor time does not.
        source = "import subprocess\nsubprocess.run(['sleep', '4'])\n" + RIGHT
        limits = {"prepare": 3, "test": 20, "benchmark": 20, "ranked": 20}
        self.assertEqual("passed", self.judge(job(source, timeoutsS=limits))[-1]["verdict"])

    def test_the_processor_time_of_compilers_that_have_ended_counts(self) -> None:
        compiler = "[sys.executable, '-c', 'import time\\nwhile time.process_time() < 0.5: pass']"
        source = f"import subprocess, sys\nfor _ in range(6): subprocess.run({compiler})\n" + RIGHT
        limits = {"prepare": 2, "test": 5, "benchmark": 5, "ranked": 5}
        self.refuse(job(source, timeoutsS=limits), "timeout", "before the submission could be imported")

    def test_a_process_in_a_timed_call_is_refused_with_a_message_that_says_where_it_is_allowed(self) -> None:
        source = """
import subprocess
calls = 0
def custom_kernel(data):
    global calls
    calls += 1
    if calls > 1: subprocess.run(["g++", "--version"])
    return data[0] + data[1]
"""
        self.refuse(job(source, "benchmark"), "crash", "in tests and in the first call of a timed case, nowhere else")

    def test_code_compiled_at_import_is_cached_for_the_same_account_and_source(self) -> None:
        before, built = self.printed(BUILDING, "one")
        self.assertIsNone(before)
        self.assertEqual([built, built], self.printed(BUILDING, "one", "benchmark"))

    def test_other_accounts_and_other_sources_do_not_see_it(self) -> None:
        mine = "two"
        self.printed(BUILDING, mine)
        self.assertIsNone(self.printed(BUILDING, "three")[0])
        self.assertIsNone(self.printed(BUILDING + "\n", mine)[0])
        self.assertIsNone(self.printed(BUILDING, None)[0])
        self.assertIsNone(self.printed(BUILDING, mine, files={"utils.py": ""})[0])

    def test_an_import_cannot_count_how_often_it_ran(self) -> None:
        source = """
import os
path = os.path.join(os.environ["XDG_CACHE_HOME"], "count")
os.makedirs(os.path.dirname(path), exist_ok=True)
count = int(open(path).read()) if os.path.exists(path) else 0
open(path, "w").write(str(count + 1))
print(count)
"""
        counts = [self.printed(source + RIGHT, "four")[0] for _ in range(3)]
        self.assertEqual([0, 1, 1], counts)

    def test_files_that_a_call_leaves_are_not_cached(self) -> None:
        source = """
import json, os, torch
place = os.environ["XDG_CACHE_HOME"]
print(json.dumps(os.path.exists(place)))

def custom_kernel(data):
    os.makedirs(place, exist_ok=True)
    open(os.path.join(place, "answer"), "w").write("42")
    return torch.add(data[0], data[1], out=data[2])
"""
        self.assertEqual([[False]] * 2, [self.printed(source, "five") for _ in range(2)])

    def test_a_bundle_with_a_path_out_of_the_folder_leaves_nothing(self) -> None:
        source = """
import json, os, sys, torch
from worker import bundle
print(json.dumps(sorted(os.listdir("/tmp"))))

def forged(folder, file, limit):
    entries = [["here", 0o644, 0, 1], ["../job/task.py", 0o644, 0, 1]]
    head = json.dumps(entries).encode()
    return os.pwrite(file, bundle.LENGTH.pack(len(head)) + head + b"xx", 0)

bundle.pack = forged
"""
        for _ in range(2):
            self.assertEqual([["job"]], self.printed(source + RIGHT, "six"))

    def test_a_folder_above_the_size_limit_is_not_cached(self) -> None:
        source = """
import json, os, torch
place = os.environ["XDG_CACHE_HOME"]
print(json.dumps(os.path.exists(place)))
os.makedirs(place, exist_ok=True)
open(os.path.join(place, "much"), "wb").write(bytes(65 << 20))
"""
        for _ in range(2):
            self.assertEqual([False], self.printed(source + RIGHT, "seven"))

    def test_a_build_that_was_given_up_is_not_found_by_the_next_run(self) -> None:
        build = """
import os, pathlib, time
folder = pathlib.Path(os.environ["TORCH_EXTENSIONS_DIR"], "sums")
folder.mkdir(parents=True)
for name in NAMES:
    (folder / name).write_text("half")
print("written", flush=True)
time.sleep(SECONDS)
"""
        source = """
import json, os, subprocess, sys
folder = os.environ["TORCH_EXTENSIONS_DIR"]
print(json.dumps(os.path.exists(folder)))
"""
        run = "child = subprocess.Popen([sys.executable, '-c', build], stdout=subprocess.PIPE)\nchild.stdout.readline()\n"
        # A compiler that still runs, and one that has died before it could remove its lock.
        for names, seconds, wait in ((["main.o"], "1000", ""), (["main.o", "lock"], "0", "child.wait()\n")):
            command = build.replace("NAMES", str(names)).replace("SECONDS", seconds)
            text = source + f"build = {command!r}\n" + run + wait + RIGHT
            with self.subTest(names):
                self.assertEqual([[False]] * 2, [self.printed(text, "ten") for _ in range(2)])

    def test_an_import_that_fails_on_cached_files_starts_without_them_the_next_time(self) -> None:
        source = """
import ctypes, json, os
path = os.path.join(os.environ["XDG_CACHE_HOME"], "half.so")
if os.path.exists(path):
    ctypes.CDLL(path)
os.makedirs(os.path.dirname(path))
open(path, "wb").write(b"\\x7fELF")
print(json.dumps("built"))
"""
        self.assertEqual(["built"], self.printed(source + RIGHT, "eleven"))
        self.refuse({**job(source + RIGHT), "account": "eleven"}, "crash", "half.so")
        self.assertEqual(["built"], self.printed(source + RIGHT, "eleven"))


class Bundles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_files_come_back_with_their_times_and_modes_and_without_links(self) -> None:
        (self.folder / "there" / "deep").mkdir(parents=True)
        file = self.folder / "there" / "deep" / "library.so"
        file.write_bytes(b"code")
        file.chmod(0o755)
        os.utime(file, ns=(1, 1_234_567_890_123_456_789))
        (self.folder / "there" / "link").symlink_to("/etc/passwd")
        with open(self.folder / "bytes", "w+b") as out:
            size = bundle.pack(str(self.folder / "there"), out.fileno(), 1 << 20)
            self.assertEqual(size, os.fstat(out.fileno()).st_size)
            out.seek(0)
            bundle.unpack(out.fileno(), str(self.folder / "back"))
        found = [path for path in (self.folder / "back").rglob("*") if not path.is_dir()]
        self.assertEqual([self.folder / "back" / "deep" / "library.so"], found)
        status = found[0].stat()
        self.assertEqual(b"code", found[0].read_bytes())
        self.assertEqual((0o755, 1_234_567_890_123_456_789), (status.st_mode & 0o777, status.st_mtime_ns))

    def test_lock_files_do_not_come_back(self) -> None:
        (self.folder / "there" / "locks").mkdir(parents=True)
        for name in ("kernel.so", "locks/kernel.lock"):
            (self.folder / "there" / name).write_bytes(b"x")
        with open(self.folder / "bytes", "w+b") as out:
            self.assertGreater(bundle.pack(str(self.folder / "there"), out.fileno(), 1 << 20), 0)
            out.seek(0)
            bundle.unpack(out.fileno(), str(self.folder / "back"))
        self.assertEqual(["kernel.so"], [path.name for path in (self.folder / "back").rglob("*") if not path.is_dir()])

    def test_no_path_leads_out_of_the_folder(self) -> None:
        for path in ("../out", "/out", "a/../../out", "a//out", ".", ""):
            head = json.dumps([[path, 0o644, 0, 1]]).encode()
            with open(self.folder / "bytes", "w+b") as file:
                file.write(bundle.LENGTH.pack(len(head)) + head + b"x")
                file.seek(0)
                with self.assertRaises(ValueError):
                    bundle.unpack(file.fileno(), str(self.folder / "back"))


class OtherCLibrary(unittest.TestCase):
    def test_what_was_linked_with_another_c_library_is_built_again(self) -> None:
        native, entry = native_library.file_name([]), build_cache.digest_of({}, True)
        build_cache.compiling_environment.cache_clear()
        self.addCleanup(build_cache.compiling_environment.cache_clear)
        with mock.patch("platform.libc_ver", return_value=("glibc", "2.0")):
            self.assertNotEqual(native, native_library.file_name([]))
            self.assertNotEqual(entry, build_cache.digest_of({}, True))


class CachedBuilds(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        patch = mock.patch.dict(os.environ, {"XDG_CACHE_HOME": folder.name})
        patch.start()
        self.addCleanup(patch.stop)

    def test_the_least_recently_used_goes_first(self) -> None:
        with mock.patch.object(build_cache, "TOTAL_ENTRIES", 2):
            for number, key in enumerate(("a", "b")):
                build_cache.write(key, key.encode())
                os.utime(build_cache.folder() / key, (number, number))
            self.assertEqual(b"a", build_cache.read("a"))
            build_cache.write("c", b"c")
        self.assertEqual([b"a", None, b"c"], [build_cache.read(key) for key in "abc"])

    def test_all_entries_together_are_bounded(self) -> None:
        with mock.patch.object(build_cache, "TOTAL_BYTES", 10 + build_cache.DIGEST_BYTES):
            build_cache.write("a", bytes(8))
            os.utime(build_cache.folder() / "a", (1, 1))
            build_cache.write("b", bytes(8))
        self.assertEqual(["b"], os.listdir(build_cache.folder()))

    def test_other_users_cannot_read_the_folder(self) -> None:
        build_cache.write("a", b"")
        self.assertEqual(0o700, build_cache.folder().stat().st_mode & 0o777)

    def test_a_truncated_entry_is_ignored(self) -> None:
        build_cache.write("a", b"abc")
        os.truncate(build_cache.folder() / "a", build_cache.DIGEST_BYTES + 2)
        self.assertIsNone(build_cache.read("a"))

    def test_a_folder_that_cannot_be_written_caches_nothing_and_fails_no_run(self) -> None:
        Path(os.environ["XDG_CACHE_HOME"], "kernelbot").write_text("")
        build_cache.write("a", b"")
        self.assertIsNone(build_cache.read("a"))


if __name__ == "__main__":
    unittest.main()

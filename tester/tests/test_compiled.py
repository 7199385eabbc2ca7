"""Submissions in C++ and CUDA C++: their inputs, error messages and isolation."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from support import PATIENT, JudgeTest, TesterProcess, job

from kernelbot_tester.processes.kernel_signature import Misfit, Signature
from kernelbot_tester.worker import builder
from kernelbot_tester.worker.protocol import BuildRequest

HEADER = """
#include <kernelbot.h>
void custom_kernel(kernelbot::Tensor<const float> a, kernelbot::Tensor<const float> b, kernelbot::Tensor<float> c);
"""

#: A correct submission for the addition of support.py.
ADDS = """
#include "task.h"
using kernelbot::Tensor;
void custom_kernel(Tensor<const float> a, Tensor<const float> b, Tensor<float> c)
{
    for (std::int64_t i = 0; i < c.size(); i++)
        c[i] = a[i] + b[i];
}
"""


def cpp(source: str, mode: str = "test", language: str = "cpp", flags: list[str] | None = None, **spec: Any) -> dict:
    """Returns a job whose source is C++ (or CUDA C++)."""
    files = {"task.h": HEADER, **spec.pop("files", {})}
    languages = {"py": {}, "cpp": {"flags": flags or []}, "cu": {"flags": flags or []}}
    spec = {"timeoutsS": PATIENT, "languages": languages, **spec}
    return {**job(source, mode, files=files, **spec), "language": language}


def passes(test: JudgeTest, message: dict) -> list[dict]:
    """Returns the events of a job that must pass."""
    events = test.judge(message)
    test.assertEqual("passed", events[-1]["verdict"], events[-1])
    return events


def with_cases(problem: dict, tests: list[dict], **spec: Any) -> dict:
    """Returns the problem with other tests."""
    return {**problem, "spec": {**problem["spec"], "tests": tests, **spec}}


class Kernels(JudgeTest):
    def test_a_kernel_is_checked_and_timed_on_secret_inputs_next_to_the_reference(self) -> None:
        events = passes(self, cpp(ADDS, "ranked"))
        (case,) = [event for event in events if event["type"] == "case_finished" and event["stage"] == "ranked"]
        self.assertEqual({"size": 1024}, case["case"])
        self.assertNotIn("review", [event["type"] for event in events])
        self.assertGreaterEqual(len(case["rounds"]), 6)
        self.assertTrue(all(one["candidateNs"] and one["referenceNs"] for one in case["rounds"]))

    def test_a_wrong_result_is_reported_as_for_any_kernel(self) -> None:
        self.refuse(cpp(ADDS.replace("+ b[i]", "- b[i]")), "wrong_result", "127 of 127 elements differ")

    def test_a_profile_has_the_kernel_as_one_operator(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            passes(self, {**cpp(ADDS, "profile"), "artifactFolder": folder})
            self.assertRegex((Path(folder) / "profile.0.txt").read_text(), r"[um]s\s+10  custom_kernel\n")

    def test_without_a_sandbox_it_is_judged_alike(self) -> None:
        tester = TesterProcess("--unsafe-no-sandbox")
        try:
            self.assertEqual("passed", tester.run(cpp(ADDS))[-1]["verdict"])
        finally:
            tester.close()

    def test_values_of_every_kind_reach_the_kernel(self) -> None:
        reference = """
import torch
def generate_input(seed):
    generator = torch.Generator().manual_seed(seed)
    matrix = torch.rand(6, 4, generator=generator).t()
    whole = [torch.arange(3).to(getattr(torch, name)) for name in ("int8", "int16", "int32", "int64", "uint8")]
    flags = torch.tensor([True, False])
    options = {"stride": 2, "scales": [0.5, 0.25], "name": "h\\u00e9llo", "deep": {"on": True, "kind": torch.bfloat16}}
    return (matrix, whole, flags, options, (3, -1.5), None, 2**40, [[1, 2], [], [3]], torch.empty(12, dtype=torch.float64))
def ref_kernel(data):
    matrix, whole, flags = data[:3]
    out = torch.zeros(12, dtype=torch.float64)
    out[0], out[1], out[2] = matrix[2, 5].double(), sum(t[2] for t in whole), flags[0].double()
    out[3:12] = torch.tensor([2, 0.75, 6, 1, 1, 1.5, 1, 2.0**40, 6], dtype=torch.float64)
    return out
"""
        header = """
#include <kernelbot.h>
#include <optional>
#include <string>
#include <tuple>
#include <vector>
struct Deep {
    bool on;
    kernelbot::Dtype kind;
    template <class F> void fields(F field) { field("on", on); field("kind", kind); }
};
struct Options {
    int stride;
    std::vector<double> scales;
    std::string name;
    Deep deep;
    template <class F> void fields(F field)
    {
        field("deep", deep);
        field("stride", stride);
        field("name", name);
        field("scales", scales);
    }
};
using Whole = std::tuple<kernelbot::Tensor<const std::int8_t>, kernelbot::Tensor<const std::int16_t>,
                         kernelbot::Tensor<const std::int32_t>, kernelbot::Tensor<const std::int64_t>,
                         kernelbot::Tensor<const std::uint8_t>>;
void custom_kernel(kernelbot::Tensor<const float, 2> matrix, Whole whole, kernelbot::Tensor<const bool> flags,
                   const Options &options, std::tuple<std::uint8_t, float> pair, std::optional<std::int64_t> missing,
                   std::int64_t large, const std::vector<std::vector<int>> &lists, kernelbot::Tensor<double> out);
"""
        source = """
#include "task.h"
using namespace kernelbot;
void custom_kernel(Tensor<const float, 2> matrix, Whole whole, Tensor<const bool> flags, const Options &options,
                   std::tuple<std::uint8_t, float> pair, std::optional<std::int64_t> missing, std::int64_t large,
                   const std::vector<std::vector<int>> &lists, Tensor<double> out)
{
    out[0] = matrix(2, 5);
    out[1] = std::apply([](auto... each) { return (0 + ... + static_cast<int>(each[2])); }, whole);
    out[2] = flags[0] && !flags[1];
    out[3] = options.stride;
    out[4] = options.scales[0] + options.scales[1];
    out[5] = static_cast<double>(options.name.size());
    out[6] = options.deep.on;
    out[7] = options.deep.kind == Dtype::bfloat16;
    out[8] = std::get<0>(pair) + std::get<1>(pair);
    out[9] = !missing && matrix.stride(0) == 1 && !matrix.is_contiguous();
    out[10] = static_cast<double>(large);
    out[11] = 0;
    for (const auto &list : lists)
        for (int number : list)
            out[11] += number;
}
"""
        passes(self, cpp(source, reference=reference, files={"task.h": header}, tests=[{"seed": 1}]))

    def test_half_and_bfloat16_convert_as_pytorch_does_by_processor_and_by_our_own_arithmetic(self) -> None:
        reference = """
import torch
def generate_input(seed):
    bits = torch.arange(65536).to(torch.int16)
    exponents = torch.randint(-40, 20, (65536,), generator=torch.Generator().manual_seed(seed))
    x = torch.randn(65536, generator=torch.Generator().manual_seed(seed)) * 2.0**exponents
    edges = torch.tensor([65504, 65519.99, 65520, 2**-24, 2**-25, 2**-25 * 1.001, 0.0, -0.0, 3e38, float("inf")])
    x[: len(edges)] = edges
    outs = [torch.empty(65536), torch.empty(65536), torch.empty(65536).half(), torch.empty(65536).bfloat16()]
    # An expected NaN would judge nothing.
    without_nan = lambda infinity: torch.where((bits & 0x7FFF) > infinity, torch.zeros_like(bits), bits)
    return (without_nan(0x7C00).view(torch.float16), without_nan(0x7F80).view(torch.bfloat16), x, *outs)
def ref_kernel(data):
    h, b, x = data[:3]
    return h.float(), b.float(), x.half(), x.bfloat16()
"""
        header = """
#include <kernelbot.h>
using namespace kernelbot;
void custom_kernel(Tensor<const half> h, Tensor<const bfloat16> b, Tensor<const float> x, Tensor<float> h_wide,
                   Tensor<float> b_wide, Tensor<half> x_half, Tensor<bfloat16> x_bfloat);
"""
        source = """
#include "task.h"
void custom_kernel(Tensor<const half> h, Tensor<const bfloat16> b, Tensor<const float> x, Tensor<float> h_wide,
                   Tensor<float> b_wide, Tensor<half> x_half, Tensor<bfloat16> x_bfloat)
{
    for (std::int64_t i = 0; i < x.size(); i++) {
        h_wide[i] = h[i];
        b_wide[i] = b[i];
        x_half[i] = half(x[i]);
        x_bfloat[i] = bfloat16(x[i]);
    }
}
"""
        exact = {"rtol": 0, "atol": 0, "reason": "one correct result"}
        for flags in ([], ["-D__CUDACC__", "-D__host__=", "-D__device__="]):
            message = cpp(source, reference=reference, files={"task.h": header}, flags=flags, tolerance=exact)
            passes(self, {**message, "problem": with_cases(message["problem"], [{"seed": 7}], outputs=4)})


class Building(JudgeTest):
    def test_an_error_is_reported_with_its_line_and_the_compilers_message(self) -> None:
        verdict = self.refuse(cpp("int x = 1;\nint y = z;\n"), "compile_error", "submission.cpp, line 2: ")
        self.assertTrue(verdict["detail"].startswith("submission.cpp:2:9: error: "), verdict["detail"])

    def test_of_a_long_log_the_head_and_the_tail_are_reported(self) -> None:
        source = "".join(f'#pragma message "{number} {"x" * 100}"\n' for number in range(2000)) + "int y = z;\n"
        verdict = self.refuse(cpp(source), "compile_error", "submission.cpp, line 2001: ")
        self.assertIn("left out", verdict["detail"])
        self.assertLess(len(verdict["detail"]), 20_000)

    def test_parameters_other_than_those_of_task_h_are_reported(self) -> None:
        source = ADDS.replace("Tensor<const float> b", "Tensor<const double> b")
        words = "does not define custom_kernel with the parameters that task.h gives it: parameter 2 is kernelbot::Tensor<"
        verdict = self.refuse(cpp(source), "compile_error", words)
        self.assertRegex(verdict["message"], r"Tensor<double const.*> instead of kernelbot::Tensor<float const")
        fewer = "#include \"task.h\"\nvoid custom_kernel(kernelbot::Tensor<float>) {}\n"
        self.refuse(cpp(fewer), "compile_error", "that task.h gives it: it has 1 instead of 3")
        self.refuse(cpp("#include \"task.h\"\nvoid kernel() {}\n"), "compile_error", "with the parameters that task.h gives it")

    def test_what_is_used_and_nowhere_defined_is_named(self) -> None:
        source = f"float other(float);\n{ADDS.replace('+ b[i]', '+ other(b[i])')}"
        self.refuse(cpp(source), "compile_error", "undefined reference to `other(float)'")

    def test_the_cause_of_a_linker_error_is_reported(self) -> None:
        source = ADDS + 'asm(".bss; .skip 0x10000000000; .text");\n'
        self.refuse(cpp(source), "compile_error", "submission.cpp cannot be built: relocation truncated to fit: ")

    def test_a_compiler_that_takes_too_long_is_stopped(self) -> None:
        work = "constexpr int work(int n) { int s = n; for (int i = 0; i < 200000; i++) s ^= i; return s; }\n"
        source = work + "".join(f"static_assert(work({n}) != -{n + 1});\n" for n in range(3000))
        limits = {"prepare": 4, "test": 20, "benchmark": 30, "ranked": 30}
        self.refuse(cpp(source, timeoutsS=limits), "timeout", "the time limit was reached before the submission could be compiled")

    def test_the_problems_flags_reach_the_compiler(self) -> None:
        passes(self, cpp(ADDS.replace("a[i] + b[i]", "ADD(a[i], b[i])"), flags=["-DADD(x,y)=((x)+(y))"]))

    def test_warnings_and_what_is_printed_are_output(self) -> None:
        source = '#warning "slow"\n' + ADDS + '#include <cstdio>\nstatic const int said = std::puts("hello");\n'
        events = passes(self, cpp(source))
        (output,) = [event["head"] for event in events if event["type"] == "output" and event["stage"] == "prepare"]
        self.assertRegex(output, r"(?s)^submission\.cpp:1:2: warning: .*slow.*hello")

    def test_a_header_that_does_not_fit_the_inputs_is_the_problems_fault(self) -> None:
        for header, words in (
            (HEADER.replace("const float> b", "const double> b"), "parameter 2 is a tensor of float64 with 1 dimensions"),
            (HEADER.replace("Tensor<float> c", "Tensor<const float> c"), "parameter 3 is an output buffer"),
            (HEADER.replace("void", "int"), "the problem's task.h does not compile"),
        ):
            source = f'#include "task.h"\n{header.split("h>")[1].strip().replace(";", " {}")}\n'
            verdict = self.judge(cpp(source, files={"task.h": header}))[-1]
            self.assertEqual("infra_error", verdict["verdict"])
            self.assertIn(words, verdict["message"])

    def test_a_language_that_the_problem_does_not_allow_is_not_judged(self) -> None:
        verdict = self.judge({**job(ADDS, languages={"py": {}}), "language": "cpp"})[-1]
        self.assertEqual(("infra_error", "the problem takes no .cpp files"), (verdict["verdict"], verdict["message"]))

    def test_a_machine_without_the_compiler_reports_it(self) -> None:
        with mock.patch.object(builder, "FOLDERS", "/nowhere"):
            with self.assertRaisesRegex(builder.Unable, r"this machine has no g\+\+, which compiles .cpp files"):
                builder.Compiler("cpp", [], None)

    @unittest.skipUnless(shutil.which("nvcc", path=builder.FOLDERS), "nvcc is not installed")
    def test_cuda_is_compiled(self) -> None:
        source = """
#include "task.h"
using kernelbot::Tensor;
__global__ void add(Tensor<const float> a, Tensor<const float> b, Tensor<float> c) { c[threadIdx.x] = a[0] + b[0]; }
void custom_kernel(Tensor<const float> a, Tensor<const float> b, Tensor<float> c) { add<<<1, 32>>>(a, b, c); }
"""
        broken = source.replace("c[threadIdx.x]", "c[nowhere]")
        self.refuse(cpp(broken, language="cu"), "compile_error", "submission.cu, line 4: ")
        ill_made = source.replace("c[threadIdx.x]", 'asm("no.such.thing;"); c[0]')
        self.refuse(cpp(ill_made, language="cu"), "compile_error", "error   : Unknown modifier '.such'")
        other = '#include <cuda_fp16.h>\n#include "task.h"\nusing kernelbot::Tensor;\n'
        other += "void custom_kernel(Tensor<const float> a, Tensor<const half> b, Tensor<float> c) {}\n"
        self.refuse(cpp(other, language="cu"), "compile_error", "; where cuda_fp16.h is included, `half` is a type of CUDA")
        verdict = self.judge({**cpp(source, language="cu"), "target": "H100"})[-1]
        words = "submission.cu compiles; kernels in CUDA C++ run on a GPU only, and this runner has none"
        self.assertEqual(("infra_error", words), (verdict["verdict"], verdict["message"]))


class CachedEntry(unittest.TestCase):
    """The tester's own part of a shared object is compiled once for each problem, for all accounts."""

    def test_the_next_run_of_a_problem_is_linked_with_what_the_first_compiled(self) -> None:
        tester = TesterProcess()
        self.addCleanup(tester.close)
        folder = Path(tester.cache) / "kernelbot" / "compiled"

        def entries(account: str, source: str = ADDS, **problem: Any) -> dict[str, tuple[int, int]]:
            self.assertEqual("passed", tester.run({**cpp(source, **problem), "account": account})[-1]["verdict"])
            return {file.name: ((status := file.stat()).st_ino, status.st_mtime_ns) for file in folder.iterdir()}

        ((key, (made, used)),) = entries("ada").items()
        ((same, (kept, again)),) = entries("bob", ADDS + "int other;\n").items()
        self.assertEqual((key, made), (same, kept))
        self.assertGreater(again, used)
        self.assertEqual(2, len(entries("ada", files={"task.h": HEADER + "struct Other;\n"})))
        self.assertEqual(3, len(entries("ada", flags=["-DOTHER"])))

    def test_a_builder_that_is_given_the_entry_starts_no_compiler_for_it(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        reported: list[tuple[int, str]] = []
        with tempfile.TemporaryFile() as entry:
            for _ in range(2):
                entry.seek(0)
                folder = tempfile.TemporaryDirectory()
                self.addCleanup(folder.cleanup)
                request: BuildRequest = {
                    "folder": folder.name,
                    "files": {"task.h": HEADER},
                    "language": "cpp",
                    "flags": [],
                    "architecture": None,
                }
                with mock.patch.object(builder, "run", side_effect=builder.run) as run:
                    builder.prepare(request, os.dup(entry.fileno()))
                reported.append((run.call_count, builder.signature()))
        (compiled, first), (reused, second) = reported
        self.assertEqual((2, 0, first), (compiled, reused, second))
        self.assertIn("float32", first)


class Exceptions(JudgeTest):
    def test_a_thrown_value_is_reported(self) -> None:
        body = 'void custom_kernel(kernelbot::Tensor<const float>, kernelbot::Tensor<const float>, kernelbot::Tensor<float>) { %s }'
        for statement, failure, words in (
            ('throw std::runtime_error("no luck");', "crash", "std::runtime_error: no luck"),
            ("throw 42;", "crash", "custom_kernel threw int"),
            ("throw std::bad_alloc();", "out_of_memory", "out of memory: std::bad_alloc"),
            ("std::abort();", "crash", "was aborted (SIGABRT)"),
            ("*static_cast<volatile int *>(nullptr) = 1;", "crash", "was terminated by SIGSEGV"),
            ("std::exit(3);", "crash", "ended itself with exit code 3"),
            ("while (true) (void)*const_cast<volatile int *>(&forever);", "timeout", "the time limit was reached during this case"),
        ):
            source = f'#include <cstdlib>\n#include <new>\n#include <stdexcept>\n#include "task.h"\nint forever;\n{body % statement}'
            with self.subTest(statement):
                self.refuse(cpp(source, timeoutsS={"prepare": 20, "test": 3, "benchmark": 3, "ranked": 3}), failure, words)


class Cell(JudgeTest):
    #: Prints the error number of each attempt; 0 where it succeeded.
    PROBING = """
#include <cstdio>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <string>

static int outcome(long result) { return result < 0 ? errno : 0; }

static std::string listing(const char *path)
{
    std::string names;
    if (DIR *folder = opendir(path))
        while (dirent *entry = readdir(folder))
            if (entry->d_name[0] != '.')
                names += std::string(entry->d_name) + " ";
    return names;
}

static const bool probed = [] {
    const int outcomes[] = {
        outcome(syscall(SYS_fork)), outcome(syscall(SYS_vfork)), outcome(syscall(SYS_clone, 0, 0, 0, 0, 0)),
        outcome(execl("/bin/true", "true", nullptr)), outcome(socket(AF_INET, SOCK_STREAM, 0)),
        outcome(ptrace(PTRACE_TRACEME, 0, 0, 0)), outcome(syscall(SYS_memfd_create, "x", 0)),
        outcome(syscall(SYS_kill, 1, 18)), outcome(syscall(SYS_tgkill, 1, 1, 18)),
        outcome(prctl(62 /* PR_SCHED_CORE */, 1, 0, 1, 0)), outcome(open("/proc/self/mem", O_RDWR)),
        outcome(open("/etc/passwd", O_RDONLY)), outcome(access("/usr", W_OK)),
        outcome(syscall(SYS_unshare, CLONE_NEWUSER)), outcome(open("reference.py", O_RDONLY)),
    };
    std::printf("[");
    for (int each : outcomes)
        std::printf("%d, ", each);
    std::printf("\\"%s\\", \\"%d\\"]\\n", listing(".").c_str(), getuid() == 0);
    return true;
}();
"""

    @unittest.skipUnless(os.uname().machine == "x86_64", "it has calls that only x86-64 has")
    def test_a_constructor_can_start_access_and_see_nothing(self) -> None:
        events = passes(self, cpp(self.PROBING + ADDS))
        (output,) = [event["head"] for event in events if event["type"] == "output"]
        refused, missing, read_only = errno.EPERM, errno.ENOENT, errno.EROFS
        ends = [read_only, missing, errno.EACCES, refused, missing, "submission.cpp.so ", "0"]
        self.assertEqual([*[refused] * 10, *ends], json.loads(output))

    def test_no_call_can_start_a_process_not_even_one_that_is_not_timed(self) -> None:
        source = "#include <cstdio>\n#include <unistd.h>\n" + ADDS.replace("{\n", '{\n    std::printf("%d\\n", fork());\n', 1)
        source = source.replace("    for (", "    std::fflush(stdout);\n    for (")
        events = passes(self, cpp(source))
        self.assertEqual(["-1\n-1\n"], [event["head"] for event in events if event["type"] == "output"])

    def test_the_builders_folder_contains_only_the_problems_headers(self) -> None:
        for file in ("reference.py", "../cases", "/proc/1/environ", "/etc/passwd", "/kernelbot/worker/main.py"):
            with self.subTest(file):
                verdict = self.judge(cpp(f'#include "{file}"\n'))[-1]
                self.assertEqual("compile_error", verdict["failureClass"])


class Signatures(unittest.TestCase):
    def misfit(self, parameter: str, node: Any) -> str:
        """Returns what is wrong with one value for a parameter; empty where it fits."""
        signature = Signature(f'{{"parameters": [{parameter}], "function": "void (...)"}}')
        try:
            signature.check({"tuple": [node]}, 0)
        except Misfit as error:
            return str(error)
        return ""

    def test_values_fit_types_of_their_kind_and_range(self) -> None:
        fitting = [
            ('"bool"', True),
            ('{"int": [8, true]}', -128),
            ('{"int": [64, false]}', 2**63 - 1),
            ('"float"', 0.5),
            ('"float"', 3),
            ('"str"', "x"),
            ('{"optional": "str"}', None),
        ]
        for parameter, value in fitting:
            self.assertEqual("", self.misfit(parameter, {"value": value}), parameter)
        misfits = [
            ('"bool"', 1, "takes bool, the input has int"),
            ('{"int": [32, true]}', True, "takes int, the input has bool"),
            ('{"int": [8, true]}', 128, "is a whole number of 8 bits, which 128 does not fit"),
            ('{"int": [64, false]}', -1, "is a whole number of 64 bits, which -1 does not fit"),
            ('{"int": [64, true]}', 2**63, "is a whole number of 64 bits"),
            ('"float"', 2**70, "takes float, the input has int"),
            ('"str"', None, "takes str, the input has NoneType"),
            ('{"list": "str"}', "x", "takes list, the input has str"),
        ]
        for parameter, value, words in misfits:
            self.assertIn(words, self.misfit(parameter, {"value": value}), parameter)

    def test_containers_are_compared_element_by_element(self) -> None:
        ints = {"list": [{"value": 1}, {"value": "two"}]}
        self.assertEqual("parameter 1[1] takes int, the input has str", self.misfit('{"list": {"int": [32, true]}}', ints))
        pair = '{"tuple": ["bool", "str"]}'
        self.assertIn("a std::tuple of 2, the input has 1 values", self.misfit(pair, {"tuple": [{"value": True}]}))
        fields = '{"dict": [["on", "bool"]]}'
        self.assertEqual("", self.misfit(fields, {"dict": [["on", {"value": True}]]}))
        self.assertIn("the input has the keys off", self.misfit(fields, {"dict": [["off", {"value": True}]]}))

    def test_the_number_of_parameters_is_compared(self) -> None:
        signature = Signature('{"parameters": ["bool"], "function": "void (bool)"}')
        with self.assertRaisesRegex(Misfit, r"void \(bool\) has 1 parameters, the input has 2"):
            signature.check({"tuple": [{"value": True}, {"value": True}]}, 0)
        signature.check({"value": True}, 0)


if __name__ == "__main__":
    unittest.main()

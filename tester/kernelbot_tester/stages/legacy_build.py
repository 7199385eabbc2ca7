"""Files with which a cell compiles and starts a harness in CUDA C++."""

from __future__ import annotations

import json

from ..messages import HarnessBuild

#: Name of the file that compiles and starts the harness, and of its settings.
MAIN = "kernelbot-build.py"
ORDER = "kernelbot-build.json"
#: Exit codes where there is no compiler, and where compilation failed.
NO_COMPILER = 117
NOT_COMPILED = 118

#: Reports as a harness does: success, or the first error line of the compiler.
START = f"""
import json, os, shutil, subprocess, sys
order = json.load(open("{ORDER}"))
folders = order["folders"]
compiler = shutil.which("nvcc", path=folders)
if compiler is None:
    sys.exit({NO_COMPILER})
program = os.path.join(order["out"], "eval.out")
built = subprocess.run([compiler, *order["flags"], *order["sources"], "-o", program], stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={{**os.environ, "PATH": folders}})
if built.returncode != 0:
    sys.stdout.buffer.write(built.stdout)
    lines = [line for line in built.stdout.decode("utf-8", "replace").splitlines() if "error" in line] or ["nvcc reported no error"]
    os.write(int(os.environ["POPCORN_FD"]), f"error: {{lines[0][:500]}}".encode())
    sys.exit({NOT_COMPILED})
if order["only"]:
    os.write(int(os.environ["POPCORN_FD"]), b"check: pass")
    sys.exit(0)
os.execv(program, [program, *sys.argv[1:]])
"""

FOLDERS = "/usr/local/bin:/usr/bin:/bin:/usr/local/cuda/bin"


def build_files(build: HarnessBuild, architecture: str | None, only: bool) -> dict[str, str]:
    """Returns the files with which a cell compiles a harness, and starts it unless `only`. `build` is core's
    `HarnessBuild`."""
    arch = "-arch=native" if architecture is None else f"-gencode=arch=compute_{architecture},code=sm_{architecture}"
    flags = ["-std=c++20", "-O3", "-DNDEBUG", "--expt-extended-lambda", "--expt-relaxed-constexpr", arch, "-I."]
    flags += [f"-I{folder}" for folder in build["includeDirs"]] + [f"-D{name}" for name in build["defines"]]
    order = {
        "flags": flags + build["flags"],
        "sources": build["sources"],
        "folders": FOLDERS,
        "out": "/tmp",
        "only": only,
    }
    return {MAIN: START, ORDER: json.dumps(order)}

"""Groups of cgroup v2, tested on a folder that replaces the kernel's, since few test machines delegate one."""

from __future__ import annotations

import os
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import support  # noqa: F401
from kernelbot_tester.device.host import HostDevice
from kernelbot_tester.processes.worker_process import Worker
from kernelbot_tester.processes.zygote_requests import open_memory_group
from kernelbot_tester.sandbox.config import configure
from kernelbot_tester.sandbox.memory_groups import MemoryGroup, MemoryGroups, NoGroups, find_groups


class Folder(MemoryGroups):
    """Groups whose control files are created as the kernel does."""

    def open(self, pid: int, limit_bytes: int) -> MemoryGroup:
        name = self.folder / f"kernelbot-cell-{os.getpid()}-{pid}"
        made = Path.mkdir

        def mkdir(path: Path, *rest, **more) -> None:
            made(path, *rest, **more)
            for file in ("memory.max", "memory.oom.group", "memory.events", "cgroup.procs"):
                (path / file).touch()

        Path.mkdir = mkdir  # type: ignore[method-assign]
        try:
            group = super().open(pid, limit_bytes)
        finally:
            Path.mkdir = made  # type: ignore[method-assign]
        assert group.folder == name
        return group


class Tree(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.mounted, self.proc = self.root / "cgroup", self.root / "proc"
        self.unit = self.mounted / "system.slice" / "runner.service"
        for folder in (self.unit / "runner", self.proc):
            folder.mkdir(parents=True)
        self.proc_says("/system.slice/runner.service/runner")
        (self.unit / "cgroup.controllers").write_text("cpu memory pids\n")
        (self.unit / "cgroup.subtree_control").write_text("\n")
        (self.unit / "cgroup.procs").write_text("")

    def proc_says(self, group: str, kind: str = "cgroup2", root: str = "/") -> None:
        (self.proc / "cgroup").write_text(f"4:memory:/else\n0::{group}\n")
        (self.proc / "mountinfo").write_text(
            f"1 2 0:1 / / rw - ext4 /dev/vda rw\n30 1 0:26 {root} {self.mounted} rw,nosuid shared:9 - {kind} cgroup2 rw\n"
        )

    def refused(self, words: str, is_root: bool = False) -> None:
        with self.assertRaises(NoGroups) as caught:
            find_groups(self.proc, is_root)
        self.assertIn(words, str(caught.exception))

    def test_the_delegated_parent_is_found_and_memory_is_switched_on_below_it(self) -> None:
        self.assertEqual(self.unit, find_groups(self.proc, False).folder)
        self.assertEqual("+memory", (self.unit / "cgroup.subtree_control").read_text())

    def test_a_container_that_sees_only_a_part_of_the_tree(self) -> None:
        self.proc_says("/pod/system.slice/runner.service/runner", root="/pod")
        self.assertEqual(self.unit, find_groups(self.proc, False).folder)

    def test_the_reason_for_missing_groups_is_reported(self) -> None:
        self.refused("is not marked as delegated", is_root=True)
        (self.unit / "cgroup.controllers").write_text("hugetlb\n")
        self.refused("has no memory controller")
        (self.unit / "cgroup.controllers").unlink()
        self.refused("in the topmost group")
        self.proc_says("/system.slice/runner.service/runner", kind="cgroup")
        self.refused("is not mounted")
        (self.proc / "cgroup").unlink()
        self.refused("cannot be read")

    def test_a_cell_is_limited_before_it_is_added_and_its_end_is_distinguished_from_others(self) -> None:
        group = Folder(self.unit).open(4711, 1 << 30)
        read = {name: (group.folder / name).read_text() for name in ("memory.max", "memory.oom.group", "cgroup.procs")}
        self.assertEqual({"memory.max": str(1 << 30), "memory.oom.group": "1", "cgroup.procs": "4711"}, read)
        self.assertFalse(group.ran_out())
        (group.folder / "memory.events").write_text("low 0\nhigh 0\nmax 31\noom 1\noom_kill 0\noom_group_kill 0\n")
        self.assertFalse(group.ran_out())
        (group.folder / "memory.events").write_text("max 31\noom 1\noom_kill 64\noom_group_kill 1\n")
        self.assertTrue(group.ran_out())

    def test_a_group_that_cannot_be_limited_is_removed_and_no_cell_runs_outside_of_it(self) -> None:
        with self.assertRaises(OSError):
            MemoryGroups(self.unit).open(4711, 1 << 30)  # a plain folder, in which no kernel creates the control files
        self.assertEqual([self.unit / "runner"], [path for path in self.unit.iterdir() if path.is_dir()])

    def test_a_worker_that_the_kernel_kills_for_its_memory_is_out_of_memory(self) -> None:
        config = replace(configure(True), memory_groups=Folder(self.unit))
        worker = Worker(None, config, HostDevice())
        for file in worker.child_files:
            os.close(file)
        worker.group = open_memory_group(4711, config, worker.memory_bytes)
        assert worker.group is not None
        limit = int((worker.group.folder / "memory.max").read_text())
        self.assertEqual(config.memory_bytes + 2 * config.scratch_bytes, limit)
        worker.end = (os.CLD_KILLED, 9)
        self.assertIn("most likely because the machine's memory was full", str(worker._exit_failure()))
        (worker.group.folder / "memory.events").write_text("oom_kill 1\n")
        failure = worker._exit_failure()
        self.assertEqual("out_of_memory", failure.failure)
        self.assertIn("took more than", failure.message)
        for file in worker.group.folder.iterdir():
            file.unlink()
        worker.close()
        self.assertFalse(worker.group.folder.exists())


if __name__ == "__main__":
    unittest.main()

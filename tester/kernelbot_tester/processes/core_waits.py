"""For how long a process waits for its core, which other processes use.

The kernel counts that for each thread. A call that waits does no work. What counts as waiting is at most the time of a
call without the processor time that the process used in it, so that no work passes for waiting: a kernel whose threads
wait for each other gains nothing. On several cores that bound would say little, so there the time is not known.
"""

from __future__ import annotations

import contextlib
import os


class CoreWaits:
    """The waits of a process with one core, whose folder of /proc is open. Raises FileNotFoundError where this kernel does
    not count them."""

    def __init__(self, process_folder: int) -> None:
        self.tasks = os.open("task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=process_folder)
        try:
            #: Open file with the processor time and the waits of the main thread.
            self.main = os.open("schedstat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=process_folder)
        except OSError:
            os.close(self.tasks)
            raise
        self.process_ns = self.main_ns = self.others_ns = 0

    def close(self) -> None:
        """Closes the files."""
        os.close(self.tasks)
        os.close(self.main)

    def begin(self, process_ns: int) -> None:
        """Begins a call. The process is stopped, and has used this processor time so far, in nanoseconds."""
        self.process_ns, self.main_ns = process_ns, self._of_thread(self.main)[0]

    def end(self, elapsed_ns: int, process_ns: int, waited_ns: int) -> int:
        """Returns for how long the call that has ended waited, in nanoseconds. `waited_ns`: for how long its main thread
        did, and the judge at start and end. The process is stopped again."""
        used_ns = process_ns - self.process_ns
        if used_ns > self._of_thread(self.main)[0] - self.main_ns:
            before_ns, self.others_ns = self.others_ns, self._of_all_threads() - self._of_thread(self.main)[1]
            waited_ns += max(0, self.others_ns - before_ns)
        return max(0, min(waited_ns, elapsed_ns - used_ns))

    def _of_all_threads(self) -> int:
        waited_ns = 0
        with contextlib.suppress(OSError):
            for thread in os.listdir(self.tasks):
                file = os.open(f"{thread}/schedstat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.tasks)
                waited_ns += self._of_thread(file)[1]
                os.close(file)
        return waited_ns

    @staticmethod
    def _of_thread(file: int) -> tuple[int, int]:
        """Returns the processor time of a thread, and for how long it has waited for a core; zeros once it is dead, which
        the next message to the process shows."""
        try:
            used, waited, _ = os.pread(file, 64, 0).split()
        except OSError:
            return 0, 0
        return int(used), int(waited)

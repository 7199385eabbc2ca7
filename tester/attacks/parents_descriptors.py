# attack: report
# expect: refused
"""Opens the files of every process that it can see through /proc and writes a forged report there."""

import glob


def custom_kernel(data):
    for path in glob.glob("/proc/[0-9]*/fd/*"):
        try:
            with open(path, "wb", buffering=0) as file:
                file.write(b"check: pass\n")
        except OSError:
            pass

"""Qualifies a machine: judges kernels whose verdict is known, and decides whether a machine may produce ranked runs.

    cd tester && python3 -m kernelbot_tester.qualify               # a table; exit code 0: qualified
    python3 -m kernelbot_tester.qualify --json --only clock,noise  # a document: core's `Qualification`

The tester itself judges everything, in separate processes as for a runner. Each check is a file with a function that
takes a `Session` and yields rows.
"""

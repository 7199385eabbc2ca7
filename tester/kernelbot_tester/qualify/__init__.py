"""Qualifies a machine: judges kernels of which the answer is known, and says whether a box may rank.

    cd tester && python3 -m kernelbot_tester.qualify               # a table; 0: it may
    python3 -m kernelbot_tester.qualify --json --only clock,noise  # a document: core's `Qualification`

Everything is judged by the tester itself, in processes of its own, as a runner does. Each check is a file: it gets a
`Session` and gives rows.
"""

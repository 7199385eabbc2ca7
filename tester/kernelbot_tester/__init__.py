"""The tester: judges one kernel after another.

    python3 -m kernelbot_tester serve            # jobs in, events out, one JSON document a line
    python3 -m kernelbot_tester doctor --json    # what this machine lacks, if anything
    python3 -m kernelbot_tester.qualify          # whether this machine may rank

Five kinds of process, from trusted to untrusted:

    host      stays; answers the runner; forks a judge for each job             (host.py)
    judge     one job; holds seeds, clock, verdict                               (run.py)
    zygote    stays, inside the sandbox; has PyTorch loaded; forks what follows  (worker/zygote.py)
    problem   one job; runs the problem's code in a cell of its own              (problem_service.py)
    worker    one job; runs the submission in a cell of its own                  (worker/main.py)

The judge imports no code of problems or submissions, and parses each answer of the problem process (problem_answers.py). It never
unpickles or believes anything that comes from a worker: what counts is the bytes that lie in
the output buffers at the moment when the worker says that it is done, and the judge's own clock.
"""

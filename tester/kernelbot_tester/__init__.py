"""The tester: judges one kernel after another.

    python3 -m kernelbot_tester serve            # reads jobs, writes events: one JSON document per line
    python3 -m kernelbot_tester doctor --json    # lists what this machine lacks for judging
    python3 -m kernelbot_tester.qualify          # measures whether this machine may produce ranked runs

Five kinds of process, from trusted to untrusted:

    host      long-lived; talks to the runner; forks a judge for each job               (judge/host.py)
    judge     one job; holds seeds, clock, verdict                                      (judge/run.py)
    zygote    long-lived, in the sandbox; has PyTorch loaded; forks problem and worker  (worker/zygote.py)
    problem   one job; runs the problem's code in its own cell                          (problem/service.py)
    worker    one job; runs the submission in its own cell                              (worker/main.py)

The judge imports no code of problems or submissions, and parses each answer of the problem process
(processes/problem_answers.py). It never unpickles or trusts data from a worker. A result consists of the bytes in the output
buffers at the moment when the worker signals completion, and of the time on the judge's own clock.
"""

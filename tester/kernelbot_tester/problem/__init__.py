"""Runs the code of problems: inputs, reference and checks of outputs. It runs in the sandbox, in the problem process,
and imports only itself, `worker`, `failures` and `untrusted_text`."""

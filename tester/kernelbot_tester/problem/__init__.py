"""Runs the code of problems: inputs, reference and checks of outputs. It runs in the sandbox, in the problem process,
and imports only itself, `worker`, `failures`, `messages` and `untrusted_text`."""

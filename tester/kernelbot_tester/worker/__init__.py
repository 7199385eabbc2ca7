"""Code that runs inside the sandbox. It contains no secrets: submissions can read it. It is mounted as `worker`; the
whole package is mounted next to it, for the process that runs a problem's code."""

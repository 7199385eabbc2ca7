"""The judge's side of the sandboxed processes: messages, timed calls, limits, and validation of all that they send."""

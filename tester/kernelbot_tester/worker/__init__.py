"""What runs inside the sandbox. Nothing here is secret: submissions can read it. It is mounted alone, as `worker`."""

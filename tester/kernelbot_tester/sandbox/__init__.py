"""The sandbox: Bubblewrap, the zygote that starts processes in it, memory limits, and the C library."""

"""Suites of KernelBench: what is found out about a checkout's problems before they are judged."""

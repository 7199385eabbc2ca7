"""KernelBench suites: inspects the problems of a checkout before they are judged."""

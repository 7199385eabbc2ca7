"""Checks a problem as far as its own code allows. `tester/node/problem-check` runs the checks that need a judge."""

"""The workshop: checks a problem as far as its own code allows. `tester/node/workshop` runs the checks that need a
judge."""

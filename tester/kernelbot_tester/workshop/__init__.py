"""The workshop: says what is wrong with a problem, as far as its own code shows it. What needs a judge is asked of the
judge, by `tester/node/workshop`."""

"""The stages of a run: prepare, test, benchmark, ranked, duel and profile, with workers or with a problem's own harness."""

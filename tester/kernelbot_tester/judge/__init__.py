"""The judge: reads jobs, keeps seeds, clock and verdict, and reports events. It runs no code of problems or
submissions."""

"""Checks what a machine lacks for judging."""

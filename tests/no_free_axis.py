"""Rows of the table of lowerings that no case of tests/operators/large_sizes.txt is about, and why: the side
table of tests/test_large_sizes.py."""

ROWS: dict = {}

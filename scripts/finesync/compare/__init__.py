"""Whether two runs of the same points differ, for scripts/compare.py."""

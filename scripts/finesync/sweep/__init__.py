"""Sweeps: plans, the processes that run their points, and the folder of finished points."""

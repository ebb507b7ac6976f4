"""Figures that several workloads share, one module each.

Most have a function `drawing(title, ...)`, which a workload's descriptor calls to get the figure.
"""

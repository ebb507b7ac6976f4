"""Results files as tables of points, and what workloads and the catalogue declare."""

"""Results files as tables of points; declarations of workloads and the catalogue."""

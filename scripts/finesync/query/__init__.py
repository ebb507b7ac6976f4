"""Questions to recorded rows: which points (points, where), which number (cells), over what (tables)."""

"""The report of all available results: a Markdown page, and one file for a browser."""

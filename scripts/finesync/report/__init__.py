"""The report of all results at hand: a Markdown page, and one file for a browser."""

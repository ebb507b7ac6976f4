"""The papers' figures and tables, each under its number: what they show, of which rows."""

"""How the figures of the papers are drawn."""

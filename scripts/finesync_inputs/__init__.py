"""Inputs that may not be redistributed: sources, downloads that resume, checked contents."""

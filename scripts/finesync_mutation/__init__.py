"""Mutation testing: faults as data, minimal rebuilds, and the test that catches each."""

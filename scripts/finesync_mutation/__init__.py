"""Mutation testing: faults as data, the objects to rebuild for each, and the test that catches it."""

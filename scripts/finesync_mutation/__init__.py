"""Mutation testing: faults as data, the few objects that each needs, and which test catches it."""

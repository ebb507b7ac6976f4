"""Inputs that may not be shipped: where they come from, downloads that go on, checked contents."""

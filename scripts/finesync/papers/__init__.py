"""What the papers claim and published, next to what was measured here."""

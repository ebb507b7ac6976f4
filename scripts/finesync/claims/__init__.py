"""The ledger of the papers' claims, and the one judge of what was measured."""

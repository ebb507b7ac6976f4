"""What the sweep runner and the figures share: plans, results files, statistics, drawing."""

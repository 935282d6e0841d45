"""Whether two builds export the same; see command.py."""

"""The loop for machines with one memory port: every instruction is timed to its end when it issues."""

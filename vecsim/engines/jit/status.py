"""Why compiled code came back."""

STOPPED, FINISHED, TROUBLE, FULL, GOING, STILL = range(6)
"""At the cycle or instruction asked for; at the end; at an instruction that cannot be executed, the one at
``PC``; with no room for the next row of the timeline. GOING: not yet. STILL: rules of a user
never look at a later cycle."""

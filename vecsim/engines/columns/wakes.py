"""Places in ``wakes``, of the compiled general loop: when each part of the machine acts next."""

ISSUE, QUEUE, UNIT, PORT = 0, 0, 4, 9
"""Issue; the queue of each unit and the units, by the number of the unit; the ports."""

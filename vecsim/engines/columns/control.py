"""Places in ``TimingRecord.control``: single numbers."""

PLACES = 9
PC, COUNT, HALTED, ISSUE_CYCLE, ISSUED, FETCH, RETIRED, LAST_RETIRED, HIDDEN = range(PLACES)
"""The instruction that issues next; instructions issued so far, the age of the next; 1 after halt; the cycle
of the latest issue, and how many issued in it; no issue before this cycle (a taken branch); the latest
retirement of all instructions older than any in flight; the latest retirement known; how many rows
``hidden`` has."""

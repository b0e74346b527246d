"""Places in ``work``, what the rules keep beside the record, and what they tell the engine."""

PLACES = 7
FLYING = 0
"""How many instructions are in flight; ``order`` lists their slots, oldest first."""
TIMELINE, AWAITS_ELEMENT, TROUBLE = 1, 2, 3
"""1 to keep a timeline, 2 to note starts too; 1 while issue waits for an element of an instruction in flight;
1 after an instruction that cannot be executed."""
STARTED, LEFT, GIVEN = 4, 5, 6
"""What has gone on, until the engine has seen it: 1 + the slot of which elements started; 1 if an instruction
left flight; what got an instruction, as bits: 1 << the number of the unit of a queue, FIRST_UNIT << that of a
unit, FIRST_PORT << that of a port."""
FIRST_UNIT, FIRST_PORT = 1 << 8, 1 << 16

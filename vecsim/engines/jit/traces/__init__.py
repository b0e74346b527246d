"""Records of runs in compiled code.

================  =======================================================
``recording``     the loop that runs a program and records it
``lanes``         times of machines side by side
``side_by_side``  the loop in which a group of machines times a record
================  =======================================================
"""

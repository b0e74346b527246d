"""Many machines at once: one run of a program is recorded, and any number of machines times the record.

=========  ============================================
``trace``  the record of a run
``batch``  machines that are timed together on a record
=========  ============================================
"""

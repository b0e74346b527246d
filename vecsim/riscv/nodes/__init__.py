"""What a RISC-V instruction is to the timing rules: its parts, their registers, and its event in the record.

=============  ==========================================================================
``registers``  which vector registers each part of an instruction reads and writes
``passing``    parts that only occupy a unit
``node``       what an instruction is under a vtype, and what its event consists of
``events``     how the recording loop writes the event
=============  ==========================================================================
"""

"""RISC-V: RV64 I M A F D C Zicsr Zba Zbb with the vector extension V 1.0, declared in one table.

The rows of the table (:mod:`isa.riscv.rows`) give encoding, assembly syntax, semantics and timing class of
each instruction. Decoder, assembler, disassembler, reference pages and engines read them.
"""

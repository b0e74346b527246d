"""RISC-V programs: a compiled interpreter that executes them, ELF files, and what a program asks of its host.

Values are computed here and know nothing of time.
"""

"""What RISC-V instructions do: functions that Numba compiles, over the arrays of a hart."""

"""How Numba and LLVM are used: functions, the target, compilation into object files."""

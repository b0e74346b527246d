"""How user-defined functions are compiled: with checks, and so that an error says where it is.

They go through all passes of Numba, for they may need them. Before types are inferred every operation becomes
the one of :mod:`vecsim.engines.jit.user.operations`. What may differ from Python is refused. What is
compiled notes the line that it is in, and counts the turns of its loops.
"""

from __future__ import annotations

import builtins
import dis
import operator
import os
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from llvmlite import ir as llvm
from numba.core import cgutils, ir, types
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.ir_utils import get_definition, guard
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.core.types import unliteral  # type: ignore[attr-defined]
from numba.core.untyped_passes import IRProcessing
from numba.extending import intrinsic

from vecsim.engines.jit.arrays.checked_cells import WORD, refuse, variable
from vecsim.engines.jit.arrays.rows import READ_ONLY, RowType
from vecsim.engines.jit.compiler.functions import compiling
from vecsim.engines.jit.interface import PLACE, TURNS
from vecsim.engines.jit.user.operations import CHECKED, CHECKED_OF_ONE, INTEGERS, POWER, STANDING, refused
from vecsim.engines.rebinding import global_names
from vecsim.engines.user_code import ENDLESS, MOST_TURNS, is_ours
from vecsim.engines.user_values import EXACT, UNCHANGED
from vecsim.support.errors import UserError

PLAIN = {"range", "bool", "len"}
"""Built-ins that are the same in all engines."""
BYTES = llvm.IntType(8).as_pointer()


@register_pass(mutates_CFG=False, analysis_only=False)
class _ReplaceOperations(FunctionPass):  # type: ignore[misc]
    """Put checked operations in the place of Python's."""

    _name = "vecsim_replace_operations"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        result = state.func_ir
        for block in result.blocks.values():
            for expression in block.find_exprs():
                if expression.op in ("binop", "inplace_binop"):
                    _replace(result, expression)
                elif expression.op == "unary":
                    expression.fn = CHECKED_OF_ONE.get(expression.fn, expression.fn)
        return True


def _replace(result: Any, expression: Any) -> None:
    plain = expression.fn if expression.op == "binop" else expression.immutable_fn
    if plain is operator.pow:
        checked = POWER
    elif plain in INTEGERS:
        checked = CHECKED[plain, (_is_constant(result, expression.lhs), _is_constant(result, expression.rhs))]
    elif plain in (operator.is_, operator.is_not, operator.contains):
        return
    else:
        refused(f"the operation {plain.__name__} is not known to be the same in all engines")
    expression.fn = checked
    if expression.op == "inplace_binop":
        expression.immutable_fn = checked


def _is_constant(result: Any, operand: Any) -> bool:
    """Return whether an operand is a constant float of Python, which NumPy takes in the type of the other."""
    definition = guard(get_definition, result, operand)
    if isinstance(definition, ir.Const | ir.Global | ir.FreeVar):
        return type(definition.value) is float
    if isinstance(definition, ir.Expr) and definition.op == "unary":
        return _is_constant(result, definition.value)
    return False


class _Lower(Lower):  # type: ignore[misc]
    """Lowers a function that notes the line that it is in and counts the turns of its loops."""

    def pre_block(self, block: Any) -> None:
        super().pre_block(block)
        self._label = next(label for label, each in self.blocks.items() if each is block)
        self._noted: int | None = None

    def lower_inst(self, inst: Any) -> None:
        own = not is_ours(inst.loc.filename)
        if own and inst.loc.line != self._noted:
            self._note(f"{inst.loc.filename}:{inst.loc.line}")
            self._noted = inst.loc.line
        if own and isinstance(inst, ir.Assign) and isinstance(inst.value, ir.Var):
            self._check_kind(inst.value, inst.target)
        targets = [getattr(inst, name, self._label + 1) for name in ("target", "truebr", "falsebr")]
        if isinstance(inst, ir.Jump | ir.Branch) and min(targets) <= self._label:
            self._count_turn()
        if own and isinstance(inst, ir.SetAttr):
            kind = self.typeof(inst.target.name)
            if isinstance(kind, RowType) and kind.row in READ_ONLY:
                refused(UNCHANGED)
        if own and isinstance(inst, ir.Return):
            self._note("")
        super().lower_inst(inst)
        value = getattr(inst, "value", None)
        if isinstance(value, ir.Expr) and value.op == "call":
            self._noted = None  # what was called has noted its own

    def _check_kind(self, value: Any, target: Any) -> None:
        """Refuse a variable that is a number of one type here and of another there."""
        result, wanted = self.typeof(value.name), self.typeof(target.name)
        is_exact = isinstance(result, types.IntegerLiteral) and abs(result.literal_value) <= EXACT
        both = {unliteral(result), unliteral(wanted)}
        if len(both) > 1 and both <= {types.int64, types.float32, types.float64} and not is_exact:
            name = target.unversioned_name
            what = "a choice" if name.startswith("$") else name
            refused(f"{what} is of two types, {' and '.join(sorted(map(str, both)))}: convert one")

    def _note(self, place: str) -> None:
        """Store where the function is."""
        content = cgutils.make_bytearray(os.fsencode(place) + b"\0")
        text = cgutils.global_constant(self.module, "vecsim_own_text", content)
        self.builder.store(self.builder.bitcast(text, BYTES), variable(self.module, PLACE, BYTES))

    def _count_turn(self) -> None:
        builder, turns = self.builder, variable(self.module, TURNS)
        count = builder.add(builder.load(turns), llvm.Constant(WORD, 1))
        builder.store(count, turns)
        above = builder.icmp_unsigned(">", count, llvm.Constant(WORD, MOST_TURNS))
        refuse(self.context, builder, above, TimeoutError, ENDLESS)


@register_pass(mutates_CFG=True, analysis_only=False)
class _NativeLowering(NativeLowering):  # type: ignore[misc]
    _name = "vecsim_native_lowering"

    @property
    def lowering_class(self) -> Any:
        return _Lower


class _Passes(Compiler):  # type: ignore[misc]
    def define_pipelines(self) -> list[PassManager]:
        plain = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes = PassManager("vecsim_own")
        for each, description in plain.passes:
            passes.add_pass(_NativeLowering if each is NativeLowering else each, description)
            if each is IRProcessing:
                passes.add_pass(_ReplaceOperations, "operations with checks")
        passes.finalize()
        return [passes]


_compiled = compiling(forceinline=False, passes=_Passes, boundscheck=True)


@intrinsic
def begin_user_code(typing_context: Any) -> Any:
    """Begin to count the turns of loops."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(llvm.Constant(WORD, 0), variable(builder.module, TURNS))
        return context.get_dummy_value()

    return types.none(), code


def user_function(copy: Any) -> Any:
    """Compile a function that a user wrote, or that such a function calls.

    Raises
    ------
    UserError
        It names what may not be the same in all engines.
    """
    if not is_ours(copy.__code__.co_filename):
        _check_names(copy)
    return _compiled(copy)


def _check_names(copy: FunctionType) -> None:
    """Refuse what is neither a number nor a function whose compiled results are those of Python."""
    code = copy.__code__
    if code.co_exceptiontable:
        raise _refusal(copy, code.co_firstlineno, "try and with are not compiled; use if")
    cells = zip(code.co_freevars, copy.__closure__ or (), strict=True)
    named = [(name, code.co_firstlineno, cell.cell_contents) for name, cell in cells]
    for name, line in global_names(code):
        if name in copy.__globals__:
            named.append((name, line, copy.__globals__[name]))
        elif name not in PLAIN and not _is_error(getattr(builtins, name)):
            raise _refusal(copy, line, f"{name}() is not known to be the same in all engines")
    for module, member, line in _members(copy):
        if not hasattr(module, member):
            reason = f"{module.__name__}.{member} is not known to be the same in all engines"
            raise _refusal(copy, line, reason)
    for name, line, value in named:
        if not _is_known(value):
            raise _refusal(
                copy, line, f"{name} is {_described(value)}: name numbers, tuples of them, functions"
            )


def _members(copy: FunctionType) -> Iterator[tuple[ModuleType, str, int]]:
    """Return what code names of modules, each with its line."""
    module, line = None, copy.__code__.co_firstlineno
    for step in dis.get_instructions(copy.__code__):
        line = step.starts_line or line
        if module is not None and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            yield module, step.argval, line
        value = copy.__globals__.get(step.argval) if step.opname == "LOAD_GLOBAL" else None
        module = value if isinstance(value, ModuleType) else None


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)


def _is_known(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_is_known(each) and not callable(each) for each in value)
    if isinstance(value, bool | int | float | str | np.float32 | np.float64) or _is_error(value):
        return True
    if isinstance(value, ModuleType) and value.__name__.startswith("vecsim.engines.state"):
        return True
    return id(value) in STANDING or isinstance(value, Dispatcher | _Intrinsic)


def _described(value: object) -> str:
    if isinstance(value, ModuleType):
        return f"the module {value.__name__}"
    return f"of type {type(value).__name__}"


def _refusal(function: FunctionType, line: int, why: str) -> UserError:
    return UserError(
        f"{function.__code__.co_filename}:{line}: {function.__name__} cannot be compiled: {why}; "
        "use what docs/extending.md allows, or engine simpy"
    )

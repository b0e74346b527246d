"""What the compiled engine takes of Numba beyond its interface is there, and is put back as it was."""

import tomllib
from importlib.metadata import version
from pathlib import Path

from numba.core.registry import CPUDispatcher
from packaging.requirements import Requirement

from vecsim.engines.jit.compiler import functions, target

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))


def test_numbas_own_functions_are_compiled_for_the_engines_target_meanwhile_alone():
    before = CPUDispatcher.targetdescr
    with target.front_end():
        assert CPUDispatcher.targetdescr is target.target
    assert CPUDispatcher.targetdescr is before


def test_a_function_is_a_separate_module_that_knows_what_it_calls():
    from numba.core import types
    from numba.core.typing.templates import signature

    @functions.function
    def twice(a):
        return a + a

    def fourfold(a):
        return twice(twice(a))

    with target.front_end():
        built = functions.function(fourfold).result(signature(types.int64, types.int64)).library
    assert isinstance(built, target.Module)
    assert any("twice" in str(each.llvm_module) for each in built.called if isinstance(each, target.Module))
    assert "define" in str(built.llvm_module)


def test_the_version_of_numba_is_one_that_is_known_to_work():
    bounds = next(
        Requirement(each) for each in PROJECT["project"]["dependencies"] if each.startswith("numba")
    )
    assert bounds.specifier.contains(version("numba"))
    assert any(each.operator == "<" for each in bounds.specifier)

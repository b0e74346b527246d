"""The classic vector instructions and what RISC-V's vector extension, RVV 1.0, has for each.

Operands of RVV have the names that the classic syntax gives them; ``vt``, ``vu`` and ``xt`` are registers for
intermediate values. `tests/docs/test_riscv_page.py` compares the classic names with the instruction table and
assembles the RVV side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from docs.tables.markdown import code, table
from isa.instructions import BASE
from isa.operands import written_syntax
from isa.pseudo import ABSENT
from isa.registers import ALIASES, RISCV_ALIASES

BYTES_INDEXED = "an index of RVV counts bytes"
FIRST_BYTE = "RVV has no offset"
NAN = "RVV returns the other operand where one is NaN"
WIDE = "SEW is 32: RVV holds the elements of 64 bits in two registers"
NARROW = "RVV loads with a SEW of {bits}, and extends with 32"
NARROWED = "SEW is half of the wider element's"
FROM = "RVV slides past the last element to 0; the classic index is modulo s"


@dataclass(frozen=True)
class Counterpart:
    """Classic instructions, by their mnemonics; the RVV instructions for one of them; what differs."""

    classic: tuple[str, ...]
    rvv: tuple[str, ...]
    differs: str = ""


def _both(names: str, rvv: str, differs: str = "") -> Counterpart:
    return Counterpart(tuple(names.split()), tuple(rvv.split("; ")) if rvv else (), differs)


def _length() -> Iterator[Counterpart]:
    how = (
        "RVV reads the count without its sign, `x0` is the greatest length, and of a count between VLMAX and "
        "twice VLMAX the result may be less than VLMAX"
    )
    yield _both("setvl", "vsetvli xd, xa, e32, m1, ta, ma", how)
    yield _both("mfs", "csrr xd, vl", "of the special registers RVV has `vl`")
    yield _both("mts", "", "writes registers of BBCS")


def _arithmetic() -> Iterator[Counterpart]:
    for name in ("add", "sub", "mul", "min", "max"):
        differs = NAN if name in ("min", "max") else ""
        yield _both(f"{name}vv.w", f"v{name}.vv vd, va, vb")
        yield _both(f"{name}vs.w", f"v{name}.vx vd, va, xb")
        yield _both(f"{name}vv.s {name}vv.d", f"vf{name}.vv vd, va, vb", differs)
        yield _both(f"{name}vs.s {name}vs.d", f"vf{name}.vf vd, va, fb", differs)
    yield _both("subsv.w", "vrsub.vx vd, va, xb")
    yield _both("subsv.s subsv.d", "vfrsub.vf vd, va, fb")
    yield _both("divvv.s divvv.d", "vfdiv.vv vd, va, vb")
    yield _both("divvs.s divvs.d", "vfdiv.vf vd, va, fb")
    yield _both("divsv.s divsv.d", "vfrdiv.vf vd, va, fb")
    for name in ("and", "or", "xor", "sll", "srl", "sra"):
        yield _both(f"{name}vv.w", f"v{name}.vv vd, va, vb")
        yield _both(f"{name}vs.w", f"v{name}.vx vd, va, xb")
    yield _both("sqrtv.s sqrtv.d", "vfsqrt.v vd, va")
    yield _both("maddvv.s maddvv.d", "vfmacc.vv vd, va, vb", "RVV rounds once")
    yield _both("maddvs.s maddvs.d", "vfmacc.vf vd, fb, va", "RVV rounds once")
    order = "RVV adds the elements in order to a first value, here 0"
    yield _both("sumv.s sumv.d", "vmv.s.x vt, zero; vfredosum.vs vt, va, vt; vfmv.f.s fd, vt", order)
    yield _both("absv.w", "vrsub.vx vt, va, zero; vmax.vv vd, va, vt")
    yield _both("absv.s absv.d", "vfabs.v vd, va")


def _compares_and_moves() -> Iterator[Counterpart]:
    for name, rvv in (("seq", "eq"), ("slt", "lt"), ("sle", "le")):
        yield _both(f"{name}vv.w", f"vms{rvv}.vv v0, va, vb")
        yield _both(f"{name}vv.s {name}vv.d", f"vmf{rvv}.vv v0, va, vb")
    yield _both("mergev", "vmerge.vvm vd, vb, va, v0", "the sources change places")
    yield _both("movv", "vmv.v.v vd, va")
    yield _both("movvf", "vfmv.v.f vd, fa")
    yield _both("movvx", "vmv.v.x vd, xa")
    yield _both("cvi", "vid.v vd; vmul.vx vd, vd, xa")
    slide = "addi xt, xi, 1; vsetvli zero, xt, e32, m1, tu, ma; vslideup.vx vd, vt, xi"
    yield _both("insf", f"vfmv.s.f vt, fa; {slide}", "then `vl` must be set again")
    yield _both("insx", f"vmv.s.x vt, xa; {slide}", "then `vl` must be set again")
    yield _both("extf", "vslidedown.vx vt, va, xi; vfmv.f.s fd, vt", FROM)
    yield _both("extx", "vslidedown.vx vt, va, xi; vmv.x.s xd, vt", FROM)
    yield _both("cvtv.s.w", "vfcvt.f.x.v vd, va")
    yield _both("cvtv.w.s", "vfcvt.rtz.x.f.v vd, va")
    yield _both("cvtv.d.w", "vfwcvt.f.x.v vd, va", WIDE)
    yield _both("cvtv.d.s", "vfwcvt.f.f.v vd, va", WIDE)
    yield _both("cvtv.w.d", "vfncvt.rtz.x.f.w vd, va", WIDE)
    yield _both("cvtv.s.d", "vfncvt.f.f.w vd, va", WIDE)


def _loads_and_stores() -> Iterator[Counterpart]:
    for name, bits, shift in (("w", 32, 2), ("d", 64, 3)):
        scaled = f"vsll.vi vt, vi, {shift}"
        yield _both(f"lv.{name}", f"vle{bits}.v vd, (xa)", FIRST_BYTE)
        yield _both(f"lvws.{name}", f"vlse{bits}.v vd, (xa), xs")
        yield _both(f"lvi.{name}", f"{scaled}; vluxei{bits}.v vd, (xa), vt", BYTES_INDEXED)
        yield _both(f"sv.{name}", f"vse{bits}.v vb, (xa)", FIRST_BYTE)
        yield _both(f"svws.{name}", f"vsse{bits}.v vb, (xa), xs")
        yield _both(f"svi.{name}", f"{scaled}; vsoxei{bits}.v vb, (xa), vt", BYTES_INDEXED)
    for name, bits in (("b", 8), ("h", 16)):
        scaled, index = ("vsll.vi vu, vi, 1; ", "vu") if bits == 16 else ("", "vi")
        for sign, extend in (("", "vsext"), ("u", "vzext")):
            extended, differs = f"{extend}.vf{32 // bits} vd, vt", NARROW.format(bits=bits)
            yield _both(f"lv.{name}{sign}", f"vle{bits}.v vt, (xa); {extended}", f"{FIRST_BYTE}; {differs}")
            yield _both(f"lvws.{name}{sign}", f"vlse{bits}.v vt, (xa), xs; {extended}", differs)
            yield _both(f"lvi.{name}{sign}", f"{scaled}vluxei32.v vt, (xa), {index}; {extended}", differs)
        narrowed = "vnsrl.wi vt, vb, 0" + ("; vnsrl.wi vt, vt, 0" if bits == 8 else "")
        yield _both(f"sv.{name}", f"{narrowed}; vse{bits}.v vt, (xa)", f"{FIRST_BYTE}; {NARROWED}")
        yield _both(f"svws.{name}", f"{narrowed}; vsse{bits}.v vt, (xa), xs", NARROWED)
        yield _both(f"svi.{name}", f"{narrowed}; {scaled}vsoxei32.v vt, (xa), {index}", NARROWED)
    yield _both("ldc.w ldc.d stc.w stc.d", "", "there is no vector cache")
    yield _both("ldb.w ldb.d bmipa.s bmipa.d bmipac.s bmipac.d", "", "extension for HiSM")
    yield _both("lds.w lds.d mipa.s mipa.d", "", "extension for BBCS")


COUNTERPARTS: tuple[Counterpart, ...] = (
    *_length(),
    *_arithmetic(),
    *_compares_and_moves(),
    *_loads_and_stores(),
)
"""Every classic vector instruction, once."""


def vector() -> str:
    """Return the classic vector instructions, with RVV's."""
    return table(
        ["classic", "RVV 1.0", "what differs"],
        (
            (
                "<br>".join(code(written_syntax(BASE.by_mnemonic[name])) for name in each.classic),
                "<br>".join(map(code, each.rvv)) or "none",
                each.differs,
            )
            for each in COUNTERPARTS
        ),
    )


def absent() -> str:
    """Return the scalar instructions of RISC-V that have another name here, or none."""
    return table(["RISC-V", "here"], ((code(name), text) for name, text in ABSENT.items()))


def registers() -> str:
    """Return the registers' names in RISC-V's calling convention."""
    names: dict[str, list[str]] = {}
    for alias, plain in (ALIASES | RISCV_ALIASES).items():
        names.setdefault(plain, []).append(alias)
    order = sorted(names, key=lambda plain: (plain[0] != "x", int(plain[1:])))
    rows = [(code(plain), ", ".join(map(code, names[plain]))) for plain in order]
    half = len(rows) // 2
    return table(["register", "name"] * 2, [(*rows[k], *rows[k + half]) for k in range(half)])

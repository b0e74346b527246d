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
from programs.rvv.registry import KERNELS

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


def _of_the_mask() -> Iterator[Counterpart]:
    yield _both("popm", "vcpop.m xd, v0")
    yield _both("firstm", "vfirst.m xd, v0")
    yield _both("compressv", "vcompress.vm vd, va, v0")
    for name, rvv in (
        ("seq", "eq"),
        ("sne", "ne"),
        ("slt", "lt"),
        ("sle", "le"),
        ("sgt", "gt"),
        ("sge", "ge"),
    ):
        if name != "sge":
            yield _both(f"{name}vs.w", f"vms{rvv}.vx v0, va, xb")
        yield _both(f"{name}vs.s {name}vs.d", f"vmf{rvv}.vf v0, va, fb")
    yield _both("sgevs.w", "vmslt.vx v0, va, xb; vmnot.m v0, v0")
    first = "xt holds the value for no element"
    yield _both("sumv.w", "vmv.s.x vt, zero; vredsum.vs vt, va, vt; vmv.x.s xd, vt")
    for name in ("min", "max"):
        yield _both(f"{name}v.w", f"vmv.s.x vt, xt; vred{name}.vs vt, va, vt; vmv.x.s xd, vt", first)
        lines = f"vmv.s.x vt, xt; vfred{name}.vs vt, va, vt; vfmv.f.s fd, vt"
        yield _both(f"{name}v.s {name}v.d", lines, f"{first}; {NAN}")


_MERGES = {
    "movvm": "vmerge.vvm vd, vd, va, v0",
    "movvfm": "vfmerge.vfm vd, vd, fa, v0",
    "movvxm": "vmerge.vxm vd, vd, xa, v0",
    "sgevsm.w": "vmslt.vx vt, va, xb; vmandn.mm v0, v0, vt",
}
"""Classic instructions under mask that in RVV are others."""
_UNMASKED = ("vmv.", "vfmv.", "vsll.")
"""RVV instructions that only prepare, or take the result."""


def _under_mask(counterparts: tuple[Counterpart, ...]) -> Iterator[Counterpart]:
    """Yield the counterparts of forms under mask: those of the other forms with v0.t."""
    for each in counterparts:
        names = tuple("m.".join(name.split(".")) if "." in name else name + "m" for name in each.classic)
        if names[0] in _MERGES:
            yield _both(names[0], _MERGES[names[0]])
        elif names[0] in BASE.by_mnemonic:
            lines = tuple(line if line.startswith(_UNMASKED) else f"{line}, v0.t" for line in each.rvv)
            yield Counterpart(names, lines, each.differs)


_UNCONDITIONAL = (
    *_length(),
    *_arithmetic(),
    *_compares_and_moves(),
    *_of_the_mask(),
    *_loads_and_stores(),
)
COUNTERPARTS: tuple[Counterpart, ...] = (*_UNCONDITIONAL, *_under_mask(_UNCONDITIONAL))
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


def kernels() -> str:
    """Return the kernels in C and what they show."""
    rows = ((code(each.name), each.title, each.written_as, each.summary) for each in KERNELS.values())
    return table(["kernel", "what it does", "in", "what it shows"], rows)

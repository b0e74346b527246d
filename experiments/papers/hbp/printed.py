"""The numbers of the HBP paper, as it prints them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PrintedMatrix:
    """A row of Table I.

    Attributes
    ----------
    id, name
        As printed, without the star of symmetric ones.
    rows, entries
        As printed, of square matrices: thousands (K) or millions (M).
    """

    id: str
    name: str
    rows: str
    entries: str


TABLE_1 = (
    PrintedMatrix("m1", "ASIC_320k", "321K", "1.9M"),
    PrintedMatrix("m2", "ASIC_680k", "682K", "3.8M"),
    PrintedMatrix("m3", "barrier2-3", "113K", "2.1M"),
    PrintedMatrix("m4", "kron_g500-logn18", "262K", "21.1M"),
    PrintedMatrix("m5", "kron_g500-logn19", "524K", "43.5M"),
    PrintedMatrix("m6", "kron_g500-logn20", "1.0M", "89.2M"),
    PrintedMatrix("m7", "kron_g500-logn21", "2.0M", "182.0M"),
    PrintedMatrix("m8", "mip1", "66K", "10.3M"),
    PrintedMatrix("m9", "nxp1", "414K", "2.7M"),
    PrintedMatrix("m10", "ohne2", "181K", "6.9M"),
    PrintedMatrix("m11", "rajat21", "411K", "1.8M"),
    PrintedMatrix("m12", "rajat24", "358K", "1.9M"),
    PrintedMatrix("m13", "rajat29", "643K", "3.8M"),
    PrintedMatrix("m14", "rajat30", "643K", "6.2M"),
)
REDUCTIONS = {"kron_g500-logn18": 42, "ASIC_680k": 79, "nxp1": 67, "ohne2": 78, "rajat30": 5}
"""Figure 6: by how many per cent the hash makes the standard deviation within groups less (section IV-A)."""
PREPROCESSING = {"dynamic": ("3.67", "7.67"), "sort": ("3.53", "7.23")}
"""Figure 7: mean and greatest speed-up of the preprocessing over DP2D and sort2D (section IV-B)."""
PRODUCTS = {
    "Orin": {"crs-scalar": ("1.64", "3.32"), "own": ("2.68", "6.17")},
    "4090": {"crs-scalar": ("1.61", "3.01"), "own": ("5.49", "9.71")},
}
"""Figures 8 and 10: mean and greatest speed-up of HBP over CSR and the 2D partition (section IV-C)."""


@dataclass(frozen=True)
class PrintedMemory:
    """A row of Table II, measured by Nsight Compute on an RTX 4090, as printed.

    Attributes
    ----------
    csr_busy, hbp_busy
        Mem Busy of CSR and HBP, per cent.
    csr_rate, hbp_rate
        Their memory throughput, GB/s.
    """

    csr_busy: str
    hbp_busy: str
    csr_rate: str
    hbp_rate: str


TABLE_2 = {
    "m1": PrintedMemory("0.15", "3.58", "2.85", "145.12"),
    "m2": PrintedMemory("0.10", "4.22", "3.29", "189.77"),
    "m3": PrintedMemory("5.56", "2.64", "113.3", "123.88"),
    "m8": PrintedMemory("0.67", "0.31", "19.05", "15.11"),
    "m9": PrintedMemory("0.92", "4.80", "25.53", "215.11"),
    "m10": PrintedMemory("14.35", "4.08", "263.69", "169.54"),
    "m11": PrintedMemory("0.18", "4.72", "5.26", "211.19"),
    "m12": PrintedMemory("0.19", "4.00", "5.2", "178.26"),
    "m13": PrintedMemory("0.11", "2.70", "3.15", "121.12"),
    "m14": PrintedMemory("0.13", "2.92", "2.67", "128.42"),
}
"""By the matrix's id: those that the paper multiplies on an RTX 4090, in figure 10 as well."""
ON_THE_4090 = tuple(TABLE_2)
"""The paper's ten matrices of figure 10: its m4 to m7 do not fit into 24 GB there (section IV-C)."""
MEMORY_OF_THE_4090 = 24e9
"""Bytes (section IV)."""

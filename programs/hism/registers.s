# The registers of the programs that walk a matrix in HiSM (walk.s), and the frame that is kept on the stack. It is
# included by them; each says what `lastrow` and `lastcol` are the last of.

.reg array,    x3       # argument: address of a block array
.reg length,   x4       # argument: its entries
.reg row,      x5       # argument: its block row among all blocks of its level
.reg col,      x6       # argument: its block column
.reg level,    x7       # argument: its level, 1 or more
.reg lengths,  x8       # address of the vector of lengths
.reg n,        x9       # entries of this section
.reg i,        x10      # number of the entry in the section
.reg child,    x11      # the array that the entry points to
.reg childlen, x12
.reg childrow, x13
.reg childcol, x14
.reg lastrow,  x15      # a block row, -1: none
.reg lastcol,  x16      # a block column, -1: none
.reg yseg,     x17      # address of the elements of y that are at hand
.reg xseg,     x18
.reg s,        x19
.reg t,        x20
.reg frame,    x21      # bytes of a stack frame
.reg low,      x22      # 0xffff

.reg pointer,  v0       # a section of pointers, its positions and lengths
.reg place,    v1
.reg size,     v2
.reg value,    v3       # a section of values and its positions
.reg position, v4
.reg y,        v5       # segment of y
.reg x,        v6       # segment of x

# A frame holds eight words of scalars and three vectors: pointers, positions, lengths.
.equ FRAME_VECTORS, 32
.equ VECTOR_BYTES, 4 << SECTION_BITS

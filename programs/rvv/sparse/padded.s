# One entry of each row of a strip, for formats in which entries of several rows stand together: columns and values are
# loaded, x is gathered, and the products are added to v0. a1 columns, a2 values, a4 x, of this entry.

.macro entry column, gathered, value
    vle32.v \column, (a1)
    vle32.v \value, (a2)
    vsll.vi \column, \column, 2     # bytes
    vluxei32.v \gathered, (a4), \column
    vfmacc.vv v0, \value, \gathered
.endm

"""The product of HiSparse by traversal, as its paper schedules it: queues of nodes, and a controller.

`queues` says which queues there are, `node_work` what is done with a node, `scheduling` who does it,
`kernels` puts these together, and `product` launches them. `gpu.hisparse.product` is the flat layout.
"""

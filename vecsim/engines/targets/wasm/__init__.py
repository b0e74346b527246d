"""The compiled engine as a WebAssembly module, docs/reference/wasm.md.

===============  =============================================================================
``objects``      the parts of the engine, compiled for WebAssembly
``linking``      the module, by LLVM's linker
``description``  where its arrays and fields are, for the host
``build``        the folder with all that a host needs
``engine``       a program laid out for the module, which a host runs
``engine.mjs``   the glue of a host: memory, addresses, calls
===============  =============================================================================
"""

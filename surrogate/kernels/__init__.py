"""Array types and compiled code, for all packages: the decorator, the cache of machine code, its lowering, and Ctrl-C."""

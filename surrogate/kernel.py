"""Kernels that call kernels: each entry point, called from Python, is compiled as one module of machine code.

Numba compiles every function by itself: the code of those that it calls is linked into it and optimised again, at each
level of the call tree, and machine code is made and cached for all of them. Here a kernel that is called by another one
ends as unoptimised code. Only the kernel that Python calls is optimised, with all that it calls, and only its machine
code is cached.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import compile_extra
from numba.core.dispatcher import _FunctionCompiler
from numba.core.registry import CPUDispatcher


class Kernel(CPUDispatcher):
    """A compiled function: an entry point for Python, a `Part` for other kernels."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, {}, options)
        self._compiler = _Compiler(self._compiler, _Entry)
        self.part = Part(function, {}, options)

    def compile(self, sig: Any) -> Any:
        """Compile for the types of some arguments, or load that from the cache."""
        with _no_collection():
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The types of a call by another kernel."""
        return self.part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """What another kernel calls."""
        return self.part.get_overload(sig)


class Part(CPUDispatcher):
    """A function as other kernels call it: without machine code."""

    def __init__(self, function: Callable[..., Any], locals_: dict[str, Any], options: dict[str, Any]) -> None:
        super().__init__(function, locals_, options)
        self._compiler = _Compiler(self._compiler, _Raw)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The types of a call: the same for the number 0 as for any other integer."""
        plain = tuple(types.unliteral(one) for one in args)
        return super().get_call_template(plain, {name: types.unliteral(one) for name, one in kws.items()})

    def add_overload(self, cres: Any) -> None:
        """Keep compiled code, which Python cannot call."""
        self.overloads[tuple(cres.signature.args)] = cres


class _Compiler(_FunctionCompiler):
    """Compiles a function into a library of a given type."""

    def __init__(self, other: _FunctionCompiler, library: type[JITCodeLibrary]) -> None:
        super().__init__(other.py_func, other.targetdescr, other.targetoptions, other.locals, other.pipeline_class)
        self._library = library

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        from numba.core.compiler import Flags

        flags, context = Flags(), self.targetdescr.target_context
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        raw = self._library is _Raw
        flags.no_cfunc_wrapper = True
        if raw:
            flags.no_compile = flags.no_cpython_wrapper = True
        library = self._library(context.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        cres = compile_extra(
            self.targetdescr.typing_context,
            context,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=flags,
            locals=self.locals,
            library=library,
            pipeline_class=self.pipeline_class,
        )
        if raw:
            key = object()
            context.insert_user_function(key, cres.fndesc, [cres.library])
            return cres._replace(entry_point=key)
        for env in cres._find_referenced_environments():
            library.codegen.set_env(env.env_name, env)
        return cres


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the garbage collector: it finds little meanwhile, and takes a fifth of the time of compilation."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 1000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Raw(JITCodeLibrary):
    """Code that is neither optimised nor linked."""

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._finalized = True


class _Entry(JITCodeLibrary):
    """Code of an entry point, with all that it calls."""

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        for library in dict.fromkeys(_below(self)):
            self._reload_init.update(library._reload_init)
            module = library._final_module.clone()
            for function in module.functions:
                if not function.is_declaration and function.linkage.name == "external":
                    function.linkage = "linkonce_odr"
            self._final_module.link_in(module)
        self._linking_libraries = []
        super().finalize()


def _below(library: Any) -> Iterator[Any]:
    """All libraries that one needs."""
    for one in library._linking_libraries:
        yield one
        yield from _below(one)

"""Kernels that call kernels: what Python calls is compiled as one module of machine code.

Numba compiles every function by itself: it links the code of those that it calls, optimises it again, and makes and caches
machine code, at each level of the call tree. Here a function that a kernel calls, of Numba or of this project, ends as unoptimised
code. Only an entry point, which Python calls, is optimised together with all that it calls, and only its machine code is cached. The
results are the same: without `fastmath`, LLVM changes no rounding.

This uses parts of Numba that are not public: `tests/surrogate/kernels/test_kernel.py` checks what it relies on.
"""

# mypy: allow-untyped-calls, no-warn-unused-ignores

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from operator import getitem, setitem
from pathlib import Path
from typing import Any, cast

from numba.core import compiler, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.target_extension import CPU, dispatcher_registry, get_local_target, jit_registry
from numba.core.targetconfig import ConfigStack
from numba.core.typing.context import Context

from surrogate.kernels.lowering import Arguments, Pipeline

numba_compiler: Any = compiler
DIGEST = 16
"""Number of bytes of the digest of machine code in a file."""
ALLOCATIONS = 100_000
"""New objects after which garbage is collected during compilation: with Python's 700, that takes a fifth of the time."""


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function. Python calls its machine code, other kernels its `KernelPart`."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        """Prepare to compile a function.

        Args:
            options: Those of `numba.njit`.
        """
        super().__init__(function, {}, options)
        self._compiler: Any = _Compiler(self._compiler, _WholeLibrary)
        self.part = KernelPart(function, {}, options)

    def cache_in(self, base: Path) -> None:
        """Cache the machine code in a folder that belongs to these sources, so that it is found wherever they are installed."""

        class Locator(_Locator):
            folder = base

        class Impl(CompileResultCacheImpl):  # type: ignore[misc]
            _locator_classes: Any = (Locator, *CompileResultCacheImpl._locator_classes)

        class Cache(_Cache):
            _impl_class: Any = Impl

        self._cache = Cache(self.py_func)

    def compile(self, sig: Any) -> Any:
        """Compile for given types of arguments, or load the cached code."""
        with _collect_seldom():
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Types of a call by another kernel; a function that Numba compiles by itself would pass the arguments otherwise.

        A number that is written in the code has the type of any other, for which the part is compiled once.
        """
        if get_local_target(self.typingctx) is not _Target:
            raise TypeError(f"only Python and functions decorated with `compiled` can call {self.py_func.__name__}")
        plain = {name: types.unliteral(one) for name, one in kws.items()}
        return self.part.get_call_template(tuple(types.unliteral(one) for one in args), plain)

    def get_overload(self, sig: Any) -> Any:
        """Return the function that another kernel calls."""
        return self.part.get_overload(sig)


class KernelPart(CPUDispatcher):  # type: ignore[misc]
    """A function as kernels call it."""

    def __init__(self, function: Callable[..., Any], variables: dict[str, Any], options: dict[str, Any]) -> None:
        """Prepare to compile a function; see `CPUDispatcher`."""
        super().__init__(function, variables, options)
        self._compiler: Any = _Compiler(self._compiler, _RawLibrary)

    def __call__(self, *arguments: Any) -> Any:
        """Run the function uncompiled, in Python."""
        return self.py_func(*arguments)

    def add_overload(self, cres: Any) -> None:
        """Keep compiled code, which Python cannot call."""
        self.overloads[tuple(cres.signature.args)] = cres


class _RawLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code of one function, without the functions that it calls."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Shorten the code: it is optimised where it ends up."""
        if not hasattr(self._codegen, "_pass_builder"):  # numba 0.61 has LLVM's former passes
            super()._optimize_functions(ll_module)
            return
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager(opt=1)
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def add_linking_library(self, library: Any) -> None:
        """Note that this code calls another library."""
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Leave the code as it is."""
        self._finalized = True


class _WholeLibrary(_RawLibrary):
    """Code of a function with all that it calls."""

    def finalize(self) -> None:
        """Link, optimise, and make machine code."""
        for library in _find_called(self):
            if hasattr(library, "_reload_init"):  # numba 0.61 has none
                self._reload_init.update(library._reload_init)
            module = library._final_module.clone()
            for function in module.functions:
                if not function.is_declaration and function.linkage.name == "external":
                    function.linkage = "linkonce_odr"
            self._final_module.link_in(module)
        self._linking_libraries = []
        JITCodeLibrary.finalize(self)


def _find_called(library: Any) -> dict[Any, None]:
    """Find all libraries that a library calls, in order of their first call."""
    found: dict[Any, None] = {}
    waiting = [library]
    while waiting:
        for called in waiting.pop()._linking_libraries:
            if called not in found:
                found[called] = None
                waiting.append(called)
    return found


class _Target(CPU):
    """Target for which kernels are compiled. For it, Numba's own functions are parts too."""


jit_registry[_Target] = lambda **options: lambda function: KernelPart(function, {}, options)
dispatcher_registry[_Target] = KernelPart


class _Flags(numba_compiler.Flags):  # type: ignore[misc]
    """Options of a function, compared by what is set: Numba compares them with all defaults, for every call that it looks at."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flags) and bool(self._values == other._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values))


class _Typing(Context):  # type: ignore[misc]
    """Types of calls with numbers, each found once: Numba tries all that an operator may mean, each time that it looks at a call."""

    def __init__(self, other: Any) -> None:
        self.__dict__.update(vars(other))
        self._found: dict[Any, Any] = {}

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Resolve the types of a call.

        Raises:
            TypeError: A function that Numba compiles by itself would take a named tuple otherwise than a kernel passes it.
        """
        foreign = isinstance(func, types.Dispatcher) and not isinstance(func.dispatcher, Kernel | KernelPart)
        if foreign and any(isinstance(one, types.BaseNamedTuple) for one in (*args, *dict(kws).values())):
            raise TypeError(
                f"a kernel passes a named tuple to {func.dispatcher.py_func.__name__}: decorate it with `compiled`"
            )
        # What handles other arrays is compiled once with and once without counts of references, and the last one found is called.
        item = func in (getitem, setitem) and isinstance(args[0], types.Array)
        if kws or not args or not (item or all(isinstance(one, types.Number | types.Boolean) for one in args)):
            return super().resolve_function_type(func, args, kws)
        key = func, tuple(args), ConfigStack.top_or_none()
        if key not in self._found:
            self._found[key] = super().resolve_function_type(func, args, kws)
        return self._found[key]


_typing = cache(_Typing)


class _Compiler(_FunctionCompiler):  # type: ignore[misc]
    """Compiles a function into a `_RawLibrary` or `_WholeLibrary` library."""

    def __init__(self, other: Any, library: type[_RawLibrary]) -> None:
        super().__init__(other.py_func, other.targetdescr, other.targetoptions, other.locals, other.pipeline_class)
        self._library = library

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        target, entry = self.targetdescr, self._library is _WholeLibrary
        base, flags = target.target_context, _Flags()
        context = base.subtarget(target=_Target, get_arg_packer=lambda kinds: Arguments(base.data_model_manager, kinds))
        target.options.parse_as_flags(flags, self.targetoptions)
        flags.no_cfunc_wrapper = True
        if not entry:
            flags.no_compile = flags.no_cpython_wrapper = True
        library: Any = self._library(context.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        done = numba_compiler.compile_extra(
            _typing(target.typing_context),
            context,
            self.py_func,
            args,
            return_type,
            flags,
            self.locals,
            library=library,
            pipeline_class=Pipeline,
        )
        if entry:
            # As Numba does when it loads an entry point: each part has constants of its own, for errors that it raises.
            for constants in done._find_referenced_environments():
                library.codegen.set_env(constants.env_name, constants)
            return done
        called = object()
        context.insert_user_function(called, done.fndesc, [library])
        return done._replace(entry_point=called)


class _Cache(FunctionCache):  # type: ignore[misc]
    """Cache of a kernel, without which work goes on: what is damaged is compiled again, and what cannot be written is not kept."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _CheckedFiles(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load machine code; None if there is none, or it is damaged."""
        try:
            return super().load_overload(sig, target_context)
        except MemoryError:
            raise
        except Exception:  # whatever unpickling makes of other bytes
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save machine code if there is room."""
        with suppress(OSError):
            super().save_overload(sig, data)


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Files of a cache in which machine code is followed by a digest of itself and of what it is for.

    Damaged code would not raise an error, but crash. And two processes that save at once may give their code the same name.
    """

    _key = b""

    def save(self, key: Any, data: Any) -> None:
        """Save machine code."""
        self._key = repr(key).encode()
        super().save(key, data)

    def load(self, key: Any) -> Any:
        """Load machine code; None if there is none, or it is damaged."""
        self._key = repr(key).encode()
        return super().load(key)

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)
        return content + self._digest(content)  # unpickling ignores what follows

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        return pickle.loads(content) if content[-DIGEST:] == self._digest(content[:-DIGEST]) else None

    def _digest(self, content: bytes) -> bytes:
        return blake2b(content + self._key, digest_size=DIGEST).digest()


class _Locator(_CacheLocator):
    """Locator of the cached machine code of a kernel."""

    folder: Path

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file, self._line = file, function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator | None:
        """Make the locator of a kernel; None if the folder cannot be written."""
        self: Any = cls(py_func, py_file)
        try:
            self.ensure_cache_path()
        except OSError:
            return None
        return cast("_Locator", self)

    def get_cache_path(self) -> str:
        """Folder of the kernel."""
        return str(self.folder)

    def get_source_stamp(self) -> str:
        """Return nothing: the folder belongs to these sources already."""
        return ""

    def get_disambiguator(self) -> str:
        """Return the line, since two functions in one file may have the same name."""
        return str(self._line)


@contextmanager
def _collect_seldom() -> Iterator[None]:
    """Collect garbage seldom: compilation makes many objects, and little garbage."""
    before = gc.get_threshold()
    gc.set_threshold(ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)

"""Machine code of kernels for named tuples: a kernel is told where a tuple is, and reads there what it needs.

Numba takes a tuple apart into its numbers and pointers for each call, and copies all of them for each access to one. A work space has
400 of them: they were most of what was compiled. Tuples never change, and a caller waits for what it calls, so a pointer will do.

This uses parts of Numba that are not public: `tests/surrogate/kernels/test_kernel.py` checks what it relies on.
"""

# mypy: allow-untyped-calls, no-warn-unused-ignores

from __future__ import annotations

from collections import Counter
from types import CodeType
from typing import Any

from llvmlite.ir import values
from numba.core import cgutils, compiler, ir, types
from numba.core.compiler_machinery import register_pass
from numba.core.datamodel.packer import ArgPacker
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

NAMED: Any = types.BaseNamedTuple
KNOWN: frozenset[str] = values.ArgumentAttributes._known
READ_ONLY = "noalias", "readonly", "captures(none)" if "captures(none)" in KNOWN else "nocapture"
"""Attributes of a pointer to a named tuple for LLVM; the name of the last one depends on its version."""


class Arguments(ArgPacker):  # type: ignore[misc]
    """Arguments of a function, in which named tuples are pointers."""

    def __init__(self, manager: Any, kinds: Any) -> None:
        """Prepare to pass arguments of some types; see `ArgPacker`."""
        super().__init__(_Models(manager), kinds)

    def assign_names(self, args: Any, names: Any) -> None:
        """Name the arguments, and note that named tuples are not written to."""
        super().assign_names(args, names)
        for kind, value in zip(self._fe_args, self._unflattener.unflatten(args), strict=True):
            if isinstance(kind, NAMED):
                for word in READ_ONLY:
                    set.add(value.attributes, word)  # llvmlite does not know all


class _Models:
    """Data models that pass arguments by their types."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def lookup(self, kind: Any) -> Any:
        model = self._manager.lookup(kind)
        return _PointerModel(model) if isinstance(kind, NAMED) else model


class _PointerModel:
    """Data model that passes a named tuple as a pointer."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def get_argument_type(self) -> Any:
        return self._model.get_value_type().as_pointer()

    def as_argument(self, builder: Any, value: Any) -> Any:
        return value if value.type == self.get_argument_type() else cgutils.alloca_once_value(builder, value)

    def from_argument(self, builder: Any, value: Any) -> Any:
        return builder.load(value)


class _Lower(Lower):  # type: ignore[misc]
    """Makes code for the LLVM compiler. Functions that count references keep copies, which they own."""

    def pre_lower(self) -> None:
        """Begin a function."""
        super().pre_lower()
        blocks = self.blocks.values()
        assigned = Counter(one.target.name for block in blocks for one in block.find_insts(ir.Assign))
        self._once = {name for name, times in assigned.items() if times == 1}
        self._fixed: set[str] = set()
        self._passing = False

    def lower_inst(self, inst: Any) -> None:
        """Return a variable that is, for the whole call, an argument or a part of one is a pointer to it."""
        if isinstance(inst, ir.Assign) and not self.context.enable_nrt and inst.target.name in self._once:
            name, value = inst.target.name, inst.value
            if isinstance(kind := self.typeof(name), NAMED):
                place = None
                if isinstance(value, ir.Arg) and self.typeof("arg." + value.name) == kind:
                    place = self.fnargs[value.index].operands[0]
                elif isinstance(value, ir.Expr) and value.op == "getattr" and value.value.name in self._fixed:
                    with self.builder.goto_entry_block():
                        place = self._part_pointer(kind, value)
                elif isinstance(value, ir.Var) and value.name in self._fixed:
                    place = self.varmap[value.name]
                if place is not None:
                    self._singly_assigned_vars.discard(name)
                    self._fixed.add(name)
                    self.varmap[name] = place
                    return
        super().lower_inst(inst)

    def _part_pointer(self, kind: Any, expr: Any) -> Any:
        """Pointer to a part of a named tuple; None if it is not in memory."""
        name = expr.value.name
        whole: Any = self.typeof(name)
        if isinstance(whole, NAMED) and name in self.varmap and not self.context.enable_nrt:
            index = whole.fields.index(expr.attr)
            if whole.types[index] == kind:
                return cgutils.gep_inbounds(self.builder, self.varmap[name], 0, index)
        return None

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Load only the part of a tuple that is used."""
        if expr.op == "getattr" and (place := self._part_pointer(resty, expr)) is not None:
            return self.builder.load(place)
        return super().lower_expr(resty, expr)

    def _lower_call_normal(self, fnty: Any, expr: Any, signature: Any) -> Any:
        self._passing = isinstance(fnty, types.Dispatcher) and not self.context.enable_nrt
        try:
            return super()._lower_call_normal(fnty, expr, signature)
        finally:
            self._passing = False

    def _cast_var(self, var: Any, ty: Any) -> Any:
        known = self._passing and isinstance(ty, NAMED) and isinstance(var, ir.Var)
        if known and var.name in self.varmap and self.typeof(var.name) == ty:
            return self.varmap[var.name]
        return super()._cast_var(var, ty)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Store a variable; nothing owns what was there."""
        if self.context.enable_nrt:
            super().storevar(value, name, argidx)
            return
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """End a variable, which owns nothing."""
        if self.context.enable_nrt:
            super().delvar(name)
        elif name not in self._blk_local_varmap:
            self._singly_assigned_vars.discard(name)


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(BaseNativeLowering):  # type: ignore[misc]
    _name: Any = "kernel_lowering"

    @property
    def lowering_class(self) -> Any:
        return _Lower


class Pipeline(compiler.Compiler):  # type: ignore[misc]
    """Numba's passes without those that would find nothing, and with the code described above."""

    def define_pipelines(self) -> Any:
        """List the passes."""
        pipelines: Any = super().define_pipelines()
        idle: set[type] = set()
        if not self.state.flags.nrt:
            idle.add(NopythonRewrites)  # of expressions that allocate arrays
        if not any(isinstance(one, CodeType) for one in self.state.func_id.func.__code__.co_consts):
            idle.add(InlineClosureLikes)
        for one in pipelines:
            one.passes[:] = [
                (_Lowering if kind is NativeLowering else kind, text) for kind, text in one.passes if kind not in idle
            ]
            one.finalize()
        return pipelines

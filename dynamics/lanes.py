"""One vine's part of an `Arena`, inside of a kernel."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from dynamics.cuda import LANES, is_simulated, map_leaves


def _lane_of(tree: Any, warp: int, lane: int) -> Any:
    """Return the arrays of one vine: of each array of nested named tuples its part [warp, ..., lane]."""
    return map_leaves(lambda array: array[warp, ..., lane], tree)


if is_simulated() or find_spec("numba_cuda") is None:  # nothing is compiled for a device
    lane_of = _lane_of
else:
    from numba.cuda import cgutils, types
    from numba.cuda.extending import intrinsic
    from numba.cuda.np.arrayobj import populate_array

    @intrinsic  # type: ignore[untyped-decorator]
    def lane_of(_: Any, tree: Any, warp: Any, lane: Any) -> Any:
        """`_lane_of` for the compiler.

        Slices would do the same, but keep their own strides for each of some sixty arrays in registers. Here the distance of neighbouring
        entries is a constant, and all arrays share one offset into the arena: a fifth as much is loaded back from spilled registers.
        """

        def codegen(target: Any, builder: Any, _: Any, values: Any) -> Any:
            offset: dict[int, Any] = {}

            def offset_of(array: Any, size: int) -> Any:
                if size not in offset:
                    ahead = builder.mul(values[1], builder.extract_value(array.strides, 0))
                    offset[size] = builder.add(ahead, builder.mul(values[2], target.get_constant(types.intp, size)))
                return offset[size]

            def part(kind: Any, value: Any) -> Any:
                if isinstance(kind, types.BaseTuple):
                    parts = [part(one, builder.extract_value(value, i)) for i, one in enumerate(kind)]
                    return target.make_tuple(builder, _lane_type(kind), parts)
                size = target.get_abi_sizeof(target.get_data_type(kind.dtype))
                whole, own = target.make_array(kind)(target, builder, value), _lane_type(kind)
                made = target.make_array(own)(target, builder)
                strides = cgutils.unpack_tuple(builder, whole.strides)[1 : own.ndim]
                item = target.get_constant(types.intp, size)
                populate_array(
                    made,
                    cgutils.pointer_add(builder, whole.data, offset_of(whole, size), whole.data.type),
                    cgutils.unpack_tuple(builder, whole.shape)[1:-1],
                    [*strides, target.get_constant(types.intp, LANES * size)],
                    item,
                    None,
                )
                return made._getvalue()

            return part(tree, values[0])

        del warp, lane  # of whatever type of integers
        return _lane_type(tree)(tree, types.intp, types.intp), codegen

    def _lane_type(kind: Any) -> Any:
        """Type of one vine's part of a type."""
        if isinstance(kind, types.BaseTuple):
            return types.BaseTuple.from_types([_lane_type(one) for one in kind], kind.instance_class)
        return types.Array(kind.dtype, kind.ndim - 2, "A")

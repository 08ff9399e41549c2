"""Instructions that compiled loops use and Python has no word for: LLVM finds the machine's own."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

BLOCK = 64  # bytes whose places are the bits of a number


@intrinsic
def lowest_bit(context, bits):  # type: ignore[no-untyped-def]
    """The place of the lowest bit that is set; one is."""

    def generated(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generated


@intrinsic
def prefetch(context, table, place):  # type: ignore[no-untyped-def]
    """Ask for a place of a table of two columns of 64 bits, which will be read soon."""

    def generated(context, builder, signature, args):  # type: ignore[no-untyped-def]
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        rows = context.make_array(signature.args[0])(context, builder, args[0])
        offset = builder.mul(args[1], ir.Constant(ir.IntType(64), 16))
        address = builder.gep(builder.bitcast(rows.data, byte), [offset])
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        # to be read, and kept near; data, not code
        builder.call(function, [address, *(ir.Constant(number, value) for value in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(table, types.uint64), generated


@intrinsic
def block_bits(context, data, base):  # type: ignore[no-untyped-def]
    """Which of 64 bytes from `base` on are ASCII letters, digits or underscores, and which are not ASCII."""

    def generated(context, builder, signature, args):  # type: ignore[no-untyped-def]
        byte = ir.IntType(8)
        block = ir.VectorType(byte, BLOCK)

        def every(value: int) -> Any:
            return ir.Constant(block, [value] * BLOCK)

        def between(these: Any, first: int, n: int) -> Any:
            return builder.icmp_unsigned("<", builder.sub(these, every(first)), every(n))

        array = context.make_array(signature.args[0])(context, builder, args[0])
        address = builder.gep(builder.bitcast(array.data, byte.as_pointer()), [args[1]])
        these = builder.load(builder.bitcast(address, block.as_pointer()), align=1)
        letters = between(builder.or_(these, every(0x20)), ord("a"), 26)
        others = builder.or_(between(these, ord("0"), 10), between(these, ord("_"), 1))
        bits = (builder.or_(letters, others), builder.icmp_signed("<", these, every(0)))
        return context.make_tuple(
            builder, signature.return_type, [builder.bitcast(own, ir.IntType(64)) for own in bits]
        )

    return types.UniTuple(types.uint64, 2)(data, types.uintp), generated

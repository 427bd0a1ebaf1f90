"""Mutations of lifetimes, the graph and operations: all mutants of the small model, worked out by hand."""

from msgspec.structs import replace

from nnvet.generators.mutations import graph, operands, operations
from nnvet.generators.mutations.editing import Mutant
from nnvet.hal.types import DataLocation, Model, Operand, OperandLifeTime, OperandType, Operation, OperationType

L, T, Op = OperandLifeTime, OperandType, OperationType


def steps(mutant: Mutant) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """The operations of a mutant."""
    return [(operation.type, operation.inputs, operation.outputs) for operation in mutant.model.main.operations]


ADD, MUL = (Op.ADD, (0, 1, 3), (2,)), (Op.MUL, (2, 0, 3), (4,))


def test_execution_order(model: Model) -> None:
    """MUL reads what ADD writes: it moves to the front, or ADD to the end."""
    assert [steps(mutant) for mutant in graph.mutate_execution_order(model, 8)] == [[MUL, ADD], [MUL, ADD]]


def test_lifetimes_with_lists_to_match(model: Model) -> None:
    """A written operand gets a value, an unwritten one loses it; inputs and outputs are listed anew."""
    found = [
        (
            index,
            mutant.model.main.operands[index].lifetime,
            mutant.model.main.input_indexes,
            mutant.model.main.output_indexes,
        )
        for mutant in operands.mutate_operand_lifetime(model, 8)
        for index in [int(mutant.description.split("operand ")[1][0])]
    ]
    assert found == [
        (0, L.TEMPORARY_VARIABLE, (), (4,)),
        (0, L.SUBGRAPH_OUTPUT, (), (4, 0)),
        (1, L.TEMPORARY_VARIABLE, (0,), (4,)),
        (1, L.SUBGRAPH_OUTPUT, (0,), (4, 1)),
        (2, L.SUBGRAPH_INPUT, (0, 2), (4,)),
        (2, L.CONSTANT_COPY, (0,), (4,)),
        (3, L.TEMPORARY_VARIABLE, (0,), (4,)),
        (3, L.SUBGRAPH_OUTPUT, (0,), (4, 3)),
        (4, L.SUBGRAPH_INPUT, (0, 4), ()),
        (4, L.CONSTANT_COPY, (0,), ()),
    ]


def test_lifetimes_against_the_lists(model: Model) -> None:
    """Constants claim to be inputs, the input to be constant, output and temporary to be each other."""
    after = [m.model.main for m in operands.mutate_operand_input_output(model, 8)]
    assert [mutated.operands[index].lifetime for index, mutated in enumerate(after)] == [
        L.CONSTANT_COPY,
        L.SUBGRAPH_INPUT,
        L.SUBGRAPH_OUTPUT,
        L.SUBGRAPH_INPUT,
        L.TEMPORARY_VARIABLE,
    ]
    assert {(mutated.input_indexes, mutated.output_indexes) for mutated in after} == {((0,), (4,))}
    assert after[0].operands[0].location == DataLocation(length=8)
    assert after[1].operands[1].location == DataLocation()


def test_constants_of_zeros_grow_the_values(model: Model) -> None:
    """An operand of 16 bytes needs more values than the 12 there are."""
    wide = replace(model.main.operands[0], dimensions=(4,))
    made = operands.constant_of_zeros(model, wide)
    assert made is not None
    assert made[0].operand_values == model.operand_values + bytes(4)
    assert made[1].location == DataLocation(length=16)


def test_constants_of_unknown_or_great_size_are_not_made(model: Model) -> None:
    """Without a known size there is no constant, and more than 32768 bytes are too much."""
    for dimensions in ((), (0,), (8193,)):
        assert operands.constant_of_zeros(model, Operand(T.TENSOR_FLOAT32, dimensions)) is None


def test_second_writers(model: Model) -> None:
    """Copies of both operations follow, and the counts of what they read go up."""
    after = list(graph.mutate_operand_add_writer(model, 4))
    assert [steps(mutant) for mutant in after] == [[ADD, MUL, ADD], [ADD, MUL, MUL]]
    assert [operand.number_of_consumers for operand in after[0].model.main.operands] == [3, 2, 1, 3, 0]


def test_missing_writers(model: Model) -> None:
    """The output goes to a new temporary 5 of the same type."""
    after = list(graph.mutate_operation_remove_write(model, 4))
    assert [steps(mutant) for mutant in after] == [
        [(Op.ADD, (0, 1, 3), (5,)), MUL],
        [ADD, (Op.MUL, (2, 0, 3), (5,))],
    ]
    assert after[1].model.main.operands[5] == Operand(T.TENSOR_FLOAT32, (2,), number_of_consumers=0)


def test_removed_operands_shift_all_indexes(model: Model) -> None:
    """Without operand 1, operands 2, 3 and 4 become 1, 2 and 3 everywhere."""
    after = list(graph.remove_operand(model, 4))
    assert len(after) == 5
    assert steps(after[1]) == [(Op.ADD, (0, 2), (1,)), (Op.MUL, (1, 0, 2), (3,))]
    assert after[1].model.main.input_indexes == (0,)
    assert after[1].model.main.output_indexes == (3,)
    assert steps(after[0]) == [(Op.ADD, (0, 2), (1,)), (Op.MUL, (1, 2), (3,))]
    assert after[0].model.main.input_indexes == ()


def test_operands_that_may_be_missing_are_not_removed(model: Model) -> None:
    """An input that nobody reads, and one of three tensors of a concatenation, may go without a word."""
    unused = Operand(T.INT32, lifetime=L.SUBGRAPH_INPUT, number_of_consumers=0)
    main = replace(model.main, operands=(*model.main.operands, unused), input_indexes=(0, 5))
    assert len(list(graph.remove_operand(replace(model, main=main), 4))) == 5
    concatenation = Operation(Op.CONCATENATION, (0, 1, 2, 3), (4,))
    main = replace(model.main, operations=(concatenation,))
    removed = [mutant.description for mutant in graph.remove_operand(replace(model, main=main), 8)]
    assert removed == ["main subgraph, operand 3 is removed", "main subgraph, operand 4 is removed"]


def test_removed_operations(model: Model) -> None:
    """One is left; what the other read is read once less."""
    after = list(graph.remove_operation(model, 4))
    assert [steps(mutant) for mutant in after] == [[MUL], [ADD]]
    assert [operand.number_of_consumers for operand in after[0].model.main.operands] == [1, 0, 1, 1, 0]


def test_lists_of_inputs_and_outputs(model: Model) -> None:
    """Missing, double, before the first operand, behind the last; and an input among the outputs."""
    after = [
        (m.model.main.input_indexes, m.model.main.output_indexes) for m in graph.mutate_input_output_lists(model, 8)
    ]
    assert after == [
        ((), (4,)),
        ((0, 0), (4,)),
        ((0, -1), (4,)),
        ((0, 5), (4,)),
        ((0,), ()),
        ((0,), (4, 4)),
        ((0,), (4, -1)),
        ((0,), (4, 5)),
        ((0,), (4, 0)),
    ]


def test_unknown_operations(model: Model) -> None:
    """Codes around the known ones: 29 is the first that level 1 lacks, 102 for level 5, 106 for level 8."""
    for level, expected in ((1, 29), (2, 38), (3, 95), (4, 102), (5, 102), (6, 104), (7, 106), (8, 106)):
        types = [m.model.main.operations[0].type for m in operations.mutate_operation_type(model, level)]
        assert [code for code in types if code != Op.ADD] == [-1, 9999, 10001, expected]


def test_operands_that_do_not_exist(model: Model) -> None:
    """Every slot names operand 5 in turn."""
    inputs = [steps(m)[0][1] for m in operations.mutate_operation_input_operand_index(model, 8)][:3]
    assert inputs == [(5, 1, 3), (0, 5, 3), (0, 1, 5)]
    outputs = [steps(m) for m in operations.mutate_operation_output_operand_index(model, 8)]
    assert [[operation[2] for operation in step] for step in outputs] == [[(5,), (4,)], [(2,), (5,)]]


def test_operations_with_an_operand_less(model: Model) -> None:
    """Each input and each output in turn; numbers of consumers follow."""
    inputs = list(operations.remove_operation_input(model, 4))
    assert [steps(m)[0][1] for m in inputs[:3]] == [(1, 3), (0, 3), (0, 1)]
    assert inputs[0].model.main.operands[0].number_of_consumers == 1
    assert [[step[2] for step in steps(m)] for m in operations.remove_operation_output(model, 4)] == [
        [(), (4,)],
        [(2,), ()],
    ]


def test_operations_with_an_operand_more(model: Model) -> None:
    """A new INT32 scalar 5, an input of the model read once, or an output that nobody reads."""
    added = next(operations.add_operation_input(model, 4)).model.main
    assert added.operations[0].inputs == (0, 1, 3, 5)
    assert added.operands[5] == Operand(T.INT32, lifetime=L.SUBGRAPH_INPUT, number_of_consumers=1)
    assert added.input_indexes == (0, 5)
    made = next(operations.add_operation_output(model, 4)).model.main
    assert made.operations[0].outputs == (2, 5)
    assert made.operands[5] == Operand(T.INT32, lifetime=L.SUBGRAPH_OUTPUT, number_of_consumers=0)
    assert made.output_indexes == (4, 5)

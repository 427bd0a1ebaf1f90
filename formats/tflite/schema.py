"""The public TFLite schema (file identifier TFL3) as data: the tables that models here need, and its enumerations.

Each line is ``Table: field=type ...``; a field's position is its slot. Types: ``bool i8 u8 i32 u32 i64 u64 f32``,
``str``, a table's name, ``[type]`` for a vector, ``union`` (two slots, type code first); ``:n`` is the default.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

FILE_IDENTIFIER: Final = b"TFL3"

_TABLES: Final = """
Model: version=u32 operator_codes=[OperatorCode] subgraphs=[SubGraph] description=str buffers=[Buffer]
OperatorCode: deprecated_builtin_code=i8 custom_code=str version=i32:1 builtin_code=i32
SubGraph: tensors=[Tensor] inputs=[i32] outputs=[i32] operators=[Operator] name=str
Tensor: shape=[i32] type=i8 buffer=u32 name=str quantization=QuantizationParameters is_variable=bool
 sparsity=SparsityParameters shape_signature=[i32] has_rank=bool
QuantizationParameters: min=[f32] max=[f32] scale=[f32] zero_point=[i64] details=union quantized_dimension=i32
SparsityParameters: traversal_order=[i32]
Operator: opcode_index=u32 inputs=[i32] outputs=[i32] builtin_options=union custom_options=[u8]
 custom_options_format=i8 mutating_variable_inputs=[bool] intermediates=[i32]
Buffer: data=[u8] offset=u64 size=u64
"""

# Options tables with their number in the BuiltinOptions union.
_OPTIONS: Final = """
1 Conv2DOptions: padding=i8 stride_w=i32 stride_h=i32 activation=i8 dilation_w_factor=i32:1 dilation_h_factor=i32:1
2 DepthwiseConv2DOptions: padding=i8 stride_w=i32 stride_h=i32 depth_multiplier=i32 activation=i8
 dilation_w_factor=i32:1 dilation_h_factor=i32:1
4 LSHProjectionOptions: type=i8
5 Pool2DOptions: padding=i8 stride_w=i32 stride_h=i32 filter_width=i32 filter_height=i32 activation=i8
6 SVDFOptions: rank=i32 activation=i8 asymmetric_quantize_inputs=bool
7 RNNOptions: activation=i8 asymmetric_quantize_inputs=bool
8 FullyConnectedOptions: activation=i8 weights_format=i8 keep_num_dims=bool asymmetric_quantize_inputs=bool
9 SoftmaxOptions: beta=f32
10 ConcatenationOptions: axis=i32 activation=i8
11 AddOptions: activation=i8 pot_scale_int16=bool:1
12 L2NormOptions: activation=i8
13 LocalResponseNormalizationOptions: radius=i32 bias=f32 alpha=f32 beta=f32
14 LSTMOptions: activation=i8 cell_clip=f32 proj_clip=f32 kernel_type=i8 asymmetric_quantize_inputs=bool
15 ResizeBilinearOptions: new_height=i32 new_width=i32 align_corners=bool half_pixel_centers=bool
17 ReshapeOptions: new_shape=[i32]
19 SpaceToDepthOptions: block_size=i32
21 MulOptions: activation=i8
22 PadOptions:
23 GatherOptions: axis=i32 batch_dims=i32
24 BatchToSpaceNDOptions:
25 SpaceToBatchNDOptions:
26 TransposeOptions:
27 ReducerOptions: keep_dims=bool
28 SubOptions: activation=i8 pot_scale_int16=bool:1
29 DivOptions: activation=i8
30 SqueezeOptions: squeeze_dims=[i32]
31 SequenceRNNOptions: time_major=bool activation=i8 asymmetric_quantize_inputs=bool
32 StridedSliceOptions: begin_mask=i32 end_mask=i32 ellipsis_mask=i32 new_axis_mask=i32 shrink_axis_mask=i32 offset=bool
33 ExpOptions:
34 TopKV2Options:
35 SplitOptions: num_splits=i32
36 LogSoftmaxOptions:
37 CastOptions: in_data_type=i8 out_data_type=i8
38 DequantizeOptions:
39 MaximumMinimumOptions:
40 ArgMaxOptions: output_type=i8
41 LessOptions:
42 NegOptions:
43 PadV2Options:
44 GreaterOptions:
45 GreaterEqualOptions:
46 LessEqualOptions:
47 SelectOptions:
48 SliceOptions:
49 TransposeConvOptions: padding=i8 stride_w=i32 stride_h=i32 activation=i8
51 TileOptions:
52 ExpandDimsOptions:
53 EqualOptions:
54 NotEqualOptions:
56 PowOptions:
57 ArgMinOptions: output_type=i8
59 PackOptions: values_count=i32 axis=i32
60 LogicalOrOptions:
62 LogicalAndOptions:
63 LogicalNotOptions:
64 UnpackOptions: num=i32 axis=i32
65 FloorDivOptions:
66 SquareOptions:
68 FillOptions:
69 BidirectionalSequenceLSTMOptions: activation=i8 cell_clip=f32 proj_clip=f32 merge_outputs=bool time_major=bool:1
 asymmetric_quantize_inputs=bool
70 BidirectionalSequenceRNNOptions: time_major=bool activation=i8 merge_outputs=bool asymmetric_quantize_inputs=bool
71 UnidirectionalSequenceLSTMOptions: activation=i8 cell_clip=f32 proj_clip=f32 time_major=bool
 asymmetric_quantize_inputs=bool diagonal_recurrent_tensors=bool
74 ResizeNearestNeighborOptions: align_corners=bool half_pixel_centers=bool
75 LeakyReluOptions: alpha=f32
76 SquaredDifferenceOptions:
77 MirrorPadOptions: mode=i8
78 AbsOptions:
79 SplitVOptions: num_splits=i32
81 ReverseV2Options:
82 AddNOptions:
89 QuantizeOptions:
91 HardSwishOptions:
94 DepthToSpaceOptions: block_size=i32
98 SelectV2Options:
101 BatchMatMulOptions: adj_x=bool adj_y=bool asymmetric_quantize_inputs=bool
"""

# Operators by code, each with its options table ("-": none); operators without a second word are only named.
_OPERATORS: Final = """
0 ADD AddOptions|1 AVERAGE_POOL_2D Pool2DOptions|2 CONCATENATION ConcatenationOptions|3 CONV_2D Conv2DOptions
4 DEPTHWISE_CONV_2D DepthwiseConv2DOptions|5 DEPTH_TO_SPACE DepthToSpaceOptions|6 DEQUANTIZE DequantizeOptions
7 EMBEDDING_LOOKUP -|8 FLOOR -|9 FULLY_CONNECTED FullyConnectedOptions|10 HASHTABLE_LOOKUP -
11 L2_NORMALIZATION L2NormOptions|12 L2_POOL_2D Pool2DOptions
13 LOCAL_RESPONSE_NORMALIZATION LocalResponseNormalizationOptions|14 LOGISTIC -|15 LSH_PROJECTION LSHProjectionOptions
16 LSTM LSTMOptions
17 MAX_POOL_2D Pool2DOptions|18 MUL MulOptions|19 RELU -|20 RELU_N1_TO_1 -|21 RELU6 -|22 RESHAPE ReshapeOptions
23 RESIZE_BILINEAR ResizeBilinearOptions|24 RNN RNNOptions|25 SOFTMAX SoftmaxOptions
26 SPACE_TO_DEPTH SpaceToDepthOptions|27 SVDF SVDFOptions|28 TANH -|29 CONCAT_EMBEDDINGS|30 SKIP_GRAM|31 CALL|32 CUSTOM
33 EMBEDDING_LOOKUP_SPARSE|34 PAD PadOptions|35 UNIDIRECTIONAL_SEQUENCE_RNN SequenceRNNOptions|36 GATHER GatherOptions
37 BATCH_TO_SPACE_ND BatchToSpaceNDOptions|38 SPACE_TO_BATCH_ND SpaceToBatchNDOptions|39 TRANSPOSE TransposeOptions
40 MEAN ReducerOptions|41 SUB SubOptions|42 DIV DivOptions|43 SQUEEZE SqueezeOptions
44 UNIDIRECTIONAL_SEQUENCE_LSTM UnidirectionalSequenceLSTMOptions|45 STRIDED_SLICE StridedSliceOptions
46 BIDIRECTIONAL_SEQUENCE_RNN BidirectionalSequenceRNNOptions|47 EXP ExpOptions|48 TOPK_V2 TopKV2Options
49 SPLIT SplitOptions|50 LOG_SOFTMAX LogSoftmaxOptions|51 DELEGATE
52 BIDIRECTIONAL_SEQUENCE_LSTM BidirectionalSequenceLSTMOptions|53 CAST CastOptions|54 PRELU -
55 MAXIMUM MaximumMinimumOptions|56 ARG_MAX ArgMaxOptions|57 MINIMUM MaximumMinimumOptions|58 LESS LessOptions
59 NEG NegOptions|60 PADV2 PadV2Options|61 GREATER GreaterOptions|62 GREATER_EQUAL GreaterEqualOptions
63 LESS_EQUAL LessEqualOptions|64 SELECT SelectOptions|65 SLICE SliceOptions|66 SIN -
67 TRANSPOSE_CONV TransposeConvOptions|68 SPARSE_TO_DENSE|69 TILE TileOptions|70 EXPAND_DIMS ExpandDimsOptions
71 EQUAL EqualOptions|72 NOT_EQUAL NotEqualOptions|73 LOG -|74 SUM ReducerOptions|75 SQRT -|76 RSQRT -|77 SHAPE
78 POW PowOptions|79 ARG_MIN ArgMinOptions|80 FAKE_QUANT|81 REDUCE_PROD ReducerOptions|82 REDUCE_MAX ReducerOptions
83 PACK PackOptions|84 LOGICAL_OR LogicalOrOptions|85 ONE_HOT|86 LOGICAL_AND LogicalAndOptions
87 LOGICAL_NOT LogicalNotOptions|88 UNPACK UnpackOptions|89 REDUCE_MIN ReducerOptions|90 FLOOR_DIV FloorDivOptions
91 REDUCE_ANY ReducerOptions|92 SQUARE SquareOptions|93 ZEROS_LIKE|94 FILL FillOptions|95 FLOOR_MOD|96 RANGE
97 RESIZE_NEAREST_NEIGHBOR ResizeNearestNeighborOptions|98 LEAKY_RELU LeakyReluOptions
99 SQUARED_DIFFERENCE SquaredDifferenceOptions|100 MIRROR_PAD MirrorPadOptions|101 ABS AbsOptions
102 SPLIT_V SplitVOptions|103 UNIQUE|104 CEIL|105 REVERSE_V2 ReverseV2Options|106 ADD_N AddNOptions|107 GATHER_ND
108 COS|109 WHERE|110 RANK|111 ELU -|112 REVERSE_SEQUENCE|113 MATRIX_DIAG|114 QUANTIZE QuantizeOptions
115 MATRIX_SET_DIAG|116 ROUND|117 HARD_SWISH HardSwishOptions|118 IF|119 WHILE|120 NON_MAX_SUPPRESSION_V4
121 NON_MAX_SUPPRESSION_V5
122 SCATTER_ND|123 SELECT_V2 SelectV2Options|124 DENSIFY|125 SEGMENT_SUM|126 BATCH_MATMUL BatchMatMulOptions|128 CUMSUM
129 CALL_ONCE|130 BROADCAST_TO|131 RFFT2D|132 CONV_3D|133 IMAG|134 REAL|135 COMPLEX_ABS|136 HASHTABLE|137 HASHTABLE_FIND
138 HASHTABLE_IMPORT|139 HASHTABLE_SIZE|140 REDUCE_ALL ReducerOptions|141 CONV_3D_TRANSPOSE|142 VAR_HANDLE
143 READ_VARIABLE|144 ASSIGN_VARIABLE|145 BROADCAST_ARGS|146 RANDOM_STANDARD_NORMAL|147 BUCKETIZE|148 RANDOM_UNIFORM
149 MULTINOMIAL|150 GELU|151 DYNAMIC_UPDATE_SLICE|152 RELU_0_TO_1|153 UNSORTED_SEGMENT_PROD|154 UNSORTED_SEGMENT_MAX
155 UNSORTED_SEGMENT_SUM|156 ATAN2|157 UNSORTED_SEGMENT_MIN|158 SIGN|159 BITCAST|160 BITWISE_XOR|161 RIGHT_SHIFT
"""

CUSTOM: Final = "CUSTOM"
"""The operator that stands for all that are not builtin; each has a code in words."""

PLACEHOLDER_FOR_GREATER_OP_CODES: Final = 127
"""``deprecated_builtin_code`` of every operator whose code does not fit its signed byte."""


class TensorType(IntEnum):
    """Element types of a TFLite tensor."""

    FLOAT32 = 0
    FLOAT16 = 1
    INT32 = 2
    UINT8 = 3
    INT64 = 4
    STRING = 5
    BOOL = 6
    INT16 = 7
    COMPLEX64 = 8
    INT8 = 9
    FLOAT64 = 10
    COMPLEX128 = 11
    UINT64 = 12
    RESOURCE = 13
    VARIANT = 14
    UINT32 = 15
    UINT16 = 16
    INT4 = 17


class Padding(IntEnum):
    """Implicit paddings."""

    SAME = 0
    VALID = 1


class Activation(IntEnum):
    """Activation functions of operators and of the cells of recurrent operators."""

    NONE = 0
    RELU = 1
    RELU_N1_TO_1 = 2
    RELU6 = 3
    TANH = 4
    SIGN_BIT = 5


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a table: its slot, its type (without brackets), whether a vector, and the default."""

    name: str
    slot: int
    type: str
    is_vector: bool
    default: int


@dataclass(frozen=True, slots=True)
class OperatorInfo:
    """A builtin operator; ``options`` names its options table, "-" if it has none, "" if it is not supported."""

    code: int
    name: str
    options: str


def _fields(text: str) -> tuple[Field, ...]:
    """Return fields from ``name=type[:default]`` words, with their slots."""
    fields, slot = [], 0
    for word in text.split():
        name, _, kind = word.partition("=")
        kind, _, default = kind.partition(":")
        slot += kind == "union"
        fields.append(Field(name, slot, kind.strip("[]"), kind.startswith("["), int(default or 0)))
        slot += 1
    return tuple(fields)


def _tables(text: str) -> dict[str, tuple[Field, ...]]:
    """Return fields by the head of each line; a line that begins with a blank continues the previous one."""
    lines = text.strip().replace("\n ", " ").splitlines()
    return {head: _fields(body) for head, _, body in (line.partition(":") for line in lines)}


OPTIONS_BY_NUMBER: Final[dict[int, str]] = {int(head.split()[0]): head.split()[1] for head in _tables(_OPTIONS)}
NUMBER_OF_OPTIONS: Final[dict[str, int]] = {name: number for number, name in OPTIONS_BY_NUMBER.items()}
TABLES: Final[dict[str, tuple[Field, ...]]] = {
    **_tables(_TABLES),
    **{head.split()[1]: fields for head, fields in _tables(_OPTIONS).items()},
}


def _operators() -> dict[int, OperatorInfo]:
    """Return every entry of the operator list, by code."""
    entries = (entry.split() for entry in _OPERATORS.strip().replace("\n", "|").split("|"))
    return {int(code): OperatorInfo(int(code), name, "".join(options)) for code, name, *options in entries}


def custom_operator(code: str) -> str:
    """Return the name that a custom operator has here."""
    return f"{CUSTOM} '{code}'"


def custom_code(name: str) -> str:
    """Return the code in words of a custom operator, from the name that :func:`custom_operator` gives it."""
    return name.removeprefix(f"{CUSTOM} '").removesuffix("'")


def defaults(table: str) -> dict[str, object]:
    """Return the fields of a table that a file leaves out; nothing for a table that is not known."""
    return {field.name: () if field.is_vector else field.default for field in TABLES.get(table, ())}


OPERATORS: Final[dict[int, OperatorInfo]] = _operators()
OPERATOR_CODES: Final[dict[str, int]] = {info.name: code for code, info in OPERATORS.items()}

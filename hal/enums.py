"""Every enumeration of the Neural Networks HAL, with the HAL's own names and numbers.

Shown to users through :mod:`nnvet.hal.types`. Source: docs/contract/hal.md 1, 2, 3.1 and 6.
"""

from enum import IntEnum
from typing import Final


class FeatureLevel(IntEnum):
    """Versions of the interface: FL1 to FL4 are HIDL 1.0 to 1.3, FL5 to FL8 are AIDL v1 to v4."""

    FL1 = 1
    FL2 = 2
    FL3 = 3
    FL4 = 4
    FL5 = 5
    FL6 = 6
    FL7 = 7
    FL8 = 8


class OperandType(IntEnum):
    """Operand types; a value above 0xFFFF belongs to an extension."""

    FLOAT32 = 0
    INT32 = 1
    UINT32 = 2
    TENSOR_FLOAT32 = 3
    TENSOR_INT32 = 4
    TENSOR_QUANT8_ASYMM = 5
    BOOL = 6
    TENSOR_QUANT16_SYMM = 7
    TENSOR_FLOAT16 = 8
    TENSOR_BOOL8 = 9
    FLOAT16 = 10
    TENSOR_QUANT8_SYMM_PER_CHANNEL = 11
    TENSOR_QUANT16_ASYMM = 12
    TENSOR_QUANT8_SYMM = 13
    TENSOR_QUANT8_ASYMM_SIGNED = 14
    SUBGRAPH = 15
    OEM = 10000
    TENSOR_OEM_BYTE = 10001


class OperationType(IntEnum):
    """Operation codes; a value above 0xFFFF belongs to an extension."""

    ADD = 0
    AVERAGE_POOL_2D = 1
    CONCATENATION = 2
    CONV_2D = 3
    DEPTHWISE_CONV_2D = 4
    DEPTH_TO_SPACE = 5
    DEQUANTIZE = 6
    EMBEDDING_LOOKUP = 7
    FLOOR = 8
    FULLY_CONNECTED = 9
    HASHTABLE_LOOKUP = 10
    L2_NORMALIZATION = 11
    L2_POOL_2D = 12
    LOCAL_RESPONSE_NORMALIZATION = 13
    LOGISTIC = 14
    LSH_PROJECTION = 15
    LSTM = 16
    MAX_POOL_2D = 17
    MUL = 18
    RELU = 19
    RELU1 = 20
    RELU6 = 21
    RESHAPE = 22
    RESIZE_BILINEAR = 23
    RNN = 24
    SOFTMAX = 25
    SPACE_TO_DEPTH = 26
    SVDF = 27
    TANH = 28
    BATCH_TO_SPACE_ND = 29
    DIV = 30
    MEAN = 31
    PAD = 32
    SPACE_TO_BATCH_ND = 33
    SQUEEZE = 34
    STRIDED_SLICE = 35
    SUB = 36
    TRANSPOSE = 37
    ABS = 38
    ARGMAX = 39
    ARGMIN = 40
    AXIS_ALIGNED_BBOX_TRANSFORM = 41
    BIDIRECTIONAL_SEQUENCE_LSTM = 42
    BIDIRECTIONAL_SEQUENCE_RNN = 43
    BOX_WITH_NMS_LIMIT = 44
    CAST = 45
    CHANNEL_SHUFFLE = 46
    DETECTION_POSTPROCESSING = 47
    EQUAL = 48
    EXP = 49
    EXPAND_DIMS = 50
    GATHER = 51
    GENERATE_PROPOSALS = 52
    GREATER = 53
    GREATER_EQUAL = 54
    GROUPED_CONV_2D = 55
    HEATMAP_MAX_KEYPOINT = 56
    INSTANCE_NORMALIZATION = 57
    LESS = 58
    LESS_EQUAL = 59
    LOG = 60
    LOGICAL_AND = 61
    LOGICAL_NOT = 62
    LOGICAL_OR = 63
    LOG_SOFTMAX = 64
    MAXIMUM = 65
    MINIMUM = 66
    NEG = 67
    NOT_EQUAL = 68
    PAD_V2 = 69
    POW = 70
    PRELU = 71
    QUANTIZE = 72
    QUANTIZED_16BIT_LSTM = 73
    RANDOM_MULTINOMIAL = 74
    REDUCE_ALL = 75
    REDUCE_ANY = 76
    REDUCE_MAX = 77
    REDUCE_MIN = 78
    REDUCE_PROD = 79
    REDUCE_SUM = 80
    ROI_ALIGN = 81
    ROI_POOLING = 82
    RSQRT = 83
    SELECT = 84
    SIN = 85
    SLICE = 86
    SPLIT = 87
    SQRT = 88
    TILE = 89
    TOPK_V2 = 90
    TRANSPOSE_CONV_2D = 91
    UNIDIRECTIONAL_SEQUENCE_LSTM = 92
    UNIDIRECTIONAL_SEQUENCE_RNN = 93
    RESIZE_NEAREST_NEIGHBOR = 94
    QUANTIZED_LSTM = 95
    IF = 96
    WHILE = 97
    ELU = 98
    HARD_SWISH = 99
    FILL = 100
    RANK = 101
    BATCH_MATMUL = 102
    PACK = 103
    MIRROR_PAD = 104
    REVERSE = 105
    OEM_OPERATION = 10000


class OperandLifeTime(IntEnum):
    """Sources of an operand's value. CONSTANT_REFERENCE is called CONSTANT_POOL in AIDL."""

    TEMPORARY_VARIABLE = 0
    SUBGRAPH_INPUT = 1
    SUBGRAPH_OUTPUT = 2
    CONSTANT_COPY = 3
    CONSTANT_REFERENCE = 4
    NO_VALUE = 5
    SUBGRAPH = 6


CONSTANTS: Final = (OperandLifeTime.CONSTANT_COPY, OperandLifeTime.CONSTANT_REFERENCE)
"""Lifetimes of operands whose value is part of the model."""


class ErrorStatus(IntEnum):
    """Status of a call; DEAD_OBJECT exists only on the client's side (the driver's process died)."""

    NONE = 0
    DEVICE_UNAVAILABLE = 1
    GENERAL_FAILURE = 2
    OUTPUT_INSUFFICIENT_SIZE = 3
    INVALID_ARGUMENT = 4
    MISSED_DEADLINE_TRANSIENT = 5
    MISSED_DEADLINE_PERSISTENT = 6
    RESOURCE_EXHAUSTED_TRANSIENT = 7
    RESOURCE_EXHAUSTED_PERSISTENT = 8
    DEAD_OBJECT = 10000


class DeviceStatus(IntEnum):
    """Answer of the HIDL method getStatus."""

    AVAILABLE = 0
    BUSY = 1
    OFFLINE = 2
    UNKNOWN = 3


class ExecutionPreference(IntEnum):
    """Hint of prepareModel, from FL2."""

    LOW_POWER = 0
    FAST_SINGLE_ANSWER = 1
    SUSTAINED_SPEED = 2


class Priority(IntEnum):
    """Priority among the prepared models of one client, from FL4."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2


class DeviceType(IntEnum):
    """Kind of device, from FL3; UNKNOWN is not a legal answer of a driver."""

    UNKNOWN = 0
    OTHER = 1
    CPU = 2
    GPU = 3
    ACCELERATOR = 4


class FusedActivationFunc(IntEnum):
    """Activation fused into arithmetic, pooling and convolution."""

    NONE = 0
    RELU = 1
    RELU1 = 2
    RELU6 = 3


class FenceState(IntEnum):
    """State of a sync fence, as poll() shows it."""

    ACTIVE = 0
    SIGNALED = 1
    ERROR = 2
    UNKNOWN = 3


BYTE_SIZE_OF_CACHE_TOKEN: Final = 32
"""Bytes of the token of compilation caching."""
MAX_NUMBER_OF_CACHE_FILES: Final = 32
"""Most model cache files, and most data cache files, that a driver may ask for."""
EXTENSION_TYPE_LOW_BITS_TYPE: Final = 16
"""Bits of an extension's code that number the type or operation; the bits above are the prefix."""
BASE_MAX: Final = 0xFFFF
"""Largest code that belongs to the contract itself."""
DEFAULT_LOOP_TIMEOUT_DURATION_NS: Final = 2_000_000_000
"""Time limit of a WHILE loop for which the client states none."""
MAXIMUM_LOOP_TIMEOUT_DURATION_NS: Final = 15_000_000_000
"""Longest time limit of a WHILE loop that a client may state."""
NO_TIMING: Final = -1
"""Duration that stands for one that was not measured."""
NO_DEADLINE: Final = -1
"""Deadline or duration that stands for none."""

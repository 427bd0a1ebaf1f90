/* Of the C API of LiteRT (TensorFlow Lite), what an external delegate needs: the members of its structures in their order.
 * LiteRT's own header is tflite/core/c/common.h of its sources; whoever has it can include it instead, for the names are the
 * same. A delegate is handed pointers to TfLiteContext, whose further members it does not need; of the other structures none
 * may be left out, for delegates index arrays of them or return them by value. 64 bits, LiteRT 1 and 2.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TfLiteStatus { kTfLiteOk = 0, kTfLiteError = 1 } TfLiteStatus;

typedef enum TfLiteType {
    kTfLiteNoType = 0, kTfLiteFloat32 = 1, kTfLiteInt32 = 2, kTfLiteUInt8 = 3, kTfLiteInt64 = 4, kTfLiteString = 5,
    kTfLiteBool = 6, kTfLiteInt16 = 7, kTfLiteComplex64 = 8, kTfLiteInt8 = 9, kTfLiteFloat16 = 10, kTfLiteFloat64 = 11
} TfLiteType;

/* Some codes of TfLiteBuiltinOperator; those of the schema of model files. */
enum {
    kTfLiteBuiltinAdd = 0, kTfLiteBuiltinFloor = 8, kTfLiteBuiltinMul = 18, kTfLiteBuiltinRelu = 19,
    kTfLiteBuiltinReluN1To1 = 20, kTfLiteBuiltinRelu6 = 21, kTfLiteBuiltinSub = 41
};

typedef enum TfLiteFusedActivation {
    kTfLiteActNone = 0, kTfLiteActRelu = 1, kTfLiteActReluN1To1 = 2, kTfLiteActRelu6 = 3
} TfLiteFusedActivation;

typedef struct TfLiteContext TfLiteContext;
typedef struct TfLiteDelegate TfLiteDelegate;

/* `size` integers follow. In C++ an array of one, as it has none of open length. */
typedef struct TfLiteIntArray {
    int size;
#ifdef __cplusplus
    int data[1];
#else
    int data[];
#endif
} TfLiteIntArray;

typedef struct TfLiteQuantizationParams {
    float scale;
    int32_t zero_point;
} TfLiteQuantizationParams;

typedef struct TfLiteQuantization {
    int type;
    void* params;
} TfLiteQuantization;

typedef struct TfLiteTensor {
    TfLiteType type;
    union {
        void* data;
        float* f;
        int32_t* i32;
        uint8_t* uint8;
        int8_t* int8;
    } data;
    TfLiteIntArray* dims;
    TfLiteQuantizationParams params;
    int allocation_type; /* 1: a constant of the model (kTfLiteMmapRo) */
    size_t bytes;
    const void* allocation;
    const char* name;
    TfLiteDelegate* delegate;
    int buffer_handle;
    bool data_is_stale;
    bool is_variable;
    TfLiteQuantization quantization;
    void* sparsity;
    const TfLiteIntArray* dims_signature;
} TfLiteTensor;

typedef struct TfLiteNode {
    TfLiteIntArray* inputs; /* indexes of tensors; -1 for an omitted one */
    TfLiteIntArray* outputs;
    TfLiteIntArray* intermediates;
    TfLiteIntArray* temporaries;
    void* user_data; /* what init has returned */
    void* builtin_data;
    const void* custom_initial_data;
    int custom_initial_data_size;
    TfLiteDelegate* delegate;
    bool might_have_side_effect;
} TfLiteNode;

/* builtin_data of ADD, SUB and MUL begins with it. */
typedef struct TfLiteAddParams {
    TfLiteFusedActivation activation;
} TfLiteAddParams;

typedef struct TfLiteRegistration {
    void* (*init)(TfLiteContext* context, const char* buffer, size_t length);
    void (*free)(TfLiteContext* context, void* user_data);
    TfLiteStatus (*prepare)(TfLiteContext* context, TfLiteNode* node);
    TfLiteStatus (*invoke)(TfLiteContext* context, TfLiteNode* node);
    const char* (*profiling_string)(const TfLiteContext* context, const TfLiteNode* node);
    int32_t builtin_code;
    const char* custom_name;
    int version;
    void* registration_external;
    void* async_kernel;
    uint64_t inplace_operator;
} TfLiteRegistration;

/* `buffer` of a delegate kernel's init. */
typedef struct TfLiteDelegateParams {
    TfLiteDelegate* delegate;
    TfLiteIntArray* nodes_to_replace;
    TfLiteIntArray* input_tensors;
    TfLiteIntArray* output_tensors;
} TfLiteDelegateParams;

struct TfLiteContext {
    size_t tensors_size;
    TfLiteStatus (*GetExecutionPlan)(TfLiteContext* context, TfLiteIntArray** plan); /* indexes of nodes */
    TfLiteTensor* tensors;
    void* impl_;
    TfLiteStatus (*ResizeTensor)(TfLiteContext* context, TfLiteTensor* tensor, TfLiteIntArray* size);
    void (*ReportError)(TfLiteContext* context, const char* format, ...);
    TfLiteStatus (*AddTensors)(TfLiteContext* context, int count, int* first);
    TfLiteStatus (*GetNodeAndRegistration)(TfLiteContext* context, int index, TfLiteNode** node,
                                           TfLiteRegistration** registration);
    TfLiteStatus (*ReplaceNodeSubsetsWithDelegateKernels)(TfLiteContext* context, TfLiteRegistration kernel,
                                                          const TfLiteIntArray* nodes, TfLiteDelegate* delegate);
    /* more follows */
};

struct TfLiteDelegate {
    void* data_; /* the delegate's own */
    TfLiteStatus (*Prepare)(TfLiteContext* context, TfLiteDelegate* delegate);
    TfLiteStatus (*CopyFromBufferHandle)(TfLiteContext* context, TfLiteDelegate* delegate, int handle, TfLiteTensor* tensor);
    TfLiteStatus (*CopyToBufferHandle)(TfLiteContext* context, TfLiteDelegate* delegate, int handle, TfLiteTensor* tensor);
    void (*FreeBufferHandle)(TfLiteContext* context, TfLiteDelegate* delegate, int* handle);
    int64_t flags;
    void* opaque_delegate_builder;
};

/* The two functions that an external delegate exports. */
#if defined(__GNUC__)
#define TFLITE_EXPORT __attribute__((visibility("default")))
#else
#define TFLITE_EXPORT
#endif
TFLITE_EXPORT TfLiteDelegate* tflite_plugin_create_delegate(char** keys, char** values, size_t count,
                                                            void (*report_error)(const char*));
TFLITE_EXPORT void tflite_plugin_destroy_delegate(TfLiteDelegate* delegate);

#ifdef __cplusplus
}
#endif

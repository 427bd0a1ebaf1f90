/* An external delegate of LiteRT without kernels of its own.
 *
 * It takes no node, unless it is asked to: `takes=second` takes every second one, `takes=all` takes all. What it takes
 * it has computed by LiteRT's CPU kernels, which nobody sees from outside.
 * Other options: `log=FILE` gets a line for each option and for each model that is prepared; `crash=create` and
 * `crash=prepare` abort there, `fail=prepare` refuses every model; any other option is refused.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { kTfLiteOk = 0, kTfLiteError = 1 } TfLiteStatus;

/* LiteRT's public C structs, with their fields in order; those that are not used here are pointers of any type. */
typedef struct TfLiteContext TfLiteContext;
typedef struct TfLiteDelegate TfLiteDelegate;

typedef struct {
  int size;
  int data[];
} TfLiteIntArray;

typedef struct {
  TfLiteIntArray* inputs;
  TfLiteIntArray* outputs;
  TfLiteIntArray* intermediates;
  TfLiteIntArray* temporaries;
  void* user_data;
  void* builtin_data;
  const void* custom_initial_data;
  int custom_initial_data_size;
  TfLiteDelegate* delegate;
  _Bool might_have_side_effect;
} TfLiteNode;

typedef struct {
  void* (*init)(TfLiteContext* context, const char* buffer, size_t length);
  void (*free)(TfLiteContext* context, void* buffer);
  TfLiteStatus (*prepare)(TfLiteContext* context, TfLiteNode* node);
  TfLiteStatus (*invoke)(TfLiteContext* context, TfLiteNode* node);
  const char* (*profiling_string)(void);
  int32_t builtin_code;
  const char* custom_name;
  int version;
  void* registration_external;
  void (*async_kernel)(void);
  uint64_t inplace_operator;
} TfLiteRegistration;

typedef struct {
  TfLiteDelegate* delegate;
  TfLiteIntArray* nodes_to_replace;
} TfLiteDelegateParams;

struct TfLiteContext {
  size_t tensors_size;
  TfLiteStatus (*GetExecutionPlan)(TfLiteContext* context, TfLiteIntArray** plan);
  void* tensors;
  void* impl_;
  void (*ResizeTensor)(void);
  void (*ReportError)(void);
  void (*AddTensors)(void);
  TfLiteStatus (*GetNodeAndRegistration)(TfLiteContext* context, int index, TfLiteNode** node, TfLiteRegistration** kernel);
  TfLiteStatus (*ReplaceNodeSubsetsWithDelegateKernels)(
      TfLiteContext* context, TfLiteRegistration kernel, const TfLiteIntArray* nodes, TfLiteDelegate* delegate);
};

struct TfLiteDelegate {
  void* data_;
  TfLiteStatus (*Prepare)(TfLiteContext* context, TfLiteDelegate* delegate);
  void (*CopyFromBufferHandle)(void);
  void (*CopyToBufferHandle)(void);
  void (*FreeBufferHandle)(void);
  int64_t flags;
  void* opaque_delegate_builder;
};

static FILE* log_file;
static int crashes_in_prepare, fails_in_prepare;
static int step; /* takes one node of so many; 0: none */

/* A node of the model with the CPU's kernel for it; LiteRT shows them only while the delegate takes nodes. */
typedef struct {
  TfLiteNode node;
  TfLiteRegistration cpu;
} Borrowed;

static void* kernel_init(TfLiteContext* context, const char* buffer, size_t length) {
  Borrowed* borrowed = calloc(1, sizeof *borrowed);
  TfLiteNode* node;
  TfLiteRegistration* cpu;
  (void)length;
  if (!borrowed) return NULL;
  context->GetNodeAndRegistration(
      context, ((const TfLiteDelegateParams*)buffer)->nodes_to_replace->data[0], &node, &cpu);
  borrowed->node = *node;
  borrowed->cpu = *cpu;
  /* The CPU's kernel frees the array that it replaces. */
  borrowed->node.temporaries = calloc(1, sizeof(TfLiteIntArray));
  return borrowed;
}

static void kernel_free(TfLiteContext* context, void* borrowed) {
  (void)context;
  free(((Borrowed*)borrowed)->node.temporaries);
  free(borrowed);
}

static TfLiteStatus kernel_prepare(TfLiteContext* context, TfLiteNode* node) {
  Borrowed* borrowed = node->user_data;
  if (borrowed->cpu.prepare && borrowed->cpu.prepare(context, &borrowed->node)) return kTfLiteError;
  /* Memory is planned for tensors of nodes that run, so kernels that need scratch are none for this delegate. */
  return borrowed->node.temporaries->size ? kTfLiteError : kTfLiteOk;
}

/* Of faults.c, where that is linked, too. */
__attribute__((weak)) void nnvet_fault_at_execution(void);

static TfLiteStatus kernel_invoke(TfLiteContext* context, TfLiteNode* node) {
  Borrowed* borrowed = node->user_data;
  if (nnvet_fault_at_execution) nnvet_fault_at_execution();
  return borrowed->cpu.invoke(context, &borrowed->node);
}

static TfLiteStatus take_nodes(TfLiteContext* context, TfLiteDelegate* delegate) {
  TfLiteRegistration kernel = {kernel_init, kernel_free, kernel_prepare, kernel_invoke, 0, 0, "Borrowed", 1, 0, 0, 0};
  TfLiteIntArray *plan, *one;
  int count, index, *nodes;
  TfLiteStatus status = kTfLiteOk;
  if (context->GetExecutionPlan(context, &plan)) return kTfLiteError;
  /* The plan changes with each node that is taken; nodes keep their numbers. */
  count = plan->size;
  nodes = malloc(sizeof *nodes * (size_t)(count + 1));
  one = malloc(sizeof *one + sizeof(int));
  memcpy(nodes, plan->data, sizeof *nodes * (size_t)count);
  one->size = 1;
  for (index = step - 1; index < count && !status; index += step) {
    one->data[0] = nodes[index];
    status = context->ReplaceNodeSubsetsWithDelegateKernels(context, kernel, one, delegate);
  }
  free(one);
  free(nodes);
  return status;
}

static TfLiteStatus prepare(TfLiteContext* context, TfLiteDelegate* delegate) {
  if (crashes_in_prepare) abort();
  if (log_file) {
    fputs("prepared\n", log_file);
    fflush(log_file);
  }
  if (fails_in_prepare) return kTfLiteError;
  return step ? take_nodes(context, delegate) : kTfLiteOk;
}

static int take(const char* name, const char* value) {
  if (!strcmp(name, "log")) return (log_file = fopen(value, "a")) != NULL;
  if (!strcmp(name, "crash") && !strcmp(value, "create")) abort();
  if (!strcmp(name, "crash") && !strcmp(value, "prepare")) return crashes_in_prepare = 1;
  if (!strcmp(name, "fail") && !strcmp(value, "prepare")) return fails_in_prepare = 1;
  if (!strcmp(name, "takes")) return step = !strcmp(value, "all") ? 1 : !strcmp(value, "second") ? 2 : 0;
  return !strcmp(name, "precision");
}

TfLiteDelegate* tflite_plugin_create_delegate(
    char** options_keys, char** options_values, size_t num_options, void (*report_error)(const char*)) {
  size_t index;
  for (index = 0; index < num_options; ++index) {
    if (!take(options_keys[index], options_values[index])) {
      report_error("no such option: ");
      report_error(options_keys[index]);
      return NULL;
    }
    if (log_file) fprintf(log_file, "%s=%s\n", options_keys[index], options_values[index]);
  }
  TfLiteDelegate* delegate = calloc(1, sizeof *delegate);
  if (delegate) delegate->Prepare = prepare;
  return delegate;
}

void tflite_plugin_destroy_delegate(TfLiteDelegate* delegate) {
  free(delegate);
}

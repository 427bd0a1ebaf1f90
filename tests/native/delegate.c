/* An external delegate of LiteRT that claims no operation, so that models run as without it.
 *
 * Options: `log=FILE` gets a line for each option and for each model that is prepared; `crash=create` and
 * `crash=prepare` abort there; any other option is refused.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { kTfLiteOk = 0, kTfLiteError = 1 } TfLiteStatus;
struct TfLiteContext;

/* The fields of LiteRT's public C struct, in their order; those that are not set here are pointers to functions. */
typedef struct TfLiteDelegate {
  void* data_;
  TfLiteStatus (*Prepare)(struct TfLiteContext* context, struct TfLiteDelegate* delegate);
  void (*CopyFromBufferHandle)(void);
  void (*CopyToBufferHandle)(void);
  void (*FreeBufferHandle)(void);
  int64_t flags;
  void* opaque_delegate_builder;
} TfLiteDelegate;

static FILE* log_file;
static int crashes_in_prepare;

static TfLiteStatus prepare(struct TfLiteContext* context, TfLiteDelegate* delegate) {
  (void)context;
  (void)delegate;
  if (crashes_in_prepare) abort();
  if (log_file) {
    fputs("prepared\n", log_file);
    fflush(log_file);
  }
  return kTfLiteOk;
}

static int take(const char* name, const char* value) {
  if (!strcmp(name, "log")) return (log_file = fopen(value, "a")) != NULL;
  if (!strcmp(name, "crash") && !strcmp(value, "create")) abort();
  if (!strcmp(name, "crash") && !strcmp(value, "prepare")) return crashes_in_prepare = 1;
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

/* The classic faults of native code, one function each, so that stacks name it. Linked into a service, a library of the
   C API and a delegate; NNVET_TEST_FAULT in the environment chooses one. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAULT __attribute__((noinline)) static void

void nnvet_fault_at_execution(void);

/* What is volatile is not optimised away: of a sum made at once, each thread would touch the number twice, which
   ThreadSanitizer misses where both do so at the same moment. */
static char* volatile kept;
static volatile int shared;
static pthread_barrier_t both_begin;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

FAULT heap_overflow(void) {
  kept = malloc(2000);
  memset(kept, 1, 2000);
  kept[2008] = 1; /* overflow; without a sanitizer the size of the next block is wrong by now */
  for (int i = 2000; i < 2048; ++i) kept[i] = 1;
  free(kept);
}

FAULT use_after_free(void) {
  char *first = malloc(40), *second = malloc(40);
  free(first);
  kept = second;
  free(second);
  memset(kept, 1, 8); /* use of second; without a sanitizer the list of free blocks is broken by now */
  for (int i = 0; i < 2; ++i) kept = malloc(40);
}

FAULT null_dereference(void) {
  struct {
    volatile int count, codes[4];
  }* volatile tensor = NULL;
  tensor->codes[1] = 1;
}

static void* count(void* unused) {
  pthread_barrier_wait(&both_begin);
  for (int i = 0; i < 1000; ++i) shared = shared + 1; /* race */
  return unused;
}

FAULT data_race(void) {
  pthread_t other;
  pthread_barrier_init(&both_begin, NULL, 2);
  pthread_create(&other, NULL, count, NULL);
  count(NULL);
  pthread_join(other, NULL);
}

static void* take_both(void* reversed) {
  pthread_mutex_lock(reversed ? &two : &one);
  pthread_barrier_wait(&both_begin);
  pthread_mutex_lock(reversed ? &one : &two); /* deadlock */
  return NULL;
}

FAULT deadlock(void) {
  pthread_t other;
  pthread_barrier_init(&both_begin, NULL, 2);
  pthread_create(&other, NULL, take_both, &two);
  take_both(NULL);
  pthread_join(other, NULL);
}

FAULT bad_shift(void) {
  volatile int exponent = 40;
  shared = 1 << exponent; /* shift */
}

FAULT endless_loop(void) {
  for (volatile int goes_on = 1; goes_on;) {
  }
}

FAULT leak(void) {
  kept = malloc(65536); /* leak */
  memset(kept, 1, 65536);
  kept = NULL;
}

FAULT crash_at_exit(void) {
  *(volatile int*)8 = 1; /* crash at exit */
}

FAULT hang_in_constructor(void) {
  for (;;) pause();
}

static void run(const char* name, void (*fault)(void)) {
  const char* wanted = getenv("NNVET_TEST_FAULT");
  if (wanted && !strcmp(wanted, name)) fault();
}

void nnvet_fault_at_execution(void) {
  run("heap_overflow", heap_overflow);
  run("use_after_free", use_after_free);
  run("null_dereference", null_dereference);
  run("data_race", data_race);
  run("deadlock", deadlock);
  run("bad_shift", bad_shift);
  run("endless_loop", endless_loop);
  run("leak", leak);
}

__attribute__((constructor)) static void at_load(void) {
  run("hang_in_constructor", hang_in_constructor);
}

__attribute__((destructor)) static void at_exit(void) {
  run("crash_at_exit", crash_at_exit);
}

/* Counters of the edges that native code takes, in memory that nnvet's fuzzer reads from another process.
 *
 * Compile this file together with the driver, as C or C++, and the driver with one of
 *
 *     gcc    -fsanitize-coverage=trace-pc
 *     clang  -fsanitize-coverage=trace-pc-guard
 *     clang  -fsanitize-coverage=inline-8bit-counters     or -fsanitize=fuzzer-no-link
 *
 * The callbacks are hidden, so that every library has its own, and none of them is taken for that of a sanitizer's
 * runtime, whose callbacks of these names count nothing. Without the variable NNVET_EDGES nothing is counted.
 *
 * The file has a header, a table of edges by their addresses (trace-pc), and areas of counters, one for each library.
 * Libraries and addresses have keys that are the same in each process, so a service that is started anew counts where
 * the last one did. fuzz/native_edges.py reads all this.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nothing here may be instrumented itself: the flags are the driver's. */
#if defined(__clang__)
#define PLAIN __attribute__((no_sanitize("coverage", "address", "thread", "undefined")))
#elif defined(__has_attribute) && __has_attribute(no_sanitize_coverage)
#define PLAIN __attribute__((no_sanitize_coverage, no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))
#else
#error "compile this file on its own, without -fsanitize, and link it with the driver: this gcc is older than 12"
#endif
#define HIDDEN __attribute__((visibility("hidden")))
#ifdef __cplusplus
#define EXTERN extern "C"
#else
#define EXTERN extern
#endif
/* g++ declares the callbacks itself, and takes no visibility afterwards; the assembler does. */
#define CALLBACK(name) \
    __asm__(".hidden " #name); \
    EXTERN PLAIN void name

enum {
    MAGIC = 0x6e766364,
    MOST_AREAS = 255,
    SLOTS = 1 << 17,
    EDGES = 1 << 16,
    PAGE = 1 << 16, /* no system has larger ones */
    PROBES = 64
};

struct area {
    uint64_t key, begin, count; /* begin: offset in the file; 0 until it is known */
};
struct slot {
    uint64_t key, number; /* number: of the counter, from 1 on */
};
struct shared {
    uint32_t magic, reserved;
    uint64_t size, end, edges;
    struct area areas[MOST_AREAS];
    struct slot slots[SLOTS];
    uint8_t counters[EDGES];
};
struct cached {
    uintptr_t address;
    uint8_t *counter;
};

extern const char ehdr_start[] __asm__("__ehdr_start") HIDDEN; /* where this library or program is loaded */

static struct shared *shared;
static int state, file = -1; /* state 0: nothing is known, 1: being opened, 2: ready, 3: nothing is counted */
static uint64_t library;     /* key of this library or program */
static uint8_t *guarded;     /* counters of trace-pc-guard */
static char *moved_begin;    /* pages that are now shared memory, since they have counters in them */
static size_t moved_size;
static struct cached cache[EDGES];

static PLAIN uint64_t mixed(uint64_t value)
{
    value = (value ^ (value >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (value ^ (value >> 32)) | 1; /* never 0 */
}

static PLAIN uint64_t key_of_library(void)
{
    Dl_info info;
    uint64_t key = 1;
    if (dladdr((const void *)ehdr_start, &info) && info.dli_fname != NULL) {
        const char *slash = strrchr(info.dli_fname, '/');
        for (const char *place = slash == NULL ? info.dli_fname : slash + 1; *place; place++)
            key = mixed(key * 31 + (unsigned char)*place);
    }
    return key;
}

/* Whole pages; memcpy of AddressSanitizer would complain of what lies between the variables. */
static PLAIN void copy_pages(void *to, const void *from, size_t size)
{
    volatile uint64_t *target = (volatile uint64_t *)to;
    const volatile uint64_t *source = (const volatile uint64_t *)from;
    for (size_t place = 0; place < size / sizeof *target; place++)
        target[place] = source[place];
}

/* A forked process has its own variables, also those that lie beside the counters. */
static PLAIN void part_from_parent(void)
{
    if (moved_begin == NULL)
        return;
    void *copy = mmap(NULL, moved_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        _exit(1);
    copy_pages(copy, moved_begin, moved_size);
    if (mremap(copy, moved_size, moved_size, MREMAP_MAYMOVE | MREMAP_FIXED, moved_begin) == MAP_FAILED)
        _exit(1);
    moved_begin = NULL;
}

static PLAIN void open_shared(void)
{
    const char *name = getenv("NNVET_EDGES");
    int found = name == NULL || *name == 0 ? -1 : open(name, O_RDWR | O_CLOEXEC);
    if (found >= 0) {
        void *place = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, found, 0);
        if (place != MAP_FAILED && ((struct shared *)place)->magic == MAGIC) {
            shared = (struct shared *)place;
            library = key_of_library();
            file = found;
            pthread_atfork(NULL, NULL, part_from_parent);
            return;
        }
        close(found);
    }
    if (name != NULL && *name != 0)
        fprintf(stderr, "nnvet: edges of native code cannot be counted in %s\n", name);
}

static PLAIN int is_ready(void)
{
    int known = __atomic_load_n(&state, __ATOMIC_ACQUIRE), none = 0;
    if (known >= 2)
        return known == 2;
    if (!__atomic_compare_exchange_n(&state, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return 0; /* another thread, or this one within open_shared */
    open_shared();
    __atomic_store_n(&state, shared == NULL ? 3 : 2, __ATOMIC_RELEASE);
    return shared != NULL;
}

/* The offset of a new or known area of so many counters, which begin within a page where `beyond` says; 0: none. */
static PLAIN uint64_t area_of(uint64_t key, uint64_t count, uint64_t beyond, uint64_t size)
{
    for (int number = 0; number < MOST_AREAS; number++) {
        struct area *area = &shared->areas[number];
        uint64_t known = 0;
        if (__atomic_compare_exchange_n(&area->key, &known, key, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            size = (size + PAGE - 1) / PAGE * PAGE;
            uint64_t begin = __atomic_fetch_add(&shared->end, size, __ATOMIC_ACQ_REL);
            if (begin + size > shared->size)
                return 0;
            area->count = count;
            __atomic_store_n(&area->begin, begin + beyond, __ATOMIC_RELEASE);
            return begin + beyond;
        }
        if (known == key)
            return __atomic_load_n(&area->begin, __ATOMIC_ACQUIRE);
    }
    return 0;
}

/* clang's trace-pc-guard: every edge has a number, which is set here. */
CALLBACK(__sanitizer_cov_trace_pc_guard_init)(uint32_t *begin, uint32_t *end)
{
    if (begin == end || *begin != 0 || !is_ready())
        return;
    uint64_t count = (uint64_t)(end - begin);
    uint64_t offset = area_of(mixed(library ^ count), count, 0, count);
    if (offset == 0)
        return;
    uint64_t first = offset / PAGE * PAGE;
    void *place = mmap(NULL, count + (offset - first), PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)first);
    if (place == MAP_FAILED)
        return;
    guarded = (uint8_t *)place + (offset - first);
    for (uint32_t number = 1; begin < end; begin++)
        *begin = number++;
}

CALLBACK(__sanitizer_cov_trace_pc_guard)(uint32_t *guard)
{
    if (*guard == 0)
        return;
    uint8_t *counter = guarded + *guard - 1;
    if (++*counter == 0)
        *counter = 255;
}

/* clang's inline-8bit-counters: code adds to bytes among the library's variables. The pages that they are in are
 * exchanged for shared memory that has the same in it. This happens while the library is loaded: nobody else uses it. */
CALLBACK(__sanitizer_cov_8bit_counters_init)(uint8_t *begin, uint8_t *end)
{
    if (begin == end || moved_begin != NULL || !is_ready())
        return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)begin / page * page, last = ((uintptr_t)end + page - 1) / page * page;
    uint64_t count = (uint64_t)(end - begin), beyond = (uintptr_t)begin - first;
    uint64_t offset = area_of(mixed(library ^ count ^ beyond << 32), count, beyond, last - first);
    if (offset == 0)
        return;
    off_t from = (off_t)(offset - beyond);
    void *place = mmap(NULL, last - first, PROT_READ | PROT_WRITE, MAP_SHARED, file, from);
    if (place == MAP_FAILED)
        return;
    copy_pages(place, (void *)first, last - first);
    if (mremap(place, last - first, last - first, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)first) == MAP_FAILED) {
        munmap(place, last - first);
        return;
    }
    moved_begin = (char *)first;
    moved_size = last - first;
}

/* The counter of an edge that this process has not taken before; NULL: there are too many. */
static PLAIN uint8_t *counter_at(uintptr_t address)
{
    uint64_t key = mixed(library ^ (address - (uintptr_t)ehdr_start));
    for (uint64_t probe = 0; probe < PROBES; probe++) {
        struct slot *slot = &shared->slots[(key + probe) % SLOTS];
        uint64_t known = 0;
        if (__atomic_compare_exchange_n(&slot->key, &known, key, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            uint64_t number = __atomic_add_fetch(&shared->edges, 1, __ATOMIC_ACQ_REL);
            __atomic_store_n(&slot->number, number, __ATOMIC_RELEASE);
        } else if (known != key) {
            continue;
        }
        uint64_t number = __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE);
        return number == 0 ? NULL : &shared->counters[(number - 1) % EDGES];
    }
    return NULL;
}

/* gcc's trace-pc: edges are known by where they are. */
CALLBACK(__sanitizer_cov_trace_pc)(void)
{
    uintptr_t address = (uintptr_t)__builtin_return_address(0);
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2 && !is_ready())
        return;
    for (uint64_t probe = 0; probe < PROBES; probe++) {
        struct cached *entry = &cache[(mixed(address) + probe) % EDGES];
        uintptr_t known = __atomic_load_n(&entry->address, __ATOMIC_ACQUIRE);
        if (known == 0 && __atomic_compare_exchange_n(&entry->address, &known, address, 0, __ATOMIC_ACQ_REL,
                                                      __ATOMIC_ACQUIRE))
            __atomic_store_n(&entry->counter, counter_at(address), __ATOMIC_RELEASE);
        else if (known != address)
            continue;
        uint8_t *counter = __atomic_load_n(&entry->counter, __ATOMIC_ACQUIRE);
        if (counter != NULL && ++*counter == 0)
            *counter = 255;
        return;
    }
}

/* Other callbacks that clang makes with -fsanitize=fuzzer-no-link; nothing is done with what they tell. */
CALLBACK(__sanitizer_cov_pcs_init)(const uintptr_t *begin, const uintptr_t *end) { (void)begin, (void)end; }
CALLBACK(__sanitizer_cov_trace_pc_indir)(uintptr_t callee) { (void)callee; }
CALLBACK(__sanitizer_cov_trace_cmp1)(uint8_t one, uint8_t other) { (void)one, (void)other; }
CALLBACK(__sanitizer_cov_trace_cmp2)(uint16_t one, uint16_t other) { (void)one, (void)other; }
CALLBACK(__sanitizer_cov_trace_cmp4)(uint32_t one, uint32_t other) { (void)one, (void)other; }
CALLBACK(__sanitizer_cov_trace_cmp8)(uint64_t one, uint64_t other) { (void)one, (void)other; }
CALLBACK(__sanitizer_cov_trace_const_cmp1)(uint8_t one, uint8_t other) { (void)one, (void)other; }
CALLBACK(__sanitizer_cov_trace_const_cmp2)(uint16_t one, uint16_t other) { (void)one, (void)other; }
CALLBACK(__sanitizer_cov_trace_const_cmp4)(uint32_t one, uint32_t other) { (void)one, (void)other; }
CALLBACK(__sanitizer_cov_trace_const_cmp8)(uint64_t one, uint64_t other) { (void)one, (void)other; }
CALLBACK(__sanitizer_cov_trace_switch)(uint64_t value, void *cases) { (void)value, (void)cases; }
CALLBACK(__sanitizer_cov_trace_div4)(uint32_t value) { (void)value; }
CALLBACK(__sanitizer_cov_trace_div8)(uint64_t value) { (void)value; }
CALLBACK(__sanitizer_cov_trace_gep)(uintptr_t index) { (void)index; }
#ifdef __clang__
/* Programs get that of the sanitizer's runtime. */
#ifdef __cplusplus
extern "C" {
#endif
HIDDEN __attribute__((weak, tls_model("initial-exec"))) __thread uintptr_t __sancov_lowest_stack = UINTPTR_MAX;
#ifdef __cplusplus
}
#endif
#endif

/* What a driver computes with, in C, with a planted bug: sums of more than 64 numbers write beyond the scratch memory.
 *
 * clang -g -O1 -fPIC -shared -fsanitize=address,fuzzer-no-link -o libsums.so sums.c
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH = 64 };

int sums_add(const float *first, const float *second, float *result, size_t count)
{
    float *scratch = malloc(SCRATCH * sizeof *scratch);
    if (scratch == NULL)
        return -1;
    for (size_t place = 0; place < count; place++)
        scratch[place] = first[place] + second[place]; /* the bug: count is not compared with SCRATCH */
    memcpy(result, scratch, count * sizeof *result);
    free(scratch);
    return 0;
}

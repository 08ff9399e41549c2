/* The yardstick of the scan: words of documents, counted for each document, by a plain loop and a hash table.

   A word is a run of two or more ASCII letters, digits and underscores, capitals made small. One pass, byte by
   byte: each byte is looked up, and taken into the hash. The table has 2**19 places, of which half may be taken; a
   place holds a word's hash, its bytes, and where it was last counted. Built by scan_limit.py if there is a compiler. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PLACES (1u << 19)

typedef struct {
    uint64_t hash;
    uint32_t word, slot, start, length;
} Place;

static uint8_t small[256];

static void make_small(void)
{
    for (int b = 0; b < 128; b++) {
        int letter = b | 32;
        if ((letter >= 'a' && letter <= 'z'))
            small[b] = (uint8_t)letter;
        else if ((b >= '0' && b <= '9') || b == '_')
            small[b] = (uint8_t)b;
    }
}

static int same(const uint8_t *text, const uint8_t *known, uint32_t length)
{
    for (uint32_t k = 0; k < length; k++)
        if (small[text[k]] != small[known[k]])
            return 0;
    return 1;
}

/* Fills `codes` and `counts` document after document; returns how many there are, or -1 without room. */
int64_t plain_scan(const uint8_t *data, const int64_t *starts, int64_t documents, int64_t *indptr,
                   int32_t *codes, int32_t *counts)
{
    Place *table = calloc(PLACES, sizeof(Place));
    int64_t nonzeros = 0;
    uint32_t words = 0;
    if (table == NULL)
        return -1;
    make_small();
    indptr[0] = 0;
    for (int64_t d = 0; d < documents; d++) {
        int64_t begin = nonzeros, i = starts[d], stop = starts[d + 1];
        while (i < stop) {
            uint64_t hash = 0xcbf29ce484222325u;
            int64_t start;
            uint8_t b;
            while (i < stop && small[data[i]] == 0)
                i++;
            start = i;
            while (i < stop && (b = small[data[i]]) != 0) {
                hash = (hash ^ b) * 0x100000001b3u;
                i++;
            }
            uint32_t length = (uint32_t)(i - start);
            if (length < 2)
                continue;
            uint64_t at = (hash ^ (hash >> 32)) & (PLACES - 1);
            while (table[at].length != 0 && !(table[at].hash == hash && table[at].length == length &&
                                              same(data + start, data + table[at].start, length)))
                at = (at + 1) & (PLACES - 1);
            Place *place = &table[at];
            if (place->length == 0 && words == PLACES / 2) {
                free(table);
                return -1;
            }
            if (place->length == 0)
                *place = (Place){hash, words++, UINT32_MAX, (uint32_t)start, length};
            if (place->slot >= begin && place->slot < nonzeros && codes[place->slot] == (int32_t)place->word) {
                counts[place->slot]++;
                continue;
            }
            place->slot = (uint32_t)nonzeros;
            codes[nonzeros] = (int32_t)place->word;
            counts[nonzeros++] = 1;
        }
        indptr[d + 1] = nonzeros;
    }
    free(table);
    return nonzeros;
}

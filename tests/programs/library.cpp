// The C library in device code: each target region computes a text or numbers that the host computes too.

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <strings.h>

#include "check.h"

#pragma omp declare target
static unsigned long mix(unsigned long hash, long value) {
    return (hash ^ (unsigned long)value) * 1099511628211ul;
}

static unsigned long mix_text(unsigned long hash, const char *text) {
    for (; *text; text++)
        hash = mix(hash, *text);
    return mix(hash, -1);
}

static int sign(int value) {
    return (value > 0) - (value < 0);
}

static int descending(const void *one, const void *other) {
    int a = *(const int *)one, b = *(const int *)other;
    return (a < b) - (a > b);
}

static unsigned long strings(const char *text) {
    unsigned long hash = 14695981039346656037ul;
    char buffer[200], copy[200];
    memset(buffer, 'x', sizeof buffer);
    memcpy(buffer, text, strlen(text) + 1);
    memmove(buffer + 2, buffer, 10);
    hash = mix_text(hash, buffer);
    hash = mix(hash, (long)strlen(text));
    hash = mix(hash, (long)strnlen(text, 5));
    strcpy(buffer, text);
    strcat(buffer, "-tail");
    strncat(buffer, "abcdef", 3);
    hash = mix_text(hash, buffer);
    memset(copy, 'y', sizeof copy);
    strncpy(copy, text, 12);
    hash = mix(hash, copy[11]);
    hash = mix(hash, copy[12]);
    strncpy(copy, "ab", 6);
    hash = mix(hash, copy[5]);
    hash = mix(hash, stpcpy(copy, text) - copy);
    hash = mix(hash, sign(strcmp(text, "the quick")) + 2 * sign(strcmp("a", "b")) + 4 * sign(strcmp("b", "ab")));
    hash = mix(hash, sign(strncmp(text, "the quack", 7)) + 2 * sign(strncmp(text, "the quack", 9)));
    hash = mix(hash, sign(strcasecmp(text, "THE QUICK BROWN")) + 3 * sign(strncasecmp("ABC", "abd", 2)));
    hash = mix(hash, sign(memcmp(text, "the quicker", 9)) + 3 * sign(memcmp("\xff", "\x01", 1)));
    hash = mix(hash, memcmp(text, copy, 4) == 0);
    hash = mix(hash, strchr(text, 'q') - text);
    hash = mix(hash, strchr(text, 0) - text);
    hash = mix(hash, strchr(text, '!') == NULL);
    hash = mix(hash, strrchr(text, 'o') - text);
    hash = mix(hash, strstr(text, "fox") - text);
    hash = mix(hash, strstr(text, "foxes") == NULL);
    hash = mix(hash, strstr(text, "") - text);
    hash = mix(hash, (long)(strspn(text, "the") * 100 + strcspn(text, "xyz")));
    hash = mix(hash, strpbrk(text, "zyx") - text);
    hash = mix(hash, (const char *)memchr(text, 'b', 20) - text);
    hash = mix(hash, memchr(text, 'b', 3) == NULL);
    strcpy(copy, text);
    char *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        hash = mix_text(hash, word);
    char *mine = strdup(text);
    mine[0] = 'T';
    hash = mix_text(hash, mine);
    free(mine);
    return hash;
}

static unsigned long numbers(void) {
    unsigned long hash = 14695981039346656037ul;
    const char *texts[] = {"42",   "  -17rest", "+0x1fG", "077",  "",    "-",    "9223372036854775808", "-9223372036854775809",
                           "0x",   "zz",        "18446744073709551616", "-1",   " \t\n12 ", "1e5"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        const int bases[] = {10, 0, 16, 36, 2};
        for (int b = 0; b < 5; b++) {
            char *end;
            hash = mix(hash, strtol(texts[i], &end, bases[b]));
            hash = mix(hash, end - texts[i]);
            hash = mix(hash, (long)strtoul(texts[i], &end, bases[b]));
            hash = mix(hash, strtoll(texts[i], NULL, bases[b]));
        }
        if (i != 6 && i != 7 && i != 10)
            hash = mix(hash, atoi(texts[i]));
        hash = mix(hash, atol(texts[i]));
        // Of a payload that is too large, clang's header for AMD's GPUs makes something else.
        const char *tag = i == 10 ? "7" : texts[i];
        double wide = nan(tag);
        float narrow = nanf(tag);
        long bits = 0;
        memcpy(&bits, &wide, sizeof wide);
        hash = mix(hash, bits);
        memcpy(&bits, &narrow, sizeof narrow);
        hash = mix(hash, bits);
    }
    for (int c = -1; c < 256; c++) {
        hash = mix(hash, !isalpha(c) | !isdigit(c) << 1 | !isalnum(c) << 2 | !isspace(c) << 3 | !isupper(c) << 4 |
                             !islower(c) << 5 | !ispunct(c) << 6 | !isprint(c) << 7 | !iscntrl(c) << 8 | !isxdigit(c) << 9 |
                             !isgraph(c) << 10 | !isblank(c) << 11);
        hash = mix(hash, tolower(c) * 1000 + toupper(c));
    }
    hash = mix(hash, abs(-3) + labs(-5l) + llabs(-7ll) + ffs(8) + ffsl(0) + ffsll(1ll << 40));
    return hash;
}

static unsigned long sorted(int count) {
    unsigned long hash = 14695981039346656037ul, state = 1;
    int values[300];
    for (int i = 0; i < count; i++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        values[i] = (int)(state >> 33) % 1000;
    }
    qsort(values, (size_t)count, sizeof *values, descending);
    for (int i = 0; i < count; i++) {
        const int *found = (const int *)bsearch(&values[i], values, (size_t)count, sizeof *values, descending);
        hash = mix(hash, values[i]);
        hash = mix(hash, found && *found == values[i]);
    }
    int absent = 5000;
    return mix(hash, bsearch(&absent, values, (size_t)count, sizeof *values, descending) == NULL);
}
#pragma omp end declare target

// A program's own function of a library's name comes first.
#pragma omp declare target
extern "C" int putc(int character, FILE *) {
    return character + 1;
}
#pragma omp end declare target

int main(void) {
    const char text[] = "the quick brown fox jumps over the lazy dog";
    unsigned long hashes[40][3];
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(20) map(to : text) map(from : hashes)
    for (int i = 0; i < 40; i++) {
        hashes[i][0] = strings(text);
        hashes[i][1] = numbers();
        hashes[i][2] = sorted(i * 7);
    }
    unsigned long text_hash = strings(text), number_hash = numbers();
    for (int i = 0; i < 40; i++) {
        EXPECT(hashes[i][0] == text_hash, 1);
        EXPECT(hashes[i][1] == number_hash, 1);
        EXPECT(hashes[i][2] == sorted(i * 7), 1);
    }
    int numbers_drawn = 0, same = 0, own = 0;
    unsigned long zeros = 1;
#pragma omp target map(tofrom : numbers_drawn, same, own, zeros)
    {
        srand(7);
        int first = rand(), second = rand();
        srand(7);
        same = rand() == first && first != second && first >= 0;
        unsigned seed = 3;
        for (int i = 0; i < 100; i++)
            numbers_drawn |= rand_r(&seed);
        unsigned long *block = (unsigned long *)calloc(10, sizeof *block);
        zeros = block[0] | block[9];
        free(block);
        own = putc(5, NULL);
    }
    EXPECT(same, 1);
    EXPECT(numbers_drawn, 0x7fffffff);
    EXPECT(zeros, 0);
    EXPECT(own, 6);
    return done();
}

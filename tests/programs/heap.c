// malloc and free inside target regions, by one thread and by many.

#include "check.h"

typedef struct Node {
    int value;
    struct Node *next;
} Node;

static void list(void) {
    int sum = 0, aligned = 1;
#pragma omp target map(tofrom : sum, aligned)
    {
        Node *head = NULL;
        for (int i = 1; i <= 50; i++) {
            Node *node = (Node *)malloc(sizeof(Node));
            aligned = aligned && (unsigned long)node % 16 == 0;
            node->value = i;
            node->next = head;
            head = node;
        }
        while (head) {
            Node *next = head->next;
            sum += head->value;
            free(head);
            head = next;
        }
        free(NULL);
    }
    EXPECT(sum, 1275);
    EXPECT(aligned, 1);
}

static void everyone(void) {
    int wrong = 0;
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(100) reduction(+ : wrong)
    for (int i = 0; i < 800; i++) {
        int n = 1 + i % 60;
        int *a = (int *)malloc(n * sizeof *a), *b = (int *)malloc(n * sizeof *b);
        for (int k = 0; k < n; k++) {
            a[k] = i + k;
            b[k] = -a[k];
        }
        for (int k = 0; k < n; k++)
            wrong += a[k] != i + k || b[k] != -a[k];
        free(b);
        free(a);
    }
    EXPECT(wrong, 0);
}

// realloc keeps what a block holds, for blocks of every size, many threads at once; null is a block of nothing.
static void growing(void) {
    int wrong = 0;
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(64) reduction(+ : wrong)
    for (int i = 0; i < 256; i++) {
        int *a = (int *)realloc(NULL, sizeof *a), length = 1;
        a[0] = i;
        for (int round = 0; round < 6; round++) {
            a = (int *)realloc(a, 4 * length * sizeof *a);
            for (int k = length; k < 4 * length; k++)
                a[k] = i + k;
            length *= 4;
        }
        a = (int *)realloc(a, 10 * sizeof *a);
        for (int k = 0; k < 10; k++)
            wrong += a[k] != i + k;
        free(a);
    }
    EXPECT(wrong, 0);
}

// What one region allocates, a later one may use and free.
static void across_regions(void) {
    int *kept = NULL, sum = 0;
#pragma omp target map(tofrom : kept)
    {
        kept = (int *)malloc(100 * sizeof *kept);
        for (int i = 0; i < 100; i++)
            kept[i] = i;
    }
    EXPECT(kept != NULL, 1);
#pragma omp target is_device_ptr(kept) map(tofrom : sum)
    {
        for (int i = 0; i < 100; i++)
            sum += kept[i];
        free(kept);
    }
    EXPECT(sum, 4950);
}

// Far more than any heap has, in all: freed memory is used again.
static void reuse(void) {
    int failed = 0;
#pragma omp target map(tofrom : failed)
    for (int i = 0; i < 20000; i++) {
        char *p = (char *)malloc(100000);
        if (!p) {
            failed++;
            continue;
        }
        p[0] = 1;
        p[99999] = 2;
        free(p);
    }
    EXPECT(failed, 0);
}

// A request nobody can serve gives a null pointer, not a fault.
static void too_much(void) {
    if (!offloading())
        return;
    int null = 0;
#pragma omp target map(tofrom : null)
    {
        char *volatile p = (char *)malloc((size_t)1 << 50);
        null = p == NULL;
    }
    EXPECT(null, 1);
}

int main(void) {
    list();
    everyone();
    growing();
    across_regions();
    reuse();
    too_much();
    return done();
}

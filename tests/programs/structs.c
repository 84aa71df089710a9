// Structs: whole, by member, with pointer members that are attached, arrays of structs.

#include "check.h"

typedef struct {
    int count;
    double *values;
    int fixed[6];
    struct {
        short low;
        float *inner;
    } nested;
    int after;
} Record;

static void whole(void) {
    Record r = {.count = 3, .fixed = {1, 2, 3, 4, 5, 6}, .after = 9};
#pragma omp target map(tofrom : r)
    {
        r.count += r.fixed[5];
        r.nested.low = 11;
        r.fixed[0] = 100;
    }
    EXPECT(r.count, 9);
    EXPECT(r.nested.low, 11);
    EXPECT(r.fixed[0], 100);
    EXPECT(r.after, 9);
}

static void members(void) {
    Record r = {.count = 1, .fixed = {0}, .after = 5};
    // Several members of one struct: one allocation from the first to the last of them.
#pragma omp target map(tofrom : r.count, r.after) map(from : r.fixed[2 : 2])
    {
        r.count = 10;
        r.after += 1;
        r.fixed[2] = 20;
        r.fixed[3] = 30;
    }
    EXPECT(r.count, 10);
    EXPECT(r.after, 6);
    EXPECT(r.fixed[1], 0);
    EXPECT(r.fixed[2], 20);
    EXPECT(r.fixed[3], 30);
}

static void attached(void) {
    double values[16];
    float inner[8] = {0};
    Record r = {.count = 16, .values = values, .nested.inner = inner};
    double *before = r.values;
    for (int i = 0; i < 16; i++)
        values[i] = i;
    // The member's target is mapped and the device's copy of the member made to point to it.
#pragma omp target map(tofrom : r.values[0 : 16]) map(to : r.count)
    for (int i = 0; i < r.count; i++)
        r.values[i] *= 3;
    EXPECT(values[15], 45);
    EXPECT(r.values == before, 1);

#pragma omp target map(tofrom : r, r.values[4 : 4], r.nested.inner[0 : 8])
    {
        r.values[5] = -5;
        r.nested.inner[7] = 7.5f;
        r.after = 77;
    }
    EXPECT(values[5], -5);
    EXPECT(inner[7], 7.5);
    EXPECT(r.after, 77);
    // The pointers that came back are the host's.
    EXPECT(r.values == before, 1);
    EXPECT(r.nested.inner == inner, 1);
}

static void pointer_to_struct(void) {
    double values[5] = {1, 2, 3, 4, 5};
    Record *r = malloc(sizeof *r);
    memset(r, 0, sizeof *r);
    r->values = values;
    r->count = 5;
#pragma omp target enter data map(to : r[0 : 1])
#pragma omp target enter data map(to : r->values[0 : 5])
    double sum = 0;
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < r->count; i++) {
        sum += r->values[i];
        r->values[i] = -r->values[i];
    }
    EXPECT(sum, 15);
#pragma omp target exit data map(from : r->values[0 : 5])
#pragma omp target exit data map(release : r[0 : 1])
    EXPECT(values[4], -5);
    EXPECT(r->values == values, 1);
    free(r);
}

static void array_of_structs(void) {
    Record records[9];
    memset(records, 0, sizeof records);
    double values[9] = {0};
    for (int i = 0; i < 9; i++) {
        records[i].count = i;
        records[i].values = &values[i];
    }
#pragma omp target teams distribute parallel for map(tofrom : records)
    for (int i = 0; i < 9; i++)
        records[i].after = records[i].count * records[i].count;
    EXPECT(records[8].after, 64);
#pragma omp target map(tofrom : records[3].count, records[3].values[0 : 1]) map(to : records[3].values)
    {
        records[3].count = 33;
        records[3].values[0] = 3.5;
    }
    EXPECT(records[3].count, 33);
    EXPECT(values[3], 3.5);
    EXPECT(records[3].values == &values[3], 1);
}

typedef struct Node {
    int value;
    struct Node *next;
} Node;

// A list, node by node: every enter maps one node and attaches its predecessor's pointer.
static void linked_list(void) {
    enum { LENGTH = 6 };
    Node *head = NULL;
    for (int i = 0; i < LENGTH; i++) {
        Node *node = malloc(sizeof *node);
        *node = (Node){.value = i + 1, .next = head};
        head = node;
    }
#pragma omp target enter data map(to : head[0 : 1])
    for (Node *node = head; node->next; node = node->next) {
#pragma omp target enter data map(to : node->next[0 : 1])
    }
    int sum = 0;
#pragma omp target map(tofrom : sum)
    for (Node *node = head; node; node = node->next) {
        sum += node->value;
        node->value *= 10;
    }
    EXPECT(sum, 21);
    for (Node *node = head, *next; node; node = next) {
        next = node->next;
#pragma omp target update from(node->value)
#pragma omp target exit data map(delete : node[0 : 1])
        sum += node->value;
        free(node);
    }
    EXPECT(sum, 21 + 210);
}

typedef struct {
    unsigned a : 3, b : 13;
    int : 0;
    unsigned c : 9;
    char d;
} __attribute__((packed)) Packed;

static void packed(void) {
    Packed p[3] = {{1, 2, 3, 'a'}, {4, 5, 6, 'b'}, {7, 8, 9, 'c'}};
#pragma omp target map(tofrom : p)
    for (int i = 0; i < 3; i++) {
        p[i].b += p[i].a;
        p[i].c = p[i].d;
    }
    EXPECT(p[0].b, 3);
    EXPECT(p[2].b, 15);
    EXPECT(p[2].c, 'c');
    EXPECT(p[2].a, 7);
}

int main(void) {
    whole();
    members();
    attached();
    pointer_to_struct();
    array_of_structs();
    linked_list();
    packed();
    return done();
}

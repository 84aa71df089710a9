// Device memory from malloc, by one thread and by many (scripts/amd-emulate).
#include <stdio.h>
#include <stdlib.h>

typedef struct Node {
    int value;
    struct Node *next;
} Node;

int main(void) {
    int list = 0, wrong = 0;
#pragma omp target map(tofrom : list)
    {
        Node *head = NULL;
        for (int i = 1; i <= 50; i++) {
            Node *node = malloc(sizeof *node);
            node->value = i;
            node->next = head;
            head = node;
        }
        while (head) {
            Node *next = head->next;
            list += head->value;
            free(head);
            head = next;
        }
    }
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(64) reduction(+ : wrong)
    for (int i = 0; i < 200; i++) {
        int n = 1 + i % 30;
        int *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
        for (int k = 0; k < n; k++) {
            a[k] = i + k;
            b[k] = -a[k];
        }
        a = realloc(a, 2 * n * sizeof *a);
        for (int k = 0; k < n; k++)
            wrong += a[k] != i + k || b[k] != -a[k];
        free(b);
        free(a);
    }
    printf("list %d, wrong %d\n", list, wrong);
    return list != 1275 || wrong != 0;
}

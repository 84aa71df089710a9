// What the programs of mistakes have in common. Each function is a mistake, which the first argument names. Compiled with
// -DRIGHT, it is the program that its author meant.
#ifndef MISTAKE_H
#define MISTAKE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RIGHT
#define MISTAKE(wrong, right) right
#else
#define MISTAKE(wrong, right) wrong
#endif

// A number that the compiler does not know.
static volatile int unknown_size = 64;

#define RUN(name)                                                                                                      \
  if (argc > 1 && strcmp(argv[1], #name) == 0) {                                                                       \
    name();                                                                                                            \
    return 0;                                                                                                          \
  }

static inline int *numbers(int n) {
  int *x = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++)
    x[i] = i;
  return x;
}

#endif

// A constant that the program asks to copy back: an error.
#include <stdio.h>

static const int numbers[4] = {1, 2, 3, 4};

int main(int count, char **arguments) {
    (void)arguments;
    int sum = 0;
#pragma omp target map(tofrom : numbers) map(tofrom : sum)
    sum = numbers[count];
    printf("survived %d\n", sum);
    return 0;
}

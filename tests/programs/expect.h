// What CUDA and HIP programs of the tests compare with, on the host. They end with FAIL if `failed` is not 0.

#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>

static int failed = 0;
#define EXPECT(is, expected)                                                                                 \
    do {                                                                                                     \
        double is_ = (is), expected_ = (expected);                                                           \
        if (!(is_ == expected_) && ++failed < 10)                                                            \
            printf("line %d: %s is %.17g, expected %.17g\n", __LINE__, #is, is_, expected_);                 \
    } while (0)

#endif

// HIP's vector types and dim3, which are CUDA's, and what HIP's have besides: operators, element by element.
#ifndef OMPTARGET_HIP_VECTOR_TYPES_H
#define OMPTARGET_HIP_VECTOR_TYPES_H

#include "../host_defines.h"
#include "../vector_functions.h"
#include "../vector_types.h"

#ifdef __cplusplus

#define OMPTARGET_FIELDS_1(do, symbol) do(x, symbol)
#define OMPTARGET_FIELDS_2(do, symbol) do(x, symbol) do(y, symbol)
#define OMPTARGET_FIELDS_3(do, symbol) do(x, symbol) do(y, symbol) do(z, symbol)
#define OMPTARGET_FIELDS_4(do, symbol) do(x, symbol) do(y, symbol) do(z, symbol) do(w, symbol)
#define OMPTARGET_OF_FIELDS(field, symbol) a.field = (decltype(a.field))(a.field symbol b.field);
#define OMPTARGET_OF_NUMBER(field, symbol) a.field = (decltype(a.field))(a.field symbol b);
#define OMPTARGET_SET(field, symbol) all.field = number;
#define OMPTARGET_DIFFER(field, symbol) same = same && a.field == b.field;
#define OMPTARGET_NEGATE(field, symbol) a.field = (decltype(a.field))(-a.field);

#define OMPTARGET_BOTH static inline __host__ __device__
#define OMPTARGET_OPERATOR(type, element, fields, symbol)                                                    \
    OMPTARGET_BOTH type &operator symbol##=(type &a, const type &b) {                                        \
        fields(OMPTARGET_OF_FIELDS, symbol) return a;                                                        \
    }                                                                                                        \
    OMPTARGET_BOTH type &operator symbol##=(type &a, element b) {                                            \
        fields(OMPTARGET_OF_NUMBER, symbol) return a;                                                        \
    }                                                                                                        \
    OMPTARGET_BOTH type operator symbol(type a, const type &b) { return a symbol##= b; }                    \
    OMPTARGET_BOTH type operator symbol(type a, element b) { return a symbol##= b; }                        \
    OMPTARGET_BOTH type operator symbol(element number, const type &b) {                                     \
        type all;                                                                                            \
        fields(OMPTARGET_SET, symbol) return all symbol##= b;                                               \
    }
#define OMPTARGET_ARITHMETIC(type, element, fields)                                                          \
    OMPTARGET_OPERATOR(type, element, fields, +)                                                             \
    OMPTARGET_OPERATOR(type, element, fields, -)                                                             \
    OMPTARGET_OPERATOR(type, element, fields, *)                                                             \
    OMPTARGET_OPERATOR(type, element, fields, /)                                                             \
    OMPTARGET_BOTH type operator-(type a) { fields(OMPTARGET_NEGATE, -) return a; }                          \
    OMPTARGET_BOTH bool operator==(const type &a, const type &b) {                                           \
        bool same = true;                                                                                    \
        fields(OMPTARGET_DIFFER, ==) return same;                                                            \
    }                                                                                                        \
    OMPTARGET_BOTH bool operator!=(const type &a, const type &b) { return !(a == b); }
#define OMPTARGET_BITS(type, element, fields)                                                                \
    OMPTARGET_ARITHMETIC(type, element, fields)                                                              \
    OMPTARGET_OPERATOR(type, element, fields, %)                                                             \
    OMPTARGET_OPERATOR(type, element, fields, &)                                                             \
    OMPTARGET_OPERATOR(type, element, fields, |)                                                             \
    OMPTARGET_OPERATOR(type, element, fields, ^)
#define OMPTARGET_VECTORS(base, element, operators)                                                          \
    operators(base##1, element, OMPTARGET_FIELDS_1) operators(base##2, element, OMPTARGET_FIELDS_2)          \
        operators(base##3, element, OMPTARGET_FIELDS_3) operators(base##4, element, OMPTARGET_FIELDS_4)

OMPTARGET_VECTORS(char, signed char, OMPTARGET_BITS)
OMPTARGET_VECTORS(uchar, unsigned char, OMPTARGET_BITS)
OMPTARGET_VECTORS(short, short, OMPTARGET_BITS)
OMPTARGET_VECTORS(ushort, unsigned short, OMPTARGET_BITS)
OMPTARGET_VECTORS(int, int, OMPTARGET_BITS)
OMPTARGET_VECTORS(uint, unsigned int, OMPTARGET_BITS)
OMPTARGET_VECTORS(long, long, OMPTARGET_BITS)
OMPTARGET_VECTORS(ulong, unsigned long, OMPTARGET_BITS)
OMPTARGET_VECTORS(longlong, long long, OMPTARGET_BITS)
OMPTARGET_VECTORS(ulonglong, unsigned long long, OMPTARGET_BITS)
OMPTARGET_VECTORS(float, float, OMPTARGET_ARITHMETIC)
OMPTARGET_VECTORS(double, double, OMPTARGET_ARITHMETIC)

#undef OMPTARGET_VECTORS
#undef OMPTARGET_BITS
#undef OMPTARGET_ARITHMETIC
#undef OMPTARGET_OPERATOR
#undef OMPTARGET_BOTH
#undef OMPTARGET_NEGATE
#undef OMPTARGET_DIFFER
#undef OMPTARGET_SET
#undef OMPTARGET_OF_NUMBER
#undef OMPTARGET_OF_FIELDS
#undef OMPTARGET_FIELDS_4
#undef OMPTARGET_FIELDS_3
#undef OMPTARGET_FIELDS_2
#undef OMPTARGET_FIELDS_1

#endif
#endif

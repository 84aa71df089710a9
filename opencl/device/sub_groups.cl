// Sub-groups are warps: 32 work-items with consecutive linear ids, fewer in the last (OpenCL C 3.0, 6.15.19;
// cl_khr_subgroups, cl_khr_subgroup_shuffle and cl_khr_subgroup_shuffle_relative).

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define OVERLOADABLE __attribute__((overloadable, convergent))

OVERLOADABLE uint get_sub_group_size(void);
__attribute__((overloadable, const)) size_t get_local_linear_id(void);
__attribute__((overloadable, const)) size_t get_local_size(uint dimension);

// The ids follow from the linear id, whatever the shape of the work-group.
__attribute__((overloadable, const)) uint get_sub_group_local_id(void) { return (uint)get_local_linear_id() % 32; }
__attribute__((overloadable, const)) uint get_sub_group_id(void) { return (uint)get_local_linear_id() / 32; }
__attribute__((overloadable, const)) uint get_max_sub_group_size(void) { return 32; }
__attribute__((overloadable, const)) uint get_num_sub_groups(void) {
    return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2) + 31) / 32;
}
__attribute__((overloadable, const)) uint get_sub_group_size(void) {
    uint items = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
    uint before = get_sub_group_id() * 32;
    return items - before < 32 ? items - before : 32;
}

static uint members(void) {
    uint size = get_sub_group_size();
    return size < 32 ? (1u << size) - 1 : ~0u;
}

// The word that another member has.
static uint word_of(uint value, uint lane) { return __nvvm_shfl_sync_idx_i32(members(), value, lane, 31); }

static ulong long_of(ulong value, uint lane) {
    ulong high = word_of((uint)(value >> 32), lane);
    return high << 32 | word_of((uint)value, lane);
}

OVERLOADABLE int sub_group_all(int predicate) { return __nvvm_vote_all_sync(members(), predicate != 0); }
OVERLOADABLE int sub_group_any(int predicate) { return __nvvm_vote_any_sync(members(), predicate != 0); }

#define AS(TYPE, value) __builtin_astype(value, TYPE)

#define SHUFFLES(TYPE, WORD, LONG, of)                                                                                 \
    OVERLOADABLE TYPE sub_group_shuffle(TYPE value, uint lane) { return AS(TYPE, (WORD)of(AS(WORD, value), lane)); }   \
    OVERLOADABLE TYPE sub_group_shuffle_xor(TYPE value, uint mask) {                                                   \
        return sub_group_shuffle(value, get_sub_group_local_id() ^ mask);                                              \
    }                                                                                                                  \
    OVERLOADABLE TYPE sub_group_shuffle_up(TYPE value, uint delta) {                                                   \
        return sub_group_shuffle(value, get_sub_group_local_id() - delta);                                             \
    }                                                                                                                  \
    OVERLOADABLE TYPE sub_group_shuffle_down(TYPE value, uint delta) {                                                 \
        return sub_group_shuffle(value, get_sub_group_local_id() + delta);                                             \
    }

SHUFFLES(char, uchar, uint, word_of)
SHUFFLES(uchar, uchar, uint, word_of)
SHUFFLES(short, ushort, uint, word_of)
SHUFFLES(ushort, ushort, uint, word_of)
SHUFFLES(half, ushort, uint, word_of)
SHUFFLES(int, uint, uint, word_of)
SHUFFLES(uint, uint, uint, word_of)
SHUFFLES(float, uint, uint, word_of)
SHUFFLES(long, ulong, ulong, long_of)
SHUFFLES(ulong, ulong, ulong, long_of)
SHUFFLES(double, ulong, ulong, long_of)

#define ADD(a, b) ((a) + (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((a) < (b) ? (b) : (a))

#define OPERATION(TYPE, name, OP, identity)                                                                            \
    OVERLOADABLE TYPE sub_group_scan_inclusive_##name(TYPE value) {                                                    \
        uint lane = get_sub_group_local_id();                                                                          \
        for (uint step = 1; step < 32; step *= 2) {                                                                    \
            TYPE other = sub_group_shuffle(value, lane < step ? lane : lane - step);                                   \
            value = lane < step ? value : OP(other, value);                                                            \
        }                                                                                                              \
        return value;                                                                                                  \
    }                                                                                                                  \
    OVERLOADABLE TYPE sub_group_scan_exclusive_##name(TYPE value) {                                                    \
        uint lane = get_sub_group_local_id();                                                                          \
        TYPE before = sub_group_shuffle(sub_group_scan_inclusive_##name(value), lane == 0 ? 0 : lane - 1);             \
        return lane == 0 ? (TYPE)(identity) : before;                                                                  \
    }                                                                                                                  \
    OVERLOADABLE TYPE sub_group_reduce_##name(TYPE value) {                                                            \
        return sub_group_shuffle(sub_group_scan_inclusive_##name(value), get_sub_group_size() - 1);                    \
    }

#define OPERATIONS(TYPE, least, greatest)                                                                              \
    OVERLOADABLE TYPE sub_group_broadcast(TYPE value, uint lane) { return sub_group_shuffle(value, lane); }            \
    OPERATION(TYPE, add, ADD, 0)                                                                                       \
    OPERATION(TYPE, min, MIN, greatest)                                                                                \
    OPERATION(TYPE, max, MAX, least)

OPERATIONS(int, INT_MIN, INT_MAX)
OPERATIONS(uint, 0, UINT_MAX)
OPERATIONS(long, LONG_MIN, LONG_MAX)
OPERATIONS(ulong, 0, ULONG_MAX)
OPERATIONS(half, -INFINITY, INFINITY)
OPERATIONS(float, -INFINITY, INFINITY)
OPERATIONS(double, -INFINITY, INFINITY)

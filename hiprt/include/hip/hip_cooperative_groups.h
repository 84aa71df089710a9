// Cooperative groups: threads that wait for each other and exchange values as a block, a part of a warp, the threads of
// a warp that come together, or a whole grid.
#ifndef OMPTARGET_HIP_COOPERATIVE_GROUPS_H
#define OMPTARGET_HIP_COOPERATIVE_GROUPS_H

#include <hip/hip_runtime.h>

#ifdef __cplusplus

// What all blocks of a grid have in common while they wait for each other: how many have come, and how often all have.
static __device__ unsigned omptarget_grid_arrived, omptarget_grid_rounds;

namespace cooperative_groups {

#define OMPTARGET_GROUP static inline __device__

namespace omptarget {

__device__ inline unsigned volume(dim3 extent) { return extent.x * extent.y * extent.z; }
__device__ inline unsigned place(dim3 at, dim3 extent) { return (at.z * extent.y + at.y) * extent.x + at.x; }
__device__ inline dim3 thread() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
__device__ inline dim3 block() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
__device__ inline dim3 threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
__device__ inline dim3 blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
__device__ inline unsigned rank_in_block() { return place(thread(), threads()); }
__device__ inline unsigned block_rank() { return place(block(), blocks()); }

} // namespace omptarget

// The threads of a block. Other groups are told apart by the lanes of a warp that they have.
class thread_block {
  public:
    __device__ void sync() const { __syncthreads(); }
    __device__ unsigned size() const { return omptarget::volume(omptarget::threads()); }
    __device__ unsigned num_threads() const { return size(); }
    __device__ unsigned thread_rank() const { return omptarget::rank_in_block(); }
    __device__ bool is_valid() const { return true; }
    __device__ dim3 group_index() const { return omptarget::block(); }
    __device__ dim3 thread_index() const { return omptarget::thread(); }
    __device__ dim3 group_dim() const { return omptarget::threads(); }
    __device__ dim3 dim_threads() const { return omptarget::threads(); }
};

OMPTARGET_GROUP thread_block this_thread_block() { return {}; }

// The threads of a grid that `hipLaunchCooperativeKernel` launched: its blocks run at the same time.
class grid_group {
  public:
    __device__ void sync() const {
        __threadfence();
        __syncthreads();
        if (omptarget::rank_in_block() == 0) {
            unsigned round = __hip_atomic_load(&omptarget_grid_rounds, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
            unsigned before =
                __hip_atomic_fetch_add(&omptarget_grid_arrived, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
            if (before + 1 == omptarget::volume(omptarget::blocks())) {
                __hip_atomic_store(&omptarget_grid_arrived, 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
                __hip_atomic_fetch_add(&omptarget_grid_rounds, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
            } else {
                while (__hip_atomic_load(&omptarget_grid_rounds, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == round)
                    __builtin_amdgcn_s_sleep(2);
            }
        }
        __syncthreads();
        __threadfence();
    }
    __device__ unsigned long long size() const {
        return (unsigned long long)omptarget::volume(omptarget::blocks()) * omptarget::volume(omptarget::threads());
    }
    __device__ unsigned long long num_threads() const { return size(); }
    __device__ unsigned long long thread_rank() const {
        return (unsigned long long)omptarget::block_rank() * omptarget::volume(omptarget::threads()) +
               omptarget::rank_in_block();
    }
    __device__ bool is_valid() const { return true; }
    __device__ dim3 group_dim() const { return omptarget::blocks(); }
    __device__ dim3 dim_blocks() const { return omptarget::blocks(); }
    __device__ unsigned num_blocks() const { return omptarget::volume(omptarget::blocks()); }
    __device__ dim3 block_index() const { return omptarget::block(); }
    __device__ unsigned block_rank() const { return omptarget::block_rank(); }
};

OMPTARGET_GROUP grid_group this_grid() { return {}; }

// `Size` neighbouring threads of a block, at most a warp; a power of two.
template <unsigned Size, typename Parent = void> class thread_block_tile {
    static_assert(Size > 0 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two");
    static __device__ unsigned long long lanes() {
        unsigned long long all = Size == 64 ? ~0ull : (1ull << Size % 64) - 1;
        return all << (__lane_id() & ~(Size - 1));
    }

  public:
    __device__ thread_block_tile() {}
    // What it is a part of makes no difference.
    template <typename Other> __device__ thread_block_tile(const thread_block_tile<Size, Other> &) {}
    __device__ void sync() const { __syncwarp(lanes()); }
    static constexpr __device__ unsigned size() { return Size; }
    static constexpr __device__ unsigned num_threads() { return Size; }
    __device__ unsigned thread_rank() const { return omptarget::rank_in_block() % Size; }
    __device__ bool is_valid() const { return true; }
    __device__ unsigned meta_group_rank() const { return omptarget::rank_in_block() / Size; }
    __device__ unsigned meta_group_size() const {
        return (omptarget::volume(omptarget::threads()) + Size - 1) / Size;
    }
    template <typename T> __device__ T shfl(T value, int rank) const { return __shfl(value, rank, Size); }
    template <typename T> __device__ T shfl_up(T value, unsigned by) const { return __shfl_up(value, by, Size); }
    template <typename T> __device__ T shfl_down(T value, unsigned by) const { return __shfl_down(value, by, Size); }
    template <typename T> __device__ T shfl_xor(T value, unsigned mask) const {
        return __shfl_xor(value, (int)mask, Size);
    }
    __device__ int any(int predicate) const { return __any_sync(lanes(), predicate); }
    __device__ int all(int predicate) const { return __all_sync(lanes(), predicate); }
    __device__ unsigned long long ballot(int predicate) const {
        return __ballot_sync(lanes(), predicate) >> (__lane_id() & ~(Size - 1));
    }
    // The threads whose value is the same.
    template <typename T> __device__ unsigned long long match_any(T value) const {
        unsigned long long same = 0;
        for (unsigned rank = 0; rank < Size; rank++)
            same |= (unsigned long long)(shfl(value, (int)rank) == value) << rank;
        return same & ballot(1);
    }
    // All threads if all have the same value, else none.
    template <typename T> __device__ unsigned long long match_all(T value, int &same) const {
        unsigned long long here = ballot(1);
        same = all(shfl(value, __builtin_ctzll(here)) == value);
        return same ? here : 0;
    }
};

template <unsigned Size, typename Parent>
OMPTARGET_GROUP thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
    return {};
}

// The threads of a warp that have come to a place together, in the order of their lanes.
class coalesced_group {
    unsigned long long lanes;

    // The lane of the thread of a rank.
    __device__ int lane(unsigned rank) const {
        unsigned long long left = lanes;
        for (unsigned skipped = 0; skipped < rank; skipped++)
            left &= left - 1;
        return left ? __builtin_ctzll(left) : (int)__lane_id();
    }
    // A mask of lanes as one of ranks.
    __device__ unsigned long long of_ranks(unsigned long long mask) const {
        unsigned long long ranks = 0, left = lanes;
        for (unsigned rank = 0; left; rank++, left &= left - 1)
            ranks |= (mask >> __builtin_ctzll(left) & 1) << rank;
        return ranks;
    }

  public:
    explicit __device__ coalesced_group(unsigned long long lanes) : lanes(lanes) {}
    __device__ void sync() const { __syncwarp(lanes); }
    __device__ unsigned size() const { return __popcll(lanes); }
    __device__ unsigned num_threads() const { return size(); }
    __device__ unsigned thread_rank() const { return __popcll(lanes & ((1ull << __lane_id()) - 1)); }
    __device__ bool is_valid() const { return true; }
    __device__ unsigned meta_group_rank() const { return 0; }
    __device__ unsigned meta_group_size() const { return 1; }
    template <typename T> __device__ T shfl(T value, int rank) const { return __shfl(value, lane((unsigned)rank)); }
    // A thread without a partner keeps its value.
    template <typename T> __device__ T shfl_up(T value, unsigned by) const {
        unsigned rank = thread_rank();
        return __shfl(value, lane(rank < by ? rank : rank - by));
    }
    template <typename T> __device__ T shfl_down(T value, unsigned by) const {
        unsigned rank = thread_rank();
        return __shfl(value, lane(rank + by < size() ? rank + by : rank));
    }
    __device__ int any(int predicate) const { return __any_sync(lanes, predicate); }
    __device__ int all(int predicate) const { return __all_sync(lanes, predicate); }
    __device__ unsigned long long ballot(int predicate) const { return of_ranks(__ballot_sync(lanes, predicate)); }
};

OMPTARGET_GROUP coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <typename Group> OMPTARGET_GROUP void sync(const Group &group) { group.sync(); }
template <typename Group> OMPTARGET_GROUP auto group_size(const Group &group) { return group.size(); }
template <typename Group> OMPTARGET_GROUP auto thread_rank(const Group &group) { return group.thread_rank(); }

// What `reduce` does with two values.
#define OMPTARGET_OPERATION(name, expression)                                                                         \
    template <typename T> struct name {                                                                        \
        __device__ T operator()(T a, T b) const { return expression; }                                                \
    };
OMPTARGET_OPERATION(plus, a + b)
OMPTARGET_OPERATION(less, b < a ? b : a)
OMPTARGET_OPERATION(greater, a < b ? b : a)
OMPTARGET_OPERATION(bit_and, a &b)
OMPTARGET_OPERATION(bit_or, a | b)
OMPTARGET_OPERATION(bit_xor, a ^ b)
#undef OMPTARGET_OPERATION

// The values of a tile's threads as one, which each of them gets.
template <unsigned Size, typename Parent, typename T, typename Operation>
OMPTARGET_GROUP T reduce(const thread_block_tile<Size, Parent> &tile, T value, Operation operation) {
    for (unsigned by = Size / 2; by > 0; by /= 2)
        value = operation(value, tile.shfl_xor(value, by));
    return value;
}

#undef OMPTARGET_GROUP

} // namespace cooperative_groups

#endif
#endif

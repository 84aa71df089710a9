// Routines in target regions that queries.c does not have: allocators and their traits, device memory, affinity,
// resources, and those that can only say no.

#include <stdint.h>

#include "check.h"

static void allocators(void) {
    // (LLVM's host runtime does not know the omp_default_mem_space of its own omp.h.)
    if (!offloading())
        return;
    int aligned = 0, zero = 0, grown = 0, refused = 0, fallback = 0, chain = 0, reused = 0, kept = 0, none = 0, regions = 0, members = 0;
    uintptr_t standard = 0, chosen = 0, inherited = 0;
#pragma omp target map(tofrom : aligned, zero, grown, refused, fallback, chain, reused, kept, none, standard, chosen, inherited, \
                                regions, members)
    {
        omp_alloctrait_t traits[3] = {{omp_atk_alignment, 256}, {omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}};
        omp_allocator_handle_t own = omp_init_allocator(omp_default_mem_space, 3, traits);
        char *a = (char *)omp_alloc(100, own), *b = (char *)omp_aligned_alloc(1024, 100, own);
        aligned = a && b && (uintptr_t)a % 256 == 0 && (uintptr_t)b % 1024 == 0;
        refused = omp_alloc(4000, own) == NULL;
        omp_free(b, own);
        omp_free(a, omp_null_allocator);
        char *all = (char *)omp_alloc(4096, own);
        reused = all != NULL;

        omp_alloctrait_t second[3] = {
            {omp_atk_pool_size, 10}, {omp_atk_fallback, omp_atv_allocator_fb}, {omp_atk_fb_data, (omp_uintptr_t)own}};
        omp_allocator_handle_t small = omp_init_allocator(omp_large_cap_mem_space, 3, second);
        chain = omp_alloc(100, small) == NULL;
        omp_free(all, own);
        char *through = (char *)omp_alloc(100, small);
        chain += 2 * (through && (uintptr_t)through % 256 == 0);
        omp_free(through, small);
        omp_destroy_allocator(small);
        omp_alloctrait_t plain = {omp_atk_pool_size, 10};
        omp_allocator_handle_t standard_fallback = omp_init_allocator(omp_default_mem_space, 1, &plain);
        char *more = (char *)omp_alloc(1000, standard_fallback);
        fallback = more != NULL;
        omp_free(more, standard_fallback);
        omp_destroy_allocator(standard_fallback);

        int *zeros = (int *)omp_calloc(25, sizeof(int), omp_default_mem_alloc);
        zero = 1;
        for (int i = 0; i < 25; i++) {
            zero = zero && zeros[i] == 0;
            zeros[i] = i;
        }
        zeros = (int *)omp_realloc(zeros, 100 * sizeof(int), omp_default_mem_alloc, omp_default_mem_alloc);
        grown = zeros[24] == 24 && zeros[3] == 3;
        none = omp_realloc(zeros, 0, omp_default_mem_alloc, omp_default_mem_alloc) == NULL && omp_alloc(0, own) == NULL &&
               omp_aligned_alloc(48, 10, omp_default_mem_alloc) == NULL && omp_calloc((size_t)1 << 40, (size_t)1 << 40, own) == NULL;
        omp_free(NULL, omp_null_allocator);

        standard = omp_get_default_allocator();
        omp_set_default_allocator(own);
        chosen = omp_get_default_allocator() == own;
        char *implied = (char *)omp_alloc(8, omp_null_allocator);
        kept = (uintptr_t)implied % 256 == 0;
        omp_free(implied, omp_null_allocator);
#pragma omp task shared(inherited, own)
        {
            inherited = omp_get_default_allocator() == own;
            omp_set_default_allocator(omp_large_cap_mem_alloc);
        }
#pragma omp taskwait
        inherited += 2 * (omp_get_default_allocator() == own);
#pragma omp parallel num_threads(4) reduction(+ : regions, members)
        {
            regions += omp_get_default_allocator() == own;
            omp_set_default_allocator(omp_const_mem_alloc);
            members++;
        }
        regions += omp_get_default_allocator() == own;
        omp_destroy_allocator(own);
    }
    EXPECT(aligned, 1);
    EXPECT(refused, 1);
    EXPECT(reused, 1);
    EXPECT(chain, 3);
    EXPECT(fallback, 1);
    EXPECT(zero, 1);
    EXPECT(grown, 1);
    EXPECT(none, 1);
    EXPECT(standard, omp_default_mem_alloc);
    EXPECT(chosen, 1);
    EXPECT(kept, 1);
    EXPECT(inherited, 3);
    EXPECT(regions, members + 1);
}

// The allocate clause and directive, and uses_allocators.
static void clauses(void) {
    int sums[40] = {0}, aligned = 0;
#pragma omp target uses_allocators(omp_default_mem_alloc) map(tofrom : sums, aligned)
    {
#pragma omp parallel num_threads(40) reduction(+ : aligned)
        {
            int block[8], me = omp_get_thread_num();
            for (int i = 0; i < 8; i++)
                block[i] = i;
#pragma omp parallel for firstprivate(block) allocate(omp_default_mem_alloc : block) num_threads(1)
            for (int i = 0; i < 8; i++)
                sums[me] += block[i];
            aligned += (uintptr_t)block % sizeof(int) == 0;
        }
    }
    EXPECT(sums[0], 28);
    EXPECT(aligned > 0, 1);
}

// Device memory from device code: only that of the device itself.
static void memory(void) {
    if (!offloading())
        return;
    int copied = 0, set = 0, rectangle = 0, present = 0, refused = 0;
#pragma omp target map(tofrom : copied, set, rectangle, present, refused)
    {
        int here = omp_get_device_num(), host = omp_get_initial_device();
        int *a = (int *)omp_target_alloc(60 * sizeof(int), here), *b = (int *)omp_target_alloc(60 * sizeof(int), here);
        for (int i = 0; i < 60; i++) {
            a[i] = i;
            b[i] = -1;
        }
        copied = omp_target_memcpy(b, a, 5 * sizeof(int), 2 * sizeof(int), sizeof(int), here, here) == 0 && b[2] == 1 &&
                 b[6] == 5 && b[7] == -1 && b[1] == -1;
        const size_t volume[2] = {3, 2}, to[2] = {4, 1}, from[2] = {1, 3}, extent_to[2] = {10, 6}, extent_from[2] = {6, 10};
        rectangle = omp_target_memcpy_rect(b, a, sizeof(int), 2, volume, to, from, extent_to, extent_from, here, here) == 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 2; j++)
                rectangle = rectangle && b[(4 + i) * 6 + 1 + j] == (1 + i) * 10 + 3 + j;
        set = omp_target_memset(a, 1, 8, here) == a && a[1] == 0x01010101 && a[2] == 2;
        present = omp_target_is_present(a, here) + 2 * omp_target_is_accessible(a, 4, here);
        refused = omp_target_memcpy(b, a, 4, 0, 0, host, here) != 0 && omp_target_alloc(4, host) == NULL &&
                  omp_target_associate_ptr(a, b, 4, 0, here) != 0 && omp_get_mapped_ptr(a, here) == NULL;
        omp_target_free(a, here);
        omp_target_free(b, here);
    }
    EXPECT(copied, 1);
    EXPECT(rectangle, 1);
    EXPECT(set, 1);
    EXPECT(present, 2);
    EXPECT(refused, 1);
}

static void others(void) {
    if (!offloading())
        return;
    int places = 0, affinity = 0, pause = 0, tool = 0, uid = 0, priority = 0, teams = 0, cancel = 0;
#pragma omp target map(tofrom : places, affinity, pause, tool, uid, priority, teams, cancel)
    {
        char *text = (char *)malloc(8);
        strcpy(text, "before");
        places = omp_get_num_places() == 0 && omp_get_place_num() == -1 && omp_get_partition_num_places() == 0 &&
                 omp_get_proc_bind() == omp_proc_bind_false && omp_get_place_num_procs(0) == 0;
        omp_set_affinity_format("%n");
        affinity = omp_capture_affinity(text, 8, "%n") == 0 && text[0] == 0 && omp_get_affinity_format(text, 8) == 0;
        omp_display_affinity(NULL);
        free(text);
        pause = omp_pause_resource(omp_pause_soft, 0) != 0 && omp_pause_resource_all(omp_pause_hard) != 0;
        tool = omp_control_tool(omp_control_tool_start, 0, NULL);
        omp_display_env(1);
        uid = omp_get_device_from_uid(omp_get_uid_from_device(omp_get_device_num())) == omp_get_device_num() &&
              omp_get_device_from_uid("elsewhere") == omp_invalid_device;
        priority = omp_get_max_task_priority();
        omp_set_num_teams(3);
        teams = omp_get_max_teams() + omp_get_teams_thread_limit();
        cancel = omp_get_cancellation();
    }
    EXPECT(places, 1);
    EXPECT(affinity, 1);
    EXPECT(pause, 1);
    EXPECT(tool, omp_control_tool_notool);
    EXPECT(uid, 1);
    EXPECT(priority, 0);
    EXPECT(teams, 0);
    EXPECT(cancel, 0);
}

int main(void) {
    allocators();
    clauses();
    memory();
    others();
    return done();
}

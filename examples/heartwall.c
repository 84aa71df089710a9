// heartwall: fork-join on the device, after Listing 1 of Jacob et al., "Efficient Fork-Join on GPUs
// through Warp Specialization" (HiPC 2017), whose source is Rodinia's tracker of a beating heart.
//
// `target teams distribute` gives every tracked point to one team. The team's initial thread calls
// track(), which lives in another translation unit (heartwall_kernel.c): serial code there runs on
// that one thread, and each `parallel for` inside wakes the team's other threads, which is what the
// device runtime's warp specialisation is for.
//
//     omptarget run examples/heartwall.c examples/heartwall_kernel.c
//     scripts/run examples/heartwall.c             (finds heartwall_*.c by itself)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heartwall.h"

enum { ROWS = 200, COLUMNS = 320, FRAMES = 3 };

static void draw(float *frame, int number) {
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            frame[row * COLUMNS + column] = (float)((row * 7 + column * 13 + number * 29 + row * column) % 256);
}

// Initialises every point's record. The windows are parts of one array.
static void place(Private *points, const float *frame, float *windows) {
    for (int i = 0; i < MAX_POINTS; i++)
        points[i] = (Private){.frame = frame,
                              .row = (i * 17) % (ROWS - WINDOW),
                              .column = (i * 31) % (COLUMNS - WINDOW),
                              .window = windows + i * WINDOW * WINDOW,
                              .best = -1};
}

static int compare(const Private *device, const Private *host, int frame) {
    int wrong = 0;
    for (int i = 0; i < MAX_POINTS; i++) {
        if (device[i].sum == host[i].sum && device[i].deviation == host[i].deviation &&
            device[i].best == host[i].best)
            continue;
        printf("frame %d point %d: sum %g deviation %g best %d, expected %g %g %d\n", frame, i, device[i].sum,
               device[i].deviation, device[i].best, host[i].sum, host[i].deviation, host[i].best);
        wrong++;
    }
    return wrong;
}

int main(void) {
    static float frame[ROWS * COLUMNS];
    static float device_windows[MAX_POINTS * WINDOW * WINDOW], host_windows[MAX_POINTS * WINDOW * WINDOW];
    static Private device_points[MAX_POINTS], host_points[MAX_POINTS];
    int wrong = 0;

    // frame 0 only initialises: track() finds no work, and no inner parallel region runs.
    for (int number = 0; number < FRAMES; number++) {
        Public public = {.frame_no = number, .points = MAX_POINTS, .rows = ROWS, .columns = COLUMNS};
        draw(frame, number);
        place(device_points, frame, device_windows);
        place(host_points, frame, host_windows);
        memset(device_windows, 0, sizeof device_windows);
        memset(host_windows, 0, sizeof host_windows);

        Private *points = device_points;
#pragma omp target teams distribute map(to : frame) map(tofrom : points[0 : MAX_POINTS], device_windows)
        for (int i = 0; i < public.points; i++) {
            // The records hold host addresses; on the device the mapped arrays live elsewhere.
            points[i].frame = frame;
            points[i].window = device_windows + i * WINDOW * WINDOW;
            track(public, &points[i]);
        }

        for (int i = 0; i < MAX_POINTS; i++)
            track(public, &host_points[i]);
        wrong += compare(device_points, host_points, number);
        if (memcmp(device_windows, host_windows, sizeof host_windows) != 0) {
            printf("frame %d: the windows differ\n", number);
            wrong++;
        }
        printf("frame %d: point 1 has sum %.0f, brightest pixel %d\n", number, device_points[1].sum,
               device_points[1].best);
    }
    printf(wrong ? "FAIL: %d differences\n" : "PASS\n", wrong);
    return wrong != 0;
}

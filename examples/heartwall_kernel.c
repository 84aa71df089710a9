// The part of the heartwall example that the main file cannot see into: orphaned parallel regions.
// Compiled once for the host and once for the device, like everything between `declare target`.

#include "heartwall.h"

#pragma omp declare target

// The brightest pixel, first one first: serial code between the parallel regions.
static int brightest(const float *window) {
    int best = 0;
    for (int i = 1; i < WINDOW * WINDOW; i++)
        if (window[i] > window[best])
            best = i;
    return best;
}

void track(Public public, Private *private) {
    if (public.frame_no == 0)
        return;

    // Every thread of the team copies part of the window, transposed.
#pragma omp parallel for collapse(2)
    for (int column = 0; column < WINDOW; column++)
        for (int row = 0; row < WINDOW; row++)
            private->window[column * WINDOW + row] =
                private->frame[(private->row + row) * public.columns + private->column + column];

    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < WINDOW * WINDOW; i++)
        sum += private->window[i];
    private->sum = sum;

    private->best = brightest(private->window);

    // A third region that reads what the serial code computed. The mean is rounded to an integer so
    // that the sum is exact in any order.
    int mean = (int)(sum / (WINDOW * WINDOW));
    double deviation = 0.0;
#pragma omp parallel for reduction(+ : deviation)
    for (int i = 0; i < WINDOW * WINDOW; i++)
        deviation += (private->window[i] - mean) * (private->window[i] - mean);
    private->deviation = deviation;
}

#pragma omp end declare target

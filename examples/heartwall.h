// What the two translation units of the heartwall example share.

#ifndef HEARTWALL_H
#define HEARTWALL_H

enum { WINDOW = 24, MAX_POINTS = 51 };

// The same for every tracked point: passed by value into the target region.
typedef struct {
    int frame_no;
    int points;
    int rows, columns;
} Public;

// One per tracked point. The pointers are device pointers while a target region uses them.
typedef struct {
    const float *frame; // the whole image, rows x columns
    int row, column;    // where the point's window begins
    float *window;      // WINDOW x WINDOW, transposed copy of the image there
    double sum;         // of the window
    double deviation;   // of the window's pixels from their mean, squared and summed
    int best;           // index of the brightest pixel, found by serial code
} Private;

#pragma omp declare target
void track(Public public, Private *private);
#pragma omp end declare target

#endif

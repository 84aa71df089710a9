// Another unit of managed.cu.
__managed__ int matrix[4][4] = {{0}, {0}, {0}, {0, 0, 0, 7}};
__managed__ int total;

int host_total() { return total; }

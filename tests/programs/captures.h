// Defines NAME(alone), which checks regions that capture the variables of EACH, COUNT in number: sent to workers (generic
// mode), run by one thread, nested, and, but for SENT_ONLY, passed as arguments. Included once per count.

static void NAME(int alone) {
    long sent = 0, changed = 0, expected = 0;
    int team = 0;
#define M(i) int v##i = opaque(i);
    EACH
#undef M
#define M(i) +v##i
    expected = EACH;
#undef M

#pragma omp target map(tofrom : sent, changed, team) thread_limit(64)
    {
#define M(i) int v##i = opaque(i);
        EACH
#undef M
#pragma omp parallel num_threads(5) if (!alone)
        {
#define M(i) +v##i
            long mine = EACH;
#undef M
#pragma omp atomic
            sent += mine;
#pragma omp barrier
#pragma omp single
            {
#define M(i) v##i += 1;
                EACH
#undef M
                team = omp_get_num_threads();
            }
        }
#define M(i) +v##i
        changed = EACH;
#undef M
    }
    EXPECT(sent, team * expected);
    EXPECT(changed, expected + COUNT);

#ifndef SENT_ONLY
    long passed = 0, nested = 0;
    int threads = 0;
#pragma omp target parallel reduction(+ : passed, nested) reduction(max : threads) num_threads(3)
    {
        threads = omp_get_num_threads();
#define M(i) +v##i
        passed += EACH;
#pragma omp parallel reduction(+ : nested)
        nested += EACH;
#undef M
    }
    EXPECT(passed, threads * expected);
    EXPECT(nested, threads * expected);
#endif
}

#undef NAME
#undef COUNT
#undef EACH

// Tasks, in the forms that target regions allow.
#include "epcc.h"

enum { NESTED = 4, DEPTH = 4 };                             // tasks within a task; levels of a tree
enum { NODES = (1 << DEPTH) - 1, LEAVES = 1 << (DEPTH - 1) }; // of such a tree

#pragma omp begin declare target
// A binary tree of tasks; the delay is in every node, or in the leaves only.
static void branches(struct team *own, int length, int level) {
    work(own, length);
    for (int side = 0; side < 2 && level > 1; side++) {
#pragma omp task
        branches(own, length, level - 1);
    }
#pragma omp taskwait
}
static void leaves(struct team *own, int length, int level) {
    if (level == 1) {
        work(own, length);
        return;
    }
    for (int side = 0; side < 2; side++) {
#pragma omp task
        leaves(own, length, level - 1);
    }
#pragma omp taskwait
}
#pragma omp end declare target

IN_REGION(parallel_task, REPEAT {
    OMP(task)
    work(own, length);
})
IN_REGION(master_task, {
    OMP(masked)
    REPEAT {
        OMP(task)
        work(own, length);
    }
})
IN_REGION(conditional_task, REPEAT {
    OMP(task if (own->counter < 0))
    work(own, length);
})
IN_REGION(task_wait, REPEAT {
    OMP(task)
    work(own, length);
    OMP(taskwait)
})
IN_REGION(task_barrier, REPEAT {
    OMP(task)
    work(own, length);
    OMP(barrier)
})
IN_REGION(task_group, REPEAT {
    OMP(taskgroup) {
        OMP(task)
        work(own, length);
    }
})
IN_REGION(nested_task, REPEAT {
    OMP(task) {
        for (int k = 0; k < NESTED; k++) {
            OMP(task)
            work(own, length);
        }
        OMP(taskwait)
    }
})
IN_REGION(task_loop, {
    OMP(masked)
    {
        OMP(taskloop grainsize(1))
        for (long j = 0; j < inner; j++)
            work(own, length);
    }
})
IN_REGION(branch_tree, {
    OMP(masked)
    REPEAT branches(own, length, DEPTH);
})
IN_REGION(leaf_tree, {
    OMP(masked)
    REPEAT leaves(own, length, DEPTH);
})

static const struct construct suite[] = {
    {"task", "parallel task", EACH, 0, 0, BOTH(parallel_task)},
    {"task", "master task", ONE, 0, 0, BOTH(master_task)},
    {"task", "conditional task", EACH, 0, 0, BOTH(conditional_task)},
    {"task", "taskwait", EACH, 0, 0, BOTH(task_wait)},
    {"task", "task barrier", EACH, 0, 0, BOTH(task_barrier)},
    {"task", "taskgroup", EACH, 0, 0, BOTH(task_group)},
    {"task", "nested task", EACH, 0, NESTED, BOTH(nested_task)},
    {"task", "taskloop", ONE, 0, 0, BOTH(task_loop)},
    {"task", "branch task tree", ONE, 0, NODES, BOTH(branch_tree)},
    {"task", "leaf task tree", ONE, 0, LEAVES, BOTH(leaf_tree)},
   
};

#include "program.h"

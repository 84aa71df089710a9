// Target regions wherever a process lives: constructors before main, destructors and atexit handlers after it, across exec and
// fork. The argument says what main does; the test knows what is printed.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// On the device, or -1.
int sum(int count) {
    int result = 0, host = 1;
#pragma omp target teams distribute parallel for reduction(+ : result) map(tofrom : result)
    for (int i = 0; i < count; i++)
        result += i;
#pragma omp target map(from : host)
    host = omp_is_initial_device();
    return host ? -1 : result;
}

void say(const char *when, int value) {
    std::printf("%s %d\n", when, value);
    std::fflush(stdout);
}

void handler() { say("atexit", sum(10)); }

struct Object {
    Object() { say("before main", sum(5)); }
    ~Object() { say("after main", sum(4)); }
} object;

// What becomes of a child that does `what`.
template <typename What> void in_child(What what) {
    pid_t child = fork();
    if (child == 0) {
        what();
        std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    say("child", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

} // namespace

int main(int, char **argv) {
    const char *what = argv[1] ? argv[1] : "";
    if (std::strcmp(what, "again") == 0) {
        say("again", sum(6));
        return 0;
    }
    std::atexit(handler);
    say("main", sum(7000));
    auto again = [argv] { execl(argv[0], argv[0], "again", nullptr); };
    if (std::strcmp(what, "exec") == 0)
        again();
    if (std::strcmp(what, "spawn") == 0)
        in_child(again);
    if (std::strcmp(what, "fork") == 0)
        in_child([] { say("child's", sum(7000)); });
    if (std::strcmp(what, "fork idle") == 0)
        in_child([] { _exit(7); });
    say("still", sum(3));
}

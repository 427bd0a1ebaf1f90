// Leaves a process behind that forks and exits in a loop, "far": always in another session. It says "ready" once that
// has begun. After some hundred generations there is an end, so that a test that fails fills no process table, and the
// file that it is given says so.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int kGenerations = 700;

static void hop(bool far, const char* over) {
    for (int generation = 0; fork() == 0; ++generation) {
        if (generation == kGenerations) {
            close(open(over, O_CREAT | O_WRONLY, 0600));
            break;
        }
        if (far) setsid();
        // Long enough for all of them to outlive what ends them, short enough to be gone at the next look.
        usleep(1000);
    }
    _exit(0);
}

int main(int, char** words) {
    if (fork() == 0) {
        setsid();
        if (fork()) _exit(0);
        printf("ready\n");
        fflush(stdout);
        hop(!strcmp(words[1], "far"), words[2]);
    }
    for (;;) pause();
}

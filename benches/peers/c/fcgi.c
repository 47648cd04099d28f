/* FastCGI responders as they stand behind nginx: so many processes, each with one request at a time, which take turns at
 * one socket. /work?us=N uses up N microseconds of the process's core. */
#include <fcgiapp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* What spawn-fcgi asks for by default. */
#define BACKLOG 1024

static long long cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void work(int listener) {
    FCGX_Request request;
    FCGX_InitRequest(&request, listener, 0);
    while (FCGX_Accept_r(&request) == 0) {
        const char *query = FCGX_GetParam("QUERY_STRING", request.envp);
        long us = query && strncmp(query, "us=", 3) == 0 ? strtol(query + 3, NULL, 10) : 0;
        for (long long end = cpu_ns() + us * 1000LL; cpu_ns() < end;) {
        }
        FCGX_FPrintF(request.out, "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\ndone\n");
        FCGX_Finish_r(&request);
    }
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: fcgi SOCKET PROCESSES\n");
        return 2;
    }
    FCGX_Init();
    int listener = FCGX_OpenSocket(words[1], BACKLOG);
    if (listener < 0) {
        return 2;
    }
    for (int left = atoi(words[2]) - 1; left > 0; left--) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            break;
        }
    }
    work(listener);
    return 1;
}

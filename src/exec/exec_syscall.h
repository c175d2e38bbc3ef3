/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * System calls without the C library
 *
 * Children on their way to their programs share the manager's memory, and thus
 * errno, with each other and with the manager. Here the error is returned as
 * the result. On machines for which this file has no assembly the calls go
 * through the C library, and only one child at a time may be on its way.
 */

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Marks a function that runs in a child that shares the manager's memory. A section of their own lets tools/check-child
 * verify which functions they call and what they write. No sanitizer: the stack frames of a function that never returns
 * would stay poisoned when the stack is reused.
 */
#define child_ __attribute__((no_sanitize("address", "undefined"), section(".text.child")))

/* The result, or a negative errno. Pointers are passed as numbers: see the macro. */
static inline long exec_call(long number, long a, long b, long c, long d, long e)
        __attribute__((always_inline, no_sanitize("address", "undefined")));

#if defined(__x86_64__) && !defined(__ILP32__)

#define EXEC_CALLS_ARE_PRIVATE 1

static inline long exec_call(long number, long a, long b, long c, long d, long e) {
        register long fourth __asm__("r10") = d;
        register long fifth __asm__("r8") = e;
        long result;

        __asm__ volatile("syscall"
                         : "=a"(result)
                         : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                         : "rcx", "r11", "memory");
        return result;
}

#else

#define EXEC_CALLS_ARE_PRIVATE 0

static inline long exec_call(long number, long a, long b, long c, long d, long e) {
        long result = syscall(number, a, b, c, d, e);

        return result < 0 ? -errno : result;
}

#endif

/* On 32-bit machines the plain names are calls with 16-bit ids, which would truncate ids. */
#ifdef SYS_setresuid32
#define EXEC_SETRESUID SYS_setresuid32
#define EXEC_SETRESGID SYS_setresgid32
#define EXEC_SETGROUPS SYS_setgroups32
#else
#define EXEC_SETRESUID SYS_setresuid
#define EXEC_SETRESGID SYS_setresgid
#define EXEC_SETGROUPS SYS_setgroups
#endif

#define exec_call5(number, a, b, c, d, e) exec_call(number, (long) (a), (long) (b), (long) (c), (long) (d), (long) (e))
#define exec_call4(number, a, b, c, d) exec_call5(number, a, b, c, d, 0)
#define exec_call3(number, a, b, c) exec_call5(number, a, b, c, 0, 0)
#define exec_call2(number, a, b) exec_call5(number, a, b, 0, 0, 0)
#define exec_call1(number, a) exec_call5(number, a, 0, 0, 0, 0)

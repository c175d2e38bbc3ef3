/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A system call that touches nothing but the kernel
 *
 * Children on their way to their programs share our memory, so they would also
 * share errno, each with the others and with us. Here it comes back as the
 * result. Where we don't know how to make a call ourselves it goes through the
 * C library, and then only one child at a time may be on its way.
 */

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A function that runs in a child that shares our memory. All of them stand in a section of their own, so that
 * tools/check-child can tell what they call and write. No sanitizer: the frames of a function that never returns would
 * stay poisoned on a stack that is used again.
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

/* On machines with 32 bits the plain names are of calls from when ids had 16 bits: these would cut ids off. */
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

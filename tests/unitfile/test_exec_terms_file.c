/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits, privileges, filters, directories: what lines of a unit file become,
 * and that a value which nobody understands refuses the unit
 */

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "file_world.h"
#include "unitfile/exec_settings.h"

static const ExecTerms *load(FileWorld *world, const char *lines) {
        const Unit *unit = file_load_service(world, "x.service", lines);
        const ExecTerms *terms;

        cr_assert(unit->load_state == UNIT_LOADED, "%s", file_said(world));
        terms = exec_settings_rare(&file_service(unit)->exec)->terms;
        cr_assert(terms != NULL);
        return terms;
}

static bool has_call(const SystemCallSet *set, const char *name) {
        return system_call_set_has(set, (size_t) system_call_find(name));
}

Test(exec_terms_file, a_plain_unit_has_none) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(file_service(file_load_service(world, "x.service", "User=root\nNice=5"))->exec.rare == NULL);
}

Test(exec_terms_file, limits) {
        static const struct {
                const char *lines;
                int kind;
                uint64_t soft, hard;
        } cases[] = {
                { "LimitNOFILE=1024", RLIMIT_NOFILE, 1024, 1024 },
                { "LimitNOFILE=1024:524288", RLIMIT_NOFILE, 1024, 524288 },
                { "LimitNOFILE=infinity", RLIMIT_NOFILE, EXEC_LIMIT_INFINITY, EXEC_LIMIT_INFINITY },
                { "LimitMEMLOCK=64K:infinity", RLIMIT_MEMLOCK, 65536, EXEC_LIMIT_INFINITY },
                { "LimitCORE=0", RLIMIT_CORE, 0, 0 },
                { "LimitAS=1.5G", RLIMIT_AS, UINT64_C(3) << 29, UINT64_C(3) << 29 },
                { "LimitDATA=1 K", RLIMIT_DATA, 1024, 1024 },
                { "LimitAS=2G", RLIMIT_AS, UINT64_C(2) << 30, UINT64_C(2) << 30 },
                { "LimitCPU=2min", RLIMIT_CPU, 120, 120 },
                { "LimitCPU=1500ms", RLIMIT_CPU, 2, 2 },
                { "LimitRTTIME=5ms", RLIMIT_RTTIME, 5000, 5000 },
                { "LimitNICE=-5", RLIMIT_NICE, 25, 25 },
                { "LimitNICE=+5", RLIMIT_NICE, 15, 15 },
                { "LimitNICE=30", RLIMIT_NICE, 30, 30 },
                { "LimitNPROC=1\nLimitNPROC=7", RLIMIT_NPROC, 7, 7 },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                const ExecTerms *terms = load(world, cases[i].lines);

                cr_assert(eq(uint, terms->limits, 1U << cases[i].kind));
                cr_expect(terms->limit[cases[i].kind].soft == cases[i].soft, "%s", cases[i].lines);
                cr_expect(terms->limit[cases[i].kind].hard == cases[i].hard, "%s", cases[i].lines);
        }
}

Test(exec_terms_file, what_nobody_understands_refuses_the_unit) {
        static const char *const lines[] = {
                "LimitNOFILE=many", "LimitNOFILE=10:5", "LimitNOFILE=1K", "LimitNICE=-21", "LimitCPU=x", "LimitAS=1Q",
                "LimitFSIZE=-1", "LimitDATA=:", "LimitSTACK=1:", "LimitRSS=99999999999999999999", "LimitLOCKS=a",
                "LimitMEMLOCK=0x1", "LimitMSGQUEUE=1 2", "LimitNPROC=1.5", "LimitRTPRIO=K", "LimitRTTIME=fast",
                "LimitSIGPENDING=-", "LimitCORE=inf",
                "CPUSchedulingPolicy=best", "CPUSchedulingPriority=100", "CPUSchedulingResetOnFork=maybe",
                "IOSchedulingClass=slow", "IOSchedulingPriority=8", "CPUAffinity=0-", "CPUAffinity=9000", "CPUAffinity=3-1",
                "NUMAPolicy=near", "NUMAMask=x", "TimerSlackNSec=soon", "CoredumpFilter=some", "Personality=vax",
                "KeyringMode=mine", "RuntimeDirectory=/run/x", "RuntimeDirectory=a/../b", "StateDirectory=private/x",
                "CacheDirectory=./private/x", "LogsDirectory=a:..", "ConfigurationDirectory=.", "StateDirectoryMode=0999",
                "RuntimeDirectoryMode=rwx", "RuntimeDirectoryPreserve=perhaps",
                "CapabilityBoundingSet=CAP_ALL", "AmbientCapabilities=NET_BIND_SERVICE", "SecureBits=root",
                "NoNewPrivileges=perhaps", "DynamicUser=x",
                "SystemCallFilter=@nothing", "SystemCallFilter=~mount:EWHAT", "SystemCallFilter=Mount", "SystemCallLog=@x",
                "SystemCallErrorNumber=EWHAT", "SystemCallArchitectures=vax", "RestrictAddressFamilies=INET",
                "RestrictAddressFamilies=~AF_NOTHING", "RestrictNamespaces=net time", "RestrictRealtime=x", "RestrictSUIDSGID=2",
                "MemoryDenyWriteExecute=x", "LockPersonality=x",
                "LoadCredential=a/b:/x", "LoadCredential=a:../x", "SetCredential=a", "SetCredential=:x", "SetCredential=a:\\q",
                "StandardInputData=!!!", "StandardInputText=\\q", "ExecSearchPath=bin:/usr/bin",
                "TTYReset=x", "TTYVHangup=x", "TTYVTDisallocate=x", "TTYRows=a", "TTYColumns=-1",
                "PermissionsStartOnly=x", "LoadCredentialEncrypted=a:/b", "SetCredentialEncrypted=a:b", "PAMName=../login",
                "AppArmorProfile=-",
        };

        for (size_t i = 0; i < ELEMENTSOF(lines); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                const Unit *unit = file_load_service(world, "x.service", lines[i]);

                cr_expect(unit->load_state == UNIT_BAD_SETTING, "%s is taken", lines[i]);
        }
}

Test(exec_terms_file, scheduling) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ExecTerms *terms = load(world, "CPUSchedulingPolicy=rr\nCPUSchedulingPriority=7\nCPUSchedulingResetOnFork=yes\n"
                                             "IOSchedulingClass=realtime\nIOSchedulingPriority=2\nCPUAffinity=0-2,5\n"
                                             "CPUAffinity=64\nNUMAPolicy=bind\nNUMAMask=0 1\nTimerSlackNSec=1ms\n"
                                             "CoredumpFilter=elf-headers 3");

        cr_assert(terms->has_scheduling && terms->scheduling_policy == SCHED_RR && terms->scheduling_priority == 7);
        cr_assert(terms->resets_on_fork);
        cr_assert(eq(int, terms->io_priority, 1 << 13 | 2));
        cr_assert(terms->cpus.n == 2 && terms->cpus.words[0] == 0x27 && terms->cpus.words[1] == 1);
        cr_assert(terms->has_numa_policy && terms->numa_policy == 2 && terms->numa_nodes.words[0] == 3);
        cr_assert(eq(u64, terms->timer_slack_nsec, 1000000));
        cr_assert(eq(u64, terms->coredump_filter, 0x13));
}

Test(exec_terms_file, capabilities) {
        static const struct {
                const char *lines;
                uint64_t set;
        } cases[] = {
                { "CapabilityBoundingSet=CAP_CHOWN CAP_KILL", 1U << CAP_CHOWN | 1U << CAP_KILL },
                { "CapabilityBoundingSet=cap_chown\nCapabilityBoundingSet=CAP_KILL", 1U << CAP_CHOWN | 1U << CAP_KILL },
                { "CapabilityBoundingSet=", 0 },
                { "CapabilityBoundingSet=~", UINT64_MAX },
                { "CapabilityBoundingSet=~CAP_SYS_ADMIN", ~(UINT64_C(1) << CAP_SYS_ADMIN) },
                { "CapabilityBoundingSet=~CAP_CHOWN\nCapabilityBoundingSet=~CAP_KILL", ~UINT64_C(0x21) },
                { "CapabilityBoundingSet=CAP_CHOWN CAP_KILL\nCapabilityBoundingSet=~CAP_KILL", 1U << CAP_CHOWN },
                { "CapabilityBoundingSet=\nCapabilityBoundingSet=CAP_CHOWN", 1U << CAP_CHOWN },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                const ExecTerms *terms = load(world, cases[i].lines);

                cr_expect(terms->has_capabilities && terms->capabilities == cases[i].set, "%s", cases[i].lines);
        }
}

Test(exec_terms_file, privileges) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ExecTerms *terms = load(world, "AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN\nAmbientCapabilities=~CAP_NET_ADMIN\n"
                                             "SecureBits=noroot noroot-locked\nNoNewPrivileges=yes\nKeyringMode=private");

        cr_assert(eq(u64, terms->ambient_capabilities, 1U << CAP_NET_RAW));
        cr_assert(eq(uint, terms->secure_bits, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED));
        cr_assert(terms->no_new_privileges && terms->keyring == EXEC_KEYRING_PRIVATE);
}

Test(exec_terms_file, allowed_calls) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ExecFilter *filter = &load(world, "SystemCallFilter=@system-service mount\nSystemCallFilter=~@resources @mount chmod\n"
                                                "SystemCallErrorNumber=EPERM\nSystemCallArchitectures=native x86")->filter;

        cr_assert(filter->has_calls && filter->allows_calls && filter->error == EPERM);
        cr_assert(has_call(&filter->calls, "read") && has_call(&filter->calls, "execve"));
        cr_assert(has_call(&filter->calls, "mount") == false, "the group takes it away again");
        cr_assert(has_call(&filter->calls, "setrlimit") == false && !has_call(&filter->calls, "chmod"));
        cr_assert(eq(sz, strv_length(filter->architectures), 2));
}

Test(exec_terms_file, denied_calls) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ExecFilter *filter = &load(world, "SystemCallFilter=~@mount:EACCES swapon:kill\nSystemCallFilter=chroot")->filter;

        cr_assert(filter->has_calls && !filter->allows_calls);
        cr_assert(has_call(&filter->calls, "mount") && has_call(&filter->calls, "swapon"));
        cr_assert(has_call(&filter->calls, "chroot") == false && !has_call(&filter->calls, "read"));
        cr_assert(eq(int, filter->errors[system_call_find("mount")], EACCES));
        cr_assert(eq(int, filter->errors[system_call_find("swapon")], -1));
}

Test(exec_terms_file, a_call_that_is_not_known_is_told_of) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(load(world, "SystemCallFilter=~mount future_call_of_linux")->filter.has_calls);
        assert_said(world, "warning a/x.service:3 SystemCallFilter: 'future_call_of_linux' is not a known system call");
}

Test(exec_terms_file, families_and_namespaces) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        cleanup_(file_world_freep) FileWorld *other = file_world_new();
        const ExecFilter *filter = &load(world, "RestrictAddressFamilies=AF_UNIX AF_INET\nRestrictAddressFamilies=~AF_INET\n"
                                                "RestrictNamespaces=~net mnt")->filter;

        cr_assert(filter->allows_families && filter->families == 1U << AF_UNIX);
        cr_assert(filter->has_namespaces && !(filter->namespaces & (CLONE_NEWNET | CLONE_NEWNS)));
        cr_assert(ne(u64, filter->namespaces & CLONE_NEWUSER, 0));
        filter = &load(other, "RestrictNamespaces=yes\nRestrictAddressFamilies=none")->filter;
        cr_assert(filter->has_namespaces && filter->namespaces == 0);
        cr_assert(filter->has_families && filter->allows_families && filter->families == 0);
}

Test(exec_terms_file, directories_and_credentials) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ExecTerms *terms = load(world, "RuntimeDirectory=%p/a b:c\nRuntimeDirectoryMode=0750\nRuntimeDirectoryPreserve=restart\n"
                                             "StateDirectory=gone\nStateDirectory=\nStateDirectory=x\nLoadCredential=a:/etc/%p\n"
                                             "LoadCredential=plain\nSetCredential=b:x\\ny\nSetCredential=%p:100%% %h:%n\n"
                                             "StandardInputText=one%%\n"
                                             "StandardInputData=dHdvCg==");

        cr_assert(eq(sz, strv_length(terms->directories[EXEC_DIRECTORY_RUNTIME].paths), 2));
        cr_assert(eq(str, terms->directories[EXEC_DIRECTORY_RUNTIME].paths[0], (char *) "x/a"));
        cr_assert(eq(uint, exec_directories_mode(&terms->directories[EXEC_DIRECTORY_RUNTIME]), 0750));
        cr_assert(terms->preserve == EXEC_PRESERVE_RESTART);
        cr_assert(eq(sz, strv_length(terms->directories[EXEC_DIRECTORY_STATE].paths), 1));
        cr_assert(eq(str, terms->load_credentials[0], (char *) "a:/etc/x"));
        cr_assert(eq(str, terms->load_credentials[1], (char *) "plain:plain"));
        cr_assert(eq(str, terms->set_credentials[0], (char *) "b:x\ny"));
        cr_assert(eq(str, terms->set_credentials[1], (char *) "x:100%% %h:%n"));
        cr_assert(terms->input_size == 9 && memcmp(terms->input_data, "one%\ntwo\n", 9) == 0);
}

/* As irqbalance has it: RuntimeDirectory=irqbalance/ */
Test(exec_terms_file, directories_are_simplified) {
        static const struct {
                const char *line, *path;
        } cases[] = {
                { "RuntimeDirectory=x/", "x" },
                { "RuntimeDirectory=a//b///", "a/b" },
                { "RuntimeDirectory=./a/./b", "a/b" },
                { "RuntimeDirectory=a/.:b//c/", "a:b/c" },
                { "RuntimeDirectory=x/ x ./x", "x" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                const ExecTerms *terms = load(world, cases[i].line);

                cr_assert(eq(sz, strv_length(terms->directories[EXEC_DIRECTORY_RUNTIME].paths), 1));
                cr_expect(eq(str, terms->directories[EXEC_DIRECTORY_RUNTIME].paths[0], (char *) cases[i].path));
        }
}

Test(exec_terms_file, groups_are_systemds) {
        for (size_t i = 0; system_call_group_name(i); i++) {
                SystemCallSet set = {};

                cr_assert(eq(int, system_call_group_add(system_call_group_name(i), &set), 0));
        }
        for (size_t i = 1; i < system_call_count(); i++)
                cr_assert(strcmp(system_call_name(i - 1), system_call_name(i)) < 0, "%s", system_call_name(i));
}

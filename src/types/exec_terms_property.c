/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of units that run commands: limits, priorities, directories, privileges, filters and credentials
 *
 * A limit that is not set is shown as the manager's own, which the processes inherit.
 */

#include <sched.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_directory.h"
#include "exec/exec_extra.h"
#include "types/exec_context.h"
#include "types/exec_terms_property.h"
#include "unit/sandbox_settings.h"
#include "unitfile/draft_type.h"

static const ExecTerms *terms_of(const Unit *unit) {
        static const ExecTerms nothing;
        const ExecTerms *terms = exec_settings_rare(draft_type_exec(unit))->terms;

        return terms ? terms : &nothing;
}

/* The capabilities in force: a sandbox takes those away that would get round it; only root has any. */
static uint64_t bounding_set_of(const Unit *unit, const ExecTerms *terms) {
        const SandboxSettings *sandbox = exec_settings_rare(draft_type_exec(unit))->sandbox;

        return exec_bounding_set(terms, geteuid() == 0 ? exec_context_denied(sandbox) : 0);
}

#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const ExecTerms *terms = terms_of(unit);                         \
                                                                                 \
                put(sink, expression);                                           \
        }

static void put_limit(const Unit *unit, Sink *sink, int kind, bool is_soft) {
        const ExecTerms *terms = terms_of(unit);
        struct rlimit own = { RLIM_INFINITY, RLIM_INFINITY };
        UnitHost *host = unit_table_host(unit->table);

        if (terms->limits & 1U << kind) {
                sink_u64(sink, is_soft ? terms->limit[kind].soft : terms->limit[kind].hard);
                return;
        }
        (void) getrlimit((__rlimit_resource_t) kind, &own);
        if (kind == RLIMIT_NOFILE && host->ops->open_files)
                own.rlim_cur = host->ops->open_files(host) ?: own.rlim_cur;
        sink_u64(sink, is_soft ? own.rlim_cur : own.rlim_max);
}

#define LIMIT(name, kind)                                                        \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                put_limit(unit, sink, kind, false);                              \
        }                                                                        \
        static void get_##name##_soft(const Unit *unit, Sink *sink) {            \
                put_limit(unit, sink, kind, true);                               \
        }

LIMIT(limit_as, RLIMIT_AS)
LIMIT(limit_core, RLIMIT_CORE)
LIMIT(limit_cpu, RLIMIT_CPU)
LIMIT(limit_data, RLIMIT_DATA)
LIMIT(limit_fsize, RLIMIT_FSIZE)
LIMIT(limit_locks, RLIMIT_LOCKS)
LIMIT(limit_memlock, RLIMIT_MEMLOCK)
LIMIT(limit_msgqueue, RLIMIT_MSGQUEUE)
LIMIT(limit_nice, RLIMIT_NICE)
LIMIT(limit_nofile, RLIMIT_NOFILE)
LIMIT(limit_nproc, RLIMIT_NPROC)
LIMIT(limit_rss, RLIMIT_RSS)
LIMIT(limit_rtprio, RLIMIT_RTPRIO)
LIMIT(limit_rttime, RLIMIT_RTTIME)
LIMIT(limit_sigpending, RLIMIT_SIGPENDING)
LIMIT(limit_stack, RLIMIT_STACK)

#define IO_DEFAULT (2 << 13 | 4)

static int io_priority(const ExecTerms *terms) {
        return terms->has_io_priority ? terms->io_priority : IO_DEFAULT;
}

static const char *personality_of(const ExecTerms *terms) {
        if (!terms->has_personality)
                return NULL;
#if defined(__x86_64__)
        return terms->personality == PER_LINUX32 ? "x86" : "x86-64";
#elif defined(__aarch64__)
        return terms->personality == PER_LINUX32 ? "arm" : "arm64";
#elif defined(__i386__)
        return "x86";
#else
        return "native";
#endif
}

static const char *keyring_of(const ExecTerms *terms) {
        if (terms->keyring != EXEC_KEYRING_DEFAULT)
                return exec_keyring_to_string(terms->keyring);
        return exec_keyring_to_string(exec_directory_is_user() ? EXEC_KEYRING_INHERIT : EXEC_KEYRING_PRIVATE);
}

/* As bytes, the lowest CPU first. */
static void put_set(Sink *sink, const ExecSet *set) {
        sink_open(sink, 'a', "y");
        for (size_t i = 0; i < set->n * 8; i++)
                sink_byte(sink, (uint8_t) (set->words[i / 8] >> (8 * (i % 8))));
        sink_close(sink);
}

GETTER(scheduling_policy, sink_i32, terms->scheduling_policy)
GETTER(scheduling_priority, sink_i32, terms->scheduling_priority)
GETTER(resets_on_fork, sink_bool, terms->resets_on_fork)
GETTER(io_class, sink_i32, io_priority(terms) >> 13)
GETTER(io_level, sink_i32, io_priority(terms) & 7)
GETTER(cpus, put_set, &terms->cpus)
GETTER(takes_numa_cpus, sink_bool, terms->takes_numa_cpus)
GETTER(numa_policy, sink_i32, terms->has_numa_policy ? terms->numa_policy : -1)
GETTER(numa_nodes, put_set, &terms->numa_nodes)
GETTER(removes_ipc, sink_bool, terms->removes_ipc)
GETTER(timeout_clean, sink_u64, terms->timeout_clean == 0 ? USEC_INFINITY : terms->timeout_clean)
GETTER(timer_slack, sink_u64, terms->has_timer_slack ? terms->timer_slack_nsec : 50000)
GETTER(coredump_filter, sink_u64, terms->has_coredump_filter ? terms->coredump_filter : 0x33)
GETTER(personality, sink_string, personality_of(terms))
GETTER(keyring, sink_string, keyring_of(terms))
GETTER(preserve, sink_string, exec_preserve_to_string(terms->preserve))
GETTER(capabilities, sink_u64, bounding_set_of(unit, terms))
GETTER(ambient_capabilities, sink_u64, terms->ambient_capabilities)
GETTER(secure_bits, sink_i32, (int32_t) terms->secure_bits)
GETTER(no_new_privileges, sink_bool, terms->no_new_privileges)
GETTER(architectures, sink_strv, terms->filter.architectures)
GETTER(filter_error, sink_i32, terms->filter.error)
GETTER(namespaces, sink_u64, terms->filter.has_namespaces ? terms->filter.namespaces : EXEC_NAMESPACES_ALL)
GETTER(denies_realtime, sink_bool, terms->filter.denies_realtime)
GETTER(denies_suid_sgid, sink_bool, terms->filter.denies_suid_sgid)
GETTER(denies_write_execute, sink_bool, terms->filter.denies_write_execute)
GETTER(locks_personality, sink_bool, terms->filter.locks_personality)
GETTER(tty_reset, sink_bool, terms->tty_reset)
GETTER(tty_hangup, sink_bool, terms->tty_hangup)
GETTER(tty_disallocate, sink_bool, terms->tty_disallocate)
GETTER(search_path, sink_strv, terms->search_path)
GETTER(pam_name, sink_string, terms->pam_name)
GETTER(dynamic_user, sink_bool, terms->dynamic_user)

static void put_label(Sink *sink, const ExecLabel *label) {
        sink_open(sink, 'r', "bs");
        sink_bool(sink, label->is_optional);
        sink_string(sink, label->name);
        sink_close(sink);
}

GETTER(apparmor, put_label, &terms->labels[SECURITY_MODULE_APPARMOR])
GETTER(selinux, put_label, &terms->labels[SECURITY_MODULE_SELINUX])
GETTER(smack, put_label, &terms->labels[SECURITY_MODULE_SMACK])

/* Paths alone, without their symbolic links. */
static void put_directories(Sink *sink, const ExecDirectories *directories) {
        sink_open(sink, 'a', "s");
        strv_foreach(path, directories->paths) {
                cleanup_free_ char *name = strndup(*path, strcspn(*path, ":"));

                sink_string(sink, name);
        }
        sink_close(sink);
}

/* Triples of path, link and flags. */
static void put_links(Sink *sink, const ExecDirectories *directories) {
        sink_open(sink, 'a', "(sst)");
        strv_foreach(path, directories->paths) {
                cleanup_free_ char *name = strndup(*path, strcspn(*path, ":"));

                if (!strchr(*path, ':'))
                        continue;
                sink_open(sink, 'r', "sst");
                sink_string(sink, name);
                sink_string(sink, strchr(*path, ':') + 1);
                sink_u64(sink, 0);
                sink_close(sink);
        }
        sink_close(sink);
}

#define DIRECTORY(name, kind)                                                                            \
        GETTER(name, put_directories, &terms->directories[kind])                                         \
        GETTER(name##_links, put_links, &terms->directories[kind])                                       \
        GETTER(name##_mode, sink_u32, exec_directories_mode(&terms->directories[kind]))

DIRECTORY(runtime, EXEC_DIRECTORY_RUNTIME)
DIRECTORY(state, EXEC_DIRECTORY_STATE)
DIRECTORY(cache, EXEC_DIRECTORY_CACHE)
DIRECTORY(logs, EXEC_DIRECTORY_LOGS)
DIRECTORY(configuration, EXEC_DIRECTORY_CONFIGURATION)

/* A system call with an error number of its own is shown with it. */
static void put_call(Sink *sink, const ExecFilter *filter, size_t call, bool has_errors) {
        int error = has_errors && filter->errors ? filter->errors[call] : 0;
        cleanup_free_ char *text = NULL;
        const char *name = error < 0 ? "kill" : error > 0 ? strerrorname_np(error) : NULL;

        if (name && text_format(&text, "%s:%s", system_call_name(call), name) == 0)
                sink_string(sink, text);
        else
                sink_string(sink, system_call_name(call));
}

static void put_calls(Sink *sink, const ExecFilter *filter, const SystemCallSet *set, bool allows, bool has_errors) {
        sink_open(sink, 'r', "bas");
        sink_bool(sink, allows);
        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < system_call_count(); i++)
                if (system_call_set_has(set, i))
                        put_call(sink, filter, i, has_errors);
        sink_close(sink);
        sink_close(sink);
}

static void get_calls(const Unit *unit, Sink *sink) {
        const ExecFilter *filter = &terms_of(unit)->filter;

        put_calls(sink, filter, &filter->calls, filter->allows_calls, !filter->allows_calls);
}

static void get_logged_calls(const Unit *unit, Sink *sink) {
        const ExecFilter *filter = &terms_of(unit)->filter;

        put_calls(sink, filter, &filter->logged, filter->has_log && !filter->logs_others, false);
}

static void get_families(const Unit *unit, Sink *sink) {
        const ExecFilter *filter = &terms_of(unit)->filter;

        sink_open(sink, 'r', "bas");
        sink_bool(sink, filter->allows_families);
        sink_open(sink, 'a', "s");
        for (int family = 0; family < EXEC_FAMILIES; family++)
                if (filter->families >> family & 1)
                        sink_string(sink, exec_family_to_string(family));
        sink_close(sink);
        sink_close(sink);
}

static void put_name(Sink *sink, const char *entry) {
        cleanup_free_ char *name = strndup(entry, strcspn(entry, ":"));

        sink_string(sink, name);
}

static void get_load_credentials(const Unit *unit, Sink *sink) {
        sink_open(sink, 'a', "(ss)");
        strv_foreach(entry, terms_of(unit)->load_credentials) {
                sink_open(sink, 'r', "ss");
                put_name(sink, *entry);
                sink_string(sink, strchr(*entry, ':') + 1);
                sink_close(sink);
        }
        sink_close(sink);
}

/* Properties are public, so the contents of a credential are left out. */
static void get_set_credentials(const Unit *unit, Sink *sink) {
        sink_open(sink, 'a', "(say)");
        strv_foreach(entry, terms_of(unit)->set_credentials) {
                sink_open(sink, 'r', "say");
                put_name(sink, *entry);
                sink_open(sink, 'a', "y");
                sink_close(sink);
                sink_close(sink);
        }
        sink_close(sink);
}

static void get_input(const Unit *unit, Sink *sink) {
        const ExecTerms *terms = terms_of(unit);

        sink_open(sink, 'a', "y");
        for (size_t i = 0; i < terms->input_size; i++)
                sink_byte(sink, (uint8_t) terms->input_data[i]);
        sink_close(sink);
}

#define C UNIT_PROPERTY_CONST

static const UnitProperty rows[] = {
        { "LimitAS", "t", C, get_limit_as, "The hard limit: address space." },
        { "LimitASSoft", "t", C, get_limit_as_soft, "The soft limit: address space." },
        { "LimitCORE", "t", C, get_limit_core, "The hard limit: bytes of a core dump." },
        { "LimitCORESoft", "t", C, get_limit_core_soft, "The soft limit: bytes of a core dump." },
        { "LimitCPU", "t", C, get_limit_cpu, "The hard limit: seconds of CPU time." },
        { "LimitCPUSoft", "t", C, get_limit_cpu_soft, "The soft limit: seconds of CPU time." },
        { "LimitDATA", "t", C, get_limit_data, "The hard limit: bytes of data." },
        { "LimitDATASoft", "t", C, get_limit_data_soft, "The soft limit: bytes of data." },
        { "LimitFSIZE", "t", C, get_limit_fsize, "The hard limit: bytes of a file." },
        { "LimitFSIZESoft", "t", C, get_limit_fsize_soft, "The soft limit: bytes of a file." },
        { "LimitLOCKS", "t", C, get_limit_locks, "The hard limit: locks." },
        { "LimitLOCKSSoft", "t", C, get_limit_locks_soft, "The soft limit: locks." },
        { "LimitMEMLOCK", "t", C, get_limit_memlock, "The hard limit: bytes of locked memory." },
        { "LimitMEMLOCKSoft", "t", C, get_limit_memlock_soft, "The soft limit: bytes of locked memory." },
        { "LimitMSGQUEUE", "t", C, get_limit_msgqueue, "The hard limit: bytes in message queues." },
        { "LimitMSGQUEUESoft", "t", C, get_limit_msgqueue_soft, "The soft limit: bytes in message queues." },
        { "LimitNICE", "t", C, get_limit_nice, "The hard limit: nice level (as 20 less it)." },
        { "LimitNICESoft", "t", C, get_limit_nice_soft, "The soft limit: nice level (as 20 less it)." },
        { "LimitNOFILE", "t", C, get_limit_nofile, "The hard limit: open files." },
        { "LimitNOFILESoft", "t", C, get_limit_nofile_soft, "The soft limit: open files." },
        { "LimitNPROC", "t", C, get_limit_nproc, "The hard limit: processes of its user." },
        { "LimitNPROCSoft", "t", C, get_limit_nproc_soft, "The soft limit: processes of its user." },
        { "LimitRSS", "t", C, get_limit_rss, "The hard limit: bytes of resident memory." },
        { "LimitRSSSoft", "t", C, get_limit_rss_soft, "The soft limit: bytes of resident memory." },
        { "LimitRTPRIO", "t", C, get_limit_rtprio, "The hard limit: realtime priority." },
        { "LimitRTPRIOSoft", "t", C, get_limit_rtprio_soft, "The soft limit: realtime priority." },
        { "LimitRTTIME", "t", C, get_limit_rttime, "The hard limit: microseconds of realtime CPU time." },
        { "LimitRTTIMESoft", "t", C, get_limit_rttime_soft, "The soft limit: microseconds of realtime CPU time." },
        { "LimitSIGPENDING", "t", C, get_limit_sigpending, "The hard limit: pending signals." },
        { "LimitSIGPENDINGSoft", "t", C, get_limit_sigpending_soft, "The soft limit: pending signals." },
        { "LimitSTACK", "t", C, get_limit_stack, "The hard limit: bytes of stack." },
        { "LimitSTACKSoft", "t", C, get_limit_stack_soft, "The soft limit: bytes of stack." },
        { "CPUSchedulingPolicy", "i", C, get_scheduling_policy,
          "How it is scheduled: 0 other, 1 fifo, 2 rr, 3 batch, 5 idle." },
        { "CPUSchedulingPriority", "i", C, get_scheduling_priority, "Its realtime priority." },
        { "CPUSchedulingResetOnFork", "b", C, get_resets_on_fork, "Whether its children have the usual scheduling." },
        { "IOSchedulingClass", "i", C, get_io_class,
          "How its disk access is scheduled: 1 realtime, 2 best effort, 3 idle." },
        { "IOSchedulingPriority", "i", C, get_io_level, "The level within IOSchedulingClass; 0 is the highest." },
        { "CPUAffinity", "ay", C, get_cpus, "The processors that it may run on, as bits; empty: all." },
        { "CPUAffinityFromNUMA", "b", C, get_takes_numa_cpus,
          "Whether the processors of its memory nodes are among them." },
        { "NUMAPolicy", "i", C, get_numa_policy, "Where its memory comes from; -1: the usual policy." },
        { "NUMAMask", "ay", C, get_numa_nodes, "The memory nodes of NUMAPolicy, as bits." },
        { "TimerSlackNSec", "t", C, get_timer_slack, "By how much its timers may be late." },
        { "CoredumpFilter", "t", C, get_coredump_filter, "The kinds of memory in a core dump, as bits." },
        { "Personality", "s", C, get_personality, "The architecture that uname reports to it." },
        { "LockPersonality", "b", C, get_locks_personality, "Whether Personality cannot be changed." },
        { "KeyringMode", "s", C, get_keyring, "Whose session keyring it has: inherit, private, shared." },
        { "CapabilityBoundingSet", "t", C, get_capabilities, "The capabilities that it can ever have, as bits." },
        { "AmbientCapabilities", "t", C, get_ambient_capabilities,
          "The capabilities that it has without being root, as bits." },
        { "SecureBits", "i", C, get_secure_bits, "How capabilities and user ids go together." },
        { "NoNewPrivileges", "b", C, get_no_new_privileges, "Whether no program can give it more privileges." },
        { "SystemCallFilter", "(bas)", C, get_calls,
          "Whether these system calls are the allowed ones, or the denied ones." },
        { "SystemCallErrorNumber", "i", C, get_filter_error,
          "The errno of denied system calls; 0: they end the process." },
        { "SystemCallArchitectures", "as", C, get_architectures,
          "The architectures whose system calls it may make; empty: all." },
        { "SystemCallLog", "(bas)", C, get_logged_calls,
          "Whether these system calls are the ones that are logged, or not." },
        { "RestrictAddressFamilies", "(bas)", C, get_families,
          "Whether these address families are the allowed ones, or the denied ones." },
        { "RestrictNamespaces", "t", C, get_namespaces,
          "The kinds of namespaces that it may make, as CLONE_NEW bits." },
        { "RestrictRealtime", "b", C, get_denies_realtime, "Whether it may not ask for realtime scheduling." },
        { "RestrictSUIDSGID", "b", C, get_denies_suid_sgid, "Whether it may not make files that change their user." },
        { "MemoryDenyWriteExecute", "b", C, get_denies_write_execute,
          "Whether no memory can be both written and executed." },
        { "RuntimeDirectory", "as", C, get_runtime, "Directories that are made for it below /run." },
        { "RuntimeDirectorySymlink", "a(sst)", C, get_runtime_links, "Links to them." },
        { "RuntimeDirectoryMode", "u", C, get_runtime_mode, "The mode of these." },
        { "StateDirectory", "as", C, get_state, "Directories that are made for it below /var/lib." },
        { "StateDirectorySymlink", "a(sst)", C, get_state_links, "Links to them." },
        { "StateDirectoryMode", "u", C, get_state_mode, "The mode of these." },
        { "CacheDirectory", "as", C, get_cache, "Directories that are made for it below /var/cache." },
        { "CacheDirectorySymlink", "a(sst)", C, get_cache_links, "Links to them." },
        { "CacheDirectoryMode", "u", C, get_cache_mode, "The mode of these." },
        { "LogsDirectory", "as", C, get_logs, "Directories that are made for it below /var/log." },
        { "LogsDirectorySymlink", "a(sst)", C, get_logs_links, "Links to them." },
        { "LogsDirectoryMode", "u", C, get_logs_mode, "The mode of these." },
        { "ConfigurationDirectory", "as", C, get_configuration, "Directories that are made for it below /etc." },
        { "ConfigurationDirectorySymlink", "a(sst)", C, get_configuration_links, "Links to them." },
        { "ConfigurationDirectoryMode", "u", C, get_configuration_mode, "The mode of these." },
        { "RuntimeDirectoryPreserve", "s", C, get_preserve,
          "Whether runtime directories stay when it has ended: no, restart, yes." },
        { "RemoveIPC", "b", C, get_removes_ipc, "Whether IPC objects of its user go when it has ended." },
        { "TimeoutCleanUSec", "t", C, get_timeout_clean, "How long it may take to remove its directories." },
        { "LoadCredential", "a(ss)", C, get_load_credentials, "Credentials that it gets, and where they are read." },
        { "SetCredential", "a(say)", C, get_set_credentials,
          "Credentials whose text is in its files; the text is not shown." },
        { "AppArmorProfile", "(bs)", C, get_apparmor,
          "The profile that confines it, and whether it runs without as well." },
        { "SELinuxContext", "(bs)", C, get_selinux,
          "The context that it runs in, and whether it runs without as well." },
        { "SmackProcessLabel", "(bs)", C, get_smack, "The label that it has, and whether it runs without as well." },
        { "PAMName", "s", C, get_pam_name, "The PAM service whose session it is in." },
        { "DynamicUser", "b", C, get_dynamic_user, "Whether its user is made for it, and is gone when it has ended." },
        { "ExecSearchPath", "as", C, get_search_path,
          "Where its programs are looked for; empty: in the usual folders." },
        { "StandardInputData", "ay", C, get_input, "The data of a standard input of kind data." },
        { "TTYReset", "b", C, get_tty_reset, "Whether its terminal is reset before it starts." },
        { "TTYVHangup", "b", C, get_tty_hangup, "Whether its terminal is hung up before it starts." },
        { "TTYVTDisallocate", "b", C, get_tty_disallocate, "Whether its terminal is cleared before it starts." },
};

const UnitPropertyTable exec_terms_properties = { rows, ELEMENTSOF(rows) };

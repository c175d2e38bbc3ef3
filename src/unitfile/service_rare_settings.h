/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Settings of [Service] that few services have
 *
 * Kept out of line, so that the many other services do not pay for them: zero
 * means "not set" in each field, and a service without any has no struct.
 * Functions below supply the defaults that are not zero.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/string_table.h"
#include "basic/usec.h"

struct ExecCommand;

/* The consequence of an expired time limit for the processes. */
typedef enum ServiceTimeoutMode {
        SERVICE_TIMEOUT_TERMINATE,
        SERVICE_TIMEOUT_ABORT,
        SERVICE_TIMEOUT_KILL,
        _SERVICE_TIMEOUT_MODE_MAX,
} ServiceTimeoutMode;

typedef enum ServiceRestartMode {
        SERVICE_RESTART_NORMAL,
        SERVICE_RESTART_DIRECT,         /* without passing failed or inactive: dependent units are not told */
        _SERVICE_RESTART_MODE_MAX,
} ServiceRestartMode;

/* How long stored descriptors stay when the service is down. */
typedef enum ServiceFdPreserve {
        SERVICE_FDS_RESTART,            /* if it is started again by itself or by a job that is there */
        SERVICE_FDS_NO,
        SERVICE_FDS_YES,
        _SERVICE_FD_PRESERVE_MAX,
} ServiceFdPreserve;

typedef enum ServiceProbeKind {
        SERVICE_PROBE_READINESS,        /* until it succeeds the service is not up */
        SERVICE_PROBE_LIVENESS,         /* when it fails the service is down */
        _SERVICE_PROBE_KIND_MAX,
} ServiceProbeKind;

/* Are the times 0, they are the default's: service_probe_interval() and so on. */
typedef struct ServiceProbe {
        struct ExecCommand *command;    /* owned; NULL: there is no such probe */
        /* owned: what it looks at, for people: "TCP 127.0.0.1:80"; NULL: it is a command */
        char *target;
        usec_t interval;                /* from the begin of one to that of the next */
        usec_t timeout;
        usec_t start_period;            /* before the first */
        uint32_t threshold;             /* so many in a row count: successes for readiness, failures for liveness */
} ServiceProbe;

/* Options of OpenFile=, in the numbers that D-Bus has for them. */
typedef enum ServiceOpenFlags {
        SERVICE_OPEN_READ_ONLY = 1 << 0,
        SERVICE_OPEN_APPEND = 1 << 1,
        SERVICE_OPEN_TRUNCATE = 1 << 2,
        SERVICE_OPEN_GRACEFUL = 1 << 3,         /* it need not be there */
} ServiceOpenFlags;

typedef struct ServiceOpenFile {
        char *path;                     /* owned; absolute */
        char *name;                     /* owned; what it is told as */
        uint32_t flags;
        struct ServiceOpenFile *next;   /* owned */
} ServiceOpenFile;

typedef struct ServiceRareSettings {
        char *bus_name;
        ServiceProbe probes[_SERVICE_PROBE_KIND_MAX];
        int reload_signal;              /* 0: SIGHUP */
        int notify_fd;                  /* on which a newline means ready; 0: none */
        ServiceTimeoutMode timeout_start_mode, timeout_stop_mode;
        usec_t runtime_extra;           /* at random up to that much more than RuntimeMaxSec= */

        ServiceRestartMode restart_mode;
        uint32_t restart_steps;
        uint32_t restart_jitter_percent;
        usec_t restart_max_delay;
        usec_t restart_jitter;
        usec_t restart_reset;           /* after so long it counts as healthy */

        usec_t reload_limit_interval;
        uint32_t reload_limit_burst;

        uint32_t fd_store_max;
        ServiceFdPreserve fd_store_preserve;
        ServiceOpenFile *open_files;    /* owned list, in their order */
        bool permissions_start_only;
        bool root_directory_start_only;
} ServiceRareSettings;

DECLARE_STRING_TABLE(service_timeout_mode, ServiceTimeoutMode);
DECLARE_STRING_TABLE(service_restart_mode, ServiceRestartMode);
DECLARE_STRING_TABLE(service_fd_preserve, ServiceFdPreserve);
DECLARE_STRING_TABLE(service_probe_kind, ServiceProbeKind);      /* "readiness", … */

/* .command of a probe without a program: jobd-core itself, under this name. */
#define SERVICE_PROBE_PATH "/proc/self/exe"
#define SERVICE_PROBE_NAME "jobd-probe"

/* Exit statuses: 0, an errno below these, or the reason for the lack of a good answer. */
enum {
        SERVICE_PROBE_HTTP_STATUS = 240,        /* and the first digit of the status */
        SERVICE_PROBE_NO_ADDRESS = 250,
        SERVICE_PROBE_NO_HTTP = 251,
};

ServiceOpenFile *service_open_file_free_all(ServiceOpenFile *list);
/* Frees it and what it owns. */
ServiceRareSettings *service_rare_settings_free(ServiceRareSettings *rare);
/* Frees what it owns and zeroes it. */
void service_rare_settings_deinit(ServiceRareSettings *rare);
/* Moves what @from says, if it says anything, to where it lives: *ret_rare, else NULL. 0 or -ENOMEM. */
int service_rare_settings_take(ServiceRareSettings *from, ServiceRareSettings **ret_rare);

usec_t service_probe_interval(const ServiceProbe *probe, ServiceProbeKind kind);
usec_t service_probe_timeout(const ServiceProbe *probe);
uint32_t service_probe_threshold(const ServiceProbe *probe, ServiceProbeKind kind);

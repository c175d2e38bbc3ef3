/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rare settings of [Service]
 *
 * Allocated separately, so that services without them use no memory for them:
 * zero means "not set" in each field, and a service without any has no struct.
 * The functions below supply the defaults that are not zero.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/string_table.h"
#include "basic/usec.h"

struct ExecCommand;

/* The effect of an expired time limit on the processes. */
typedef enum ServiceTimeoutMode {
        SERVICE_TIMEOUT_TERMINATE,
        SERVICE_TIMEOUT_ABORT,
        SERVICE_TIMEOUT_KILL,
        _SERVICE_TIMEOUT_MODE_MAX,
} ServiceTimeoutMode;

typedef enum ServiceRestartMode {
        SERVICE_RESTART_NORMAL,
        SERVICE_RESTART_DIRECT,         /* without passing failed or inactive, unnoticed by dependent units */
        _SERVICE_RESTART_MODE_MAX,
} ServiceRestartMode;

/* How long stored descriptors are kept after the service has stopped. */
typedef enum ServiceFdPreserve {
        SERVICE_FDS_RESTART,            /* if the service, or an installed job, starts it again */
        SERVICE_FDS_NO,
        SERVICE_FDS_YES,
        _SERVICE_FD_PRESERVE_MAX,
} ServiceFdPreserve;

typedef enum ServiceProbeKind {
        SERVICE_PROBE_READINESS,        /* the service is not active before it succeeds */
        SERVICE_PROBE_LIVENESS,         /* the service fails when it fails */
        _SERVICE_PROBE_KIND_MAX,
} ServiceProbeKind;

/* Times of 0 mean the defaults: see service_probe_interval() and the like. */
typedef struct ServiceProbe {
        struct ExecCommand *command;    /* owned; NULL: no such probe */
        /* owned: target shown to users, "TCP 127.0.0.1:80"; NULL: it is a command */
        char *target;
        usec_t interval;                /* from the start of one run to the start of the next */
        usec_t timeout;
        usec_t start_period;            /* before the first run */
        uint32_t threshold;             /* successes in a row for readiness, failures in a row for liveness */
} ServiceProbe;

/* Options of OpenFile=, with the values used on D-Bus. */
typedef enum ServiceOpenFlags {
        SERVICE_OPEN_READ_ONLY = 1 << 0,
        SERVICE_OPEN_APPEND = 1 << 1,
        SERVICE_OPEN_TRUNCATE = 1 << 2,
        SERVICE_OPEN_GRACEFUL = 1 << 3,         /* a missing file is ignored */
} ServiceOpenFlags;

typedef struct ServiceOpenFile {
        char *path;                     /* owned; absolute */
        char *name;                     /* owned; name in LISTEN_FDNAMES= */
        uint32_t flags;
        struct ServiceOpenFile *next;   /* owned */
} ServiceOpenFile;

typedef struct ServiceRareSettings {
        char *bus_name;
        ServiceProbe probes[_SERVICE_PROBE_KIND_MAX];
        int reload_signal;              /* 0: SIGHUP */
        int notify_fd;                  /* a newline there means ready; 0: none */
        ServiceTimeoutMode timeout_start_mode, timeout_stop_mode;
        usec_t runtime_extra;           /* a random time up to this is added to RuntimeMaxSec= */

        ServiceRestartMode restart_mode;
        uint32_t restart_steps;
        uint32_t restart_jitter_percent;
        usec_t restart_max_delay;
        usec_t restart_jitter;
        usec_t restart_reset;           /* after this time the service counts as healthy */

        usec_t reload_limit_interval;
        uint32_t reload_limit_burst;

        uint32_t fd_store_max;
        ServiceFdPreserve fd_store_preserve;
        ServiceOpenFile *open_files;    /* owned list, in the order of the file */
        bool permissions_start_only;
        bool root_directory_start_only;
} ServiceRareSettings;

DECLARE_STRING_TABLE(service_timeout_mode, ServiceTimeoutMode);
DECLARE_STRING_TABLE(service_restart_mode, ServiceRestartMode);
DECLARE_STRING_TABLE(service_fd_preserve, ServiceFdPreserve);
DECLARE_STRING_TABLE(service_probe_kind, ServiceProbeKind);      /* "readiness", … */

/* .command of a built-in probe: jobd-core itself, under this name. */
#define SERVICE_PROBE_PATH "/proc/self/exe"
#define SERVICE_PROBE_NAME "jobd-probe"

/* Exit statuses of jobd-probe: 0, an errno below these, or another failure. */
enum {
        SERVICE_PROBE_HTTP_STATUS = 240,        /* plus the first digit of the status */
        SERVICE_PROBE_NO_ADDRESS = 250,
        SERVICE_PROBE_NO_HTTP = 251,
};

ServiceOpenFile *service_open_file_free_all(ServiceOpenFile *list);
ServiceRareSettings *service_rare_settings_free(ServiceRareSettings *rare);
/* Frees all members and sets them to zero. */
void service_rare_settings_deinit(ServiceRareSettings *rare);
/* Moves the content of @from to *@ret_rare, which is NULL if there is none. 0 or -ENOMEM. */
int service_rare_settings_take(ServiceRareSettings *from, ServiceRareSettings **ret_rare);

usec_t service_probe_interval(const ServiceProbe *probe, ServiceProbeKind kind);
usec_t service_probe_timeout(const ServiceProbe *probe);
uint32_t service_probe_threshold(const ServiceProbe *probe, ServiceProbeKind kind);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The output of units
 *
 * The log costs little when a process starts: the child opens a FIFO instead
 * of /dev/null, and the manager checks whether that FIFO is free. Everything
 * else is in memory shared with jobd-log. FIFOs are made when all are in use,
 * stored with the keeper once, and reused.
 *
 * A FIFO that was chosen for a process is not given to another one until that
 * process has opened it (n_opening): only from then on it can be seen to be in
 * use.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/text.h"
#include "exec/exec.h"
#include "manager/manager_log_private.h"
#include "unitfile/draft_type.h"
#include "unitfile/exec_settings.h"

/* Streams that are checked before a new one is made. */
#define LOOKS 8U

#define LEVEL_DEFAULT 6U
#define LEVEL_MAX 7U

/* — choosing a stream — */

static ManagerStream *stream_at(ManagerLog *log, uint32_t number) {
        return &log->streams.items[number];
}

static bool is_of_invocation(const ManagerLog *log, uint32_t number, const Unit *unit) {
        return memcmp(log->table.streams[number].invocation, unit->invocation_id, sizeof(unit->invocation_id)) == 0;
}

/* A stream that an earlier core has given to this invocation. */
static int find_restored(ManagerLog *log, const Unit *unit, uint32_t *ret_number) {
        for (uint32_t i = 0; i < log->n_restored; i++)
                if (!log->streams.items[i].unit && is_of_invocation(log, i, unit) &&
                    strncmp(log->table.streams[i].unit, unit->id, LOG_UNIT_BYTES) == 0) {
                        *ret_number = i;
                        return 0;
                }
        return -ENOENT;
}

static bool is_free(ManagerLog *log, uint32_t number, const Unit *unit) {
        const ManagerStream *stream = stream_at(log, number);

        if (stream->fd < 0 || stream->n_opening > 0 || number == log->own)
                return false;
        if (stream->unit && stream->unit != unit && !unit_state_is_inactive_or_failed(stream->unit->active_state))
                return false;
        return log_stream_is_done(&log->table.streams[number], stream->fd);
}

static uint32_t key_of(const Unit *unit) {
        return unit->index + 1;
}

/* The map contains numbers + 1 instead of pointers. */
static bool find_of_unit(const ManagerLog *log, const Unit *unit, uint32_t *ret_number) {
        uintptr_t found = (uintptr_t) id_map_get(&log->by_unit, key_of(unit));

        *ret_number = (uint32_t) found - 1;
        return found > 0;
}

static int give_to(ManagerLog *log, uint32_t number, Unit *unit) {
        ManagerStream *stream = stream_at(log, number);
        uint32_t other;
        int r;

        r = id_map_reserve(&log->by_unit, 1);
        if (r < 0)
                return r;
        if (find_of_unit(log, unit, &other) && other != number)
                stream_at(log, other)->unit = NULL;
        if (stream->unit && stream->unit != unit)
                id_map_remove(&log->by_unit, key_of(stream->unit));
        stream->unit = unit;
        return id_map_put(&log->by_unit, key_of(unit), (void *) (uintptr_t) (number + 1));
}

static int choose_any(ManagerLog *log, const Unit *unit, uint32_t *ret_number) {
        for (uint32_t i = 0; i < LOOKS && i < log->streams.n; i++) {
                log->hand = (log->hand + 1) % (uint32_t) log->streams.n;
                if (is_free(log, log->hand, unit)) {
                        *ret_number = log->hand;
                        return 0;
                }
        }
        return manager_log_add_stream(log, ret_number);
}

static int choose(ManagerLog *log, const Unit *unit, uint32_t *ret_number) {
        if (find_of_unit(log, unit, ret_number) && is_free(log, *ret_number, unit))
                return 0;
        return choose_any(log, unit, ret_number);
}

/* — data for jobd-log — */

static void copy(char *target, size_t size, const char *text) {
        size_t n = MIN(strlen(text), size - 1);

        memcpy(target, text, n);
        target[n] = '\0';
}

static void copy_fields(LogStream *stream, char *const *fields) {
        size_t n = strlen(stream->extra);

        for (; fields && *fields; fields++) {
                cleanup_free_ char *clean = NULL;

                if (text_escape_control(*fields, &clean) < 0 || n + strlen(clean) + 2 > sizeof(stream->extra))
                        continue;
                n += (size_t) snprintf(stream->extra + n, sizeof(stream->extra) - n, "%s%s", n > 0 ? "\t" : "", clean);
        }
}

static const char *identifier_of(const ExecRareSettings *rare, const char *program) {
        const char *slash = program ? strrchr(program, '/') : NULL;

        return rare->syslog_identifier ? rare->syslog_identifier : slash ? slash + 1 : program ? program : "-";
}

static void describe_limit(const ManagerLog *log, const ExecRareSettings *rare, LogStream *stream) {
        if (!rare->has_log_interval && !rare->has_log_burst)
                return;
        stream->flags |= LOG_STREAM_HAS_LIMIT;
        stream->interval = rare->has_log_interval ? rare->log_interval : log->settings.interval;
        stream->burst = rare->has_log_burst ? rare->log_burst : log->settings.burst;
}

/* The writer of a stream. */
typedef struct LogWriter {
        const char *unit;
        const uint8_t *invocation;
        const ExecRareSettings *rare;
        char *const *fields; /* beside those of .rare; NULL: none */
} LogWriter;

static LogWriter writer_of(const Unit *unit) {
        return (LogWriter) { .unit = unit->id, .invocation = unit->invocation_id, .rare = manager_log_rare(unit) };
}

static void describe(ManagerLog *log, uint32_t number, const LogWriter *writer, const ExecRequest *request) {
        LogStream *stream = &log->table.streams[number];
        const ExecRareSettings *rare = writer->rare;
        const uint32_t generation = stream->generation + 1;

        stream->flags = rare->no_level_prefix ? 0 : LOG_STREAM_LEVEL_PREFIX;
        if (request->standard_output.to_console || request->standard_error.to_console)
                stream->flags |= LOG_STREAM_CONSOLE;
        if (request->standard_output.to_kernel || request->standard_error.to_kernel)
                stream->flags |= LOG_STREAM_KERNEL;
        stream->level = rare->syslog_level > 0 ? rare->syslog_level - 1U : LEVEL_DEFAULT;
        stream->level_max = rare->log_level_max > 0 ? rare->log_level_max - 1U : LEVEL_MAX;
        describe_limit(log, rare, stream);
        stream->pid = 0;
        memcpy(stream->invocation, writer->invocation, sizeof(stream->invocation));
        copy(stream->unit, sizeof(stream->unit), writer->unit);
        copy(stream->identifier, sizeof(stream->identifier), identifier_of(rare, request->path));
        stream->extra[0] = '\0';
        copy_fields(stream, writer->fields);
        copy_fields(stream, rare->log_extra_fields);
        /* 0 means never used */
        log_store(&stream->generation, generation > 0 ? generation : 1);
}

/* The stream for the unit's invocation. */
static int find_stream(ManagerLog *log, Unit *unit, const ExecRequest *request, uint32_t *ret_number) {
        int r;

        r = manager_log_serve(log);
        if (r < 0)
                return r;
        if (find_of_unit(log, unit, ret_number) && is_of_invocation(log, *ret_number, unit))
                return 0;
        if (find_restored(log, unit, ret_number) == 0)
                return give_to(log, *ret_number, unit);
        r = choose(log, unit, ret_number);
        if (r == 0)
                r = give_to(log, *ret_number, unit);
        if (r == 0) {
                const LogWriter writer = writer_of(unit);

                describe(log, *ret_number, &writer, request);
        }
        return r;
}

/* A stream that no unit has, for one process. */
static int take_stream(ManagerLog *log, const LogWriter *writer, const ExecRequest *request, uint32_t *ret_number) {
        ManagerStream *stream;
        int r = manager_log_serve(log);

        if (r == 0)
                r = choose_any(log, NULL, ret_number);
        if (r < 0)
                return r;
        stream = stream_at(log, *ret_number);
        if (stream->unit)
                id_map_remove(&log->by_unit, key_of(stream->unit));
        stream->unit = NULL;
        describe(log, *ret_number, writer, request);
        return 0;
}

/* — requests — */

static void resolve_default(const ManagerLog *log, ExecStream *stream) {
        if (stream->kind != EXEC_STREAM_DEFAULT)
                return;
        switch (log ? log->default_output : MANAGER_OUTPUT_INHERIT) {
        case MANAGER_OUTPUT_INHERIT:
                stream->kind = EXEC_STREAM_INHERIT;
                break;
        case MANAGER_OUTPUT_NULL:
                stream->kind = EXEC_STREAM_NULL;
                break;
        case MANAGER_OUTPUT_LOG:
                stream->kind = EXEC_STREAM_LOG;
                break;
        }
}

static int make_header(const LogWriter *writer, const ExecRequest *request, const ExecStream *stream,
                       char **ret_header) {
        const ExecRareSettings *rare = writer->rare;

        return text_format(ret_header, "%s\n%s\n%u\n%d\n0\n%d\n%d\n", identifier_of(rare, request->path), writer->unit,
                           rare->syslog_level > 0 ? rare->syslog_level - 1U : LEVEL_DEFAULT, !rare->no_level_prefix,
                           stream->to_kernel, stream->to_console);
}

static int prepare_journald(const LogWriter *writer, ExecRequest *request) {
        ExecStream *streams[] = { &request->standard_output, &request->standard_error };
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(streams) && r == 0; i++)
                if (streams[i]->kind == EXEC_STREAM_LOG) {
                        r = make_header(writer, request, streams[i], &request->log_headers[i]);
                        streams[i]->path = MANAGER_JOURNAL_SOCKET;
                        streams[i]->header = request->log_headers[i];
                }
        return r;
}

/* @unit: NULL if the stream is for this process alone. */
static int prepare_files(ManagerLog *log, Unit *unit, const LogWriter *writer, ExecRequest *request) {
        ExecStream *streams[] = { &request->standard_output, &request->standard_error };
        ManagerStream *stream;
        uint32_t number = 0;
        int r;

        r = unit ? find_stream(log, unit, request, &number) : take_stream(log, writer, request, &number);
        if (r < 0)
                return r;
        stream = stream_at(log, number);
        for (size_t i = 0; i < ELEMENTSOF(streams); i++)
                if (streams[i]->kind == EXEC_STREAM_LOG)
                        streams[i]->path = stream->path;
        stream->n_opening++;
        request->log_stream = number + 1;
        return 0;
}

static void give_up(const LogWriter *writer, ExecRequest *request, int error) {
        ExecStream *streams[] = { &request->standard_output, &request->standard_error };

        if (error < 0)
                log_write(LOG_LEVEL_WARNING, writer->unit, "Its output cannot go to the log: %s",
                          error == -ENOEXEC ? "jobd-log does not run" : strerror(-error));
        for (size_t i = 0; i < ELEMENTSOF(streams); i++)
                if (streams[i]->kind == EXEC_STREAM_LOG)
                        streams[i]->kind = EXEC_STREAM_INHERIT;
}

static void prepare(ManagerLog *log, Unit *unit, const LogWriter *writer, ExecRequest *request) {
        int r = 0;

        resolve_default(log, &request->standard_output);
        resolve_default(log, &request->standard_error);
        if (request->standard_output.kind != EXEC_STREAM_LOG && request->standard_error.kind != EXEC_STREAM_LOG)
                return;
        if (!log || log->kind == MANAGER_LOG_NONE)
                give_up(writer, request, 0);
        else
                r = log->kind == MANAGER_LOG_JOURNALD ? prepare_journald(writer, request)
                                                      : prepare_files(log, unit, writer, request);
        if (r < 0)
                give_up(writer, request, r);
}

void manager_log_prepare(ManagerLog *log, Unit *unit, ExecRequest *request) {
        const LogWriter writer = writer_of(unit);

        prepare(log, unit, &writer, request);
}

void manager_log_prepare_attempt(ManagerLog *log, const ManagerLogAttempt *attempt, ExecRequest *request) {
        const LogWriter writer = {
                .unit = attempt->unit,
                .invocation = attempt->invocation,
                .rare = exec_settings_rare(attempt->exec),
                .fields = attempt->fields,
        };

        prepare(log, NULL, &writer, request);
}

void manager_log_note_pid(ManagerLog *log, const ExecRequest *request, UnitPurpose purpose, pid_t pid) {
        LogStream *stream;

        if (request->log_stream == 0)
                return;
        stream = &log->table.streams[request->log_stream - 1];
        /* The pid of the main process; that of another process only before there is a main process. */
        if (purpose == UNIT_PURPOSE_MAIN || stream->pid == 0)
                stream->pid = pid;
}

void manager_log_spawned(ManagerLog *log, const ExecRequest *request) {
        if (request->log_stream > 0)
                stream_at(log, request->log_stream - 1)->n_opening--;
}

void manager_log_forget_unit(ManagerLog *log, const Unit *unit) {
        uint32_t number;

        if (!log || !find_of_unit(log, unit, &number))
                return;
        stream_at(log, number)->unit = NULL;
        id_map_remove(&log->by_unit, key_of(unit));
}

bool manager_log_is_daemon(const ManagerLog *log, pid_t pid) {
        /* jobd-log writes down its pid only when it is ready. */
        return log && log->is_open && (log->started == pid || log->table.header->daemon == pid);
}

const char *manager_log_name(const ManagerLog *log) {
        if (!log || log->kind == MANAGER_LOG_NONE)
                return "none";
        return log->kind == MANAGER_LOG_JOURNALD ? "journald" : "files";
}

const char *manager_log_default_output(const ManagerLog *log) {
        switch (log ? log->default_output : MANAGER_OUTPUT_INHERIT) {
        case MANAGER_OUTPUT_INHERIT:
                return "inherit";
        case MANAGER_OUTPUT_NULL:
                return "null";
        case MANAGER_OUTPUT_LOG:
                return "journal";
        }
        return "inherit";
}

const LogSettings *manager_log_settings(const ManagerLog *log) {
        return log && log->kind == MANAGER_LOG_FILES ? &log->settings : NULL;
}

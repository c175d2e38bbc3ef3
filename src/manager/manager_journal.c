/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exporting unit data to journald
 *
 * journald finds a process's unit by the control group. It reads further data
 * of the unit from links made by the system manager: the invocation id, and
 * settings for the unit's lines. Links are replaced atomically; their targets
 * are the values. A unit runs without them, so errors here are not reported.
 *
 * The links are made before the first process of an invocation, and removed
 * after the last. On a machine that systemd runs, these names belong to
 * systemd.
 */

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_log_private.h"
#include "unitfile/draft_type.h"
#include "unitfile/exec_settings.h"

#define FOLDER "/run/systemd/units"

/* Longest name of a unit, with prefix and the suffix of a temporary name. */
#define NAME_BYTES (255 + 64)

typedef enum Kind {
        KIND_INVOCATION,
        KIND_LEVEL_MAX,
        KIND_INTERVAL,
        KIND_BURST,
        KIND_FIELDS,
        _KIND_MAX,
} Kind;

static const char *const kinds[_KIND_MAX] = {
        [KIND_INVOCATION] = "invocation",
        [KIND_LEVEL_MAX] = "log-level-max",
        [KIND_INTERVAL] = "log-rate-limit-interval",
        [KIND_BURST] = "log-rate-limit-burst",
        [KIND_FIELDS] = "log-extra-fields",
};

const ExecRareSettings *manager_log_rare(const Unit *unit) {
        static const ExecRareSettings nothing;
        const ExecSettings *settings = draft_type_exec(unit);

        return settings ? exec_settings_rare(settings) : &nothing;
}

bool manager_journal_is_ours(void) {
        char comm[16] = "";
        int fd = open("/proc/1/comm", O_RDONLY | O_CLOEXEC);

        if (fd < 0)
                return false;
        (void) !read(fd, comm, sizeof(comm) - 1);
        close(fd);
        return strcmp(comm, "systemd\n") != 0;
}

static bool exports(const ManagerLog *log) {
        return log && log->exports_units;
}

static void make_name(char name[static NAME_BYTES], Kind kind, const Unit *unit, const char *before) {
        (void) snprintf(name, NAME_BYTES, FOLDER "/%s%s:%s", before, kinds[kind], unit->id);
}

/* Replaces another link atomically. */
static void put_in_place(Kind kind, const Unit *unit, const char *temporary) {
        char name[NAME_BYTES];

        make_name(name, kind, unit, "");
        if (rename(temporary, name) < 0)
                (void) unlink(temporary);
}

static void set_link(Kind kind, const Unit *unit, const char *value) {
        char temporary[NAME_BYTES];

        make_name(temporary, kind, unit, ".#");
        (void) unlink(temporary);
        if (symlink(value, temporary) == 0)
                put_in_place(kind, unit, temporary);
}

static void set_number(Kind kind, const Unit *unit, uint64_t value) {
        char text[32];

        snprintf(text, sizeof(text), "%" PRIu64, value);
        set_link(kind, unit, text);
}

/* Each field is preceded by its length in eight bytes. */
static void set_fields(const Unit *unit, char *const *fields) {
        char temporary[NAME_BYTES];
        bool is_whole = true;
        int fd;

        make_name(temporary, KIND_FIELDS, unit, ".#");
        (void) unlink(temporary);
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd < 0)
                return;
        strv_foreach(field, fields) {
                const size_t n = strlen(*field);
                const uint64_t length = htole64(n);

                is_whole = is_whole && write(fd, &length, sizeof(length)) == sizeof(length) &&
                           write(fd, *field, n) == (ssize_t) n;
        }
        close(fd);
        if (is_whole)
                put_in_place(KIND_FIELDS, unit, temporary);
        else
                (void) unlink(temporary);
}

static void set_invocation(const Unit *unit) {
        char hex[2 * sizeof(unit->invocation_id) + 1];

        for (size_t i = 0; i < sizeof(unit->invocation_id); i++)
                snprintf(hex + 2 * i, 3, "%02x", unit->invocation_id[i]);
        set_link(KIND_INVOCATION, unit, hex);
}

void manager_journal_add_unit(const ManagerLog *log, const Unit *unit) {
        const ExecRareSettings *rare;

        if (!exports(log) || (mkdir(FOLDER, 0755) < 0 && errno != EEXIST))
                return;
        set_invocation(unit);
        rare = manager_log_rare(unit);
        if (rare->log_level_max > 0)
                set_number(KIND_LEVEL_MAX, unit, rare->log_level_max - 1U);
        if (rare->has_log_interval)
                set_number(KIND_INTERVAL, unit, rare->log_interval);
        if (rare->has_log_burst)
                set_number(KIND_BURST, unit, rare->log_burst);
        if (rare->log_extra_fields)
                set_fields(unit, rare->log_extra_fields);
}

/* Most units have only the first link, and none has others without it. */
void manager_journal_remove_unit(const ManagerLog *log, const Unit *unit) {
        char name[NAME_BYTES];

        if (!exports(log))
                return;
        make_name(name, KIND_INVOCATION, unit, "");
        if (unlink(name) < 0)
                return;
        for (Kind kind = KIND_INVOCATION + 1; kind < _KIND_MAX; kind++) {
                make_name(name, kind, unit, "");
                (void) unlink(name);
        }
}

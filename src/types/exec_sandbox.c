/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared objects of the processes of a run
 *
 * After a restart of core the folders are found by the unit's record, the namespaces by the descriptors that are kept.
 * Each unit keeps copies of its own, so that none depends on another that may end before it. What two units share has
 * one number, by which it becomes one object again.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec/sandbox_shared.h"
#include "types/exec_sandbox.h"
#include "types/unit_say.h"
#include "unit/unit_table.h"

typedef struct Holder {
        const Unit *unit;               /* borrowed */
        SandboxShared *shared;          /* a reference */
        unsigned kept;                  /* bit i: descriptor i is kept */
} Holder;

static VECTOR(Holder) holders;

#define FDS 3U

static const char *const fd_names[FDS] = { "sandbox-network", "sandbox-ipc", "sandbox-user" };

static int *fd_at(SandboxShared *shared, size_t i) {
        return i == 0 ? &shared->network_fd : i == 1 ? &shared->ipc_fd : &shared->user_fd;
}

static Holder *find(const Unit *unit) {
        for (size_t i = 0; i < holders.n; i++)
                if (holders.items[i].unit == unit)
                        return &holders.items[i];
        return NULL;
}

static int add(const Unit *unit, SandboxShared *shared) {
        const Holder holder = { .unit = unit, .shared = shared };

        return vector_push(&holders, holder);
}

static void drop(Holder *holder) {
        *holder = vector_last(&holders);
        if (--holders.n == 0)
                vector_deinit(&holders);
}

static SandboxShared *find_joined(const Unit *unit) {
        UnitRelations joined = unit_relations(unit, UNIT_JOINS_NAMESPACE_OF);

        for (size_t i = 0; i < joined.n; i++) {
                Holder *holder = find(unit_table_at(unit->table, joined.items[i].other));

                if (holder)
                        return holder->shared;
        }
        return NULL;
}

static int make(const Unit *unit, SandboxShared **ret_shared) {
        cleanup_(sandbox_shared_unrefp) SandboxShared *shared = NULL;
        SandboxShared *joined = find_joined(unit);
        int r = 0;

        if (joined)
                shared = sandbox_shared_ref(joined);
        else {
                r = sandbox_shared_new(unit->id, &shared);
                /* The number is no secret, so it need not wait for the kernel's randomness. */
                if (r == 0 && getrandom(&shared->id, sizeof(shared->id), GRND_INSECURE) < 0)
                        r = -errno;
        }
        if (r == 0)
                r = add(unit, shared);
        if (r == 0)
                *ret_shared = take_ptr(shared);
        return r;
}

int exec_sandbox_share(Unit *unit, ExecRequest *request) {
        /* The kernel tells that to each program that it executes: no call is needed. */
        const bool is_unprivileged = request->is_user_manager && getauxval(AT_EUID) != 0;
        Holder *holder;

        if (!request->sandbox || !sandbox_shared_is_needed(request->sandbox, is_unprivileged))
                return 0;
        holder = find(unit);
        if (!holder)
                return make(unit, &request->shared);
        request->shared = holder->shared;
        return 0;
}

void exec_sandbox_spawned(Unit *unit, const ExecResult *result) {
        UnitHost *host = unit_table_host(unit->table);
        Holder *holder = find(unit);

        if (result->sandbox_error != 0) {
                unit_say(unit, LOG_LEVEL_WARNING,
                         "The process runs without its sandbox, for which namespaces are needed: %s",
                         strerror(result->sandbox_error));
        }
        for (size_t i = 0; holder && i < FDS; i++) {
                int fd = *fd_at(holder->shared, i);

                if (fd >= 0 && !(holder->kept & 1U << i) && host->ops->keep_fd &&
                    host->ops->keep_fd(host, unit, fd_names[i], 0, fd) == 0)
                        holder->kept |= 1U << i;
        }
}

void exec_sandbox_release(Unit *unit) {
        UnitHost *host = unit_table_host(unit->table);
        Holder *holder = find(unit);

        if (!holder)
                return;
        for (size_t i = 0; i < FDS; i++)
                if (holder->kept & 1U << i)
                        host->ops->drop_fd(host, unit, fd_names[i], 0);
        sandbox_shared_unref(holder->shared);
        drop(holder);
}

void exec_sandbox_forget(Unit *unit) {
        Holder *holder = find(unit);

        if (!holder)
                return;
        sandbox_shared_abandon(holder->shared);
        drop(holder);
}

void exec_sandbox_record(const Unit *unit, RecordWriter *writer) {
        const Holder *holder = find(unit);

        record_put(writer, holder != NULL);
        if (!holder)
                return;
        record_put_time(writer, holder->shared->id);
        record_put_string(writer, holder->shared->name);
        record_put_string(writer, holder->shared->tmp);
        record_put_string(writer, holder->shared->var_tmp);
        record_put(writer, holder->shared->user_uid);
        record_put(writer, holder->shared->user_gid);
        record_put(writer, holder->kept);
}

static SandboxShared *find_by_id(uint64_t id) {
        for (size_t i = 0; i < holders.n; i++)
                if (holders.items[i].shared->id == id)
                        return holders.items[i].shared;
        return NULL;
}

/* The record of a unit that shares it may be older than this descriptor. */
static SandboxShared *complete(SandboxShared *shared, char **tmp, char **var_tmp, uid_t uid, gid_t gid) {
        if (!shared->tmp)
                shared->tmp = take_ptr(*tmp);
        if (!shared->var_tmp)
                shared->var_tmp = take_ptr(*var_tmp);
        if (shared->user_uid == 0 && shared->user_gid == 0) {
                shared->user_uid = uid;
                shared->user_gid = gid;
        }
        return shared;
}

static SandboxShared *read_shared(RecordReader *reader) {
        uint64_t id = record_get_time(reader);
        const char *name = record_get_string(reader);
        cleanup_free_ char *tmp = record_get_string_copy(reader);
        cleanup_free_ char *var_tmp = record_get_string_copy(reader);
        uid_t uid = (uid_t) record_get(reader);
        gid_t gid = (gid_t) record_get(reader);
        SandboxShared *shared = find_by_id(id);

        if (reader->has_failed || !name)
                return NULL;
        if (shared)
                return complete(sandbox_shared_ref(shared), &tmp, &var_tmp, uid, gid);
        if (sandbox_shared_new(name, &shared) < 0)
                return NULL;
        shared->id = id;
        return complete(shared, &tmp, &var_tmp, uid, gid);
}

void exec_sandbox_restore(Unit *unit, RecordReader *reader) {
        SandboxShared *shared;
        unsigned kept;

        exec_sandbox_forget(unit);
        if (record_get_below(reader, 2) == 0)
                return;
        shared = read_shared(reader);
        kept = (unsigned) record_get_below(reader, 1U << FDS);
        if (!shared || reader->has_failed || add(unit, shared) < 0) {
                sandbox_shared_abandon(shared);
                reader->has_failed = true;
                return;
        }
        vector_last(&holders).kept = kept;
}

void exec_sandbox_resume(Unit *unit) {
        UnitHost *host = unit_table_host(unit->table);
        Holder *holder = find(unit);

        for (size_t i = 0; holder && i < FDS; i++) {
                int *fd = fd_at(holder->shared, i);
                int kept = holder->kept & 1U << i ? host->ops->take_fd(host, unit, fd_names[i], 0) : -1;

                if (kept >= 0 && *fd < 0)
                        *fd = kept;
                else if (kept >= 0)
                        close(kept);
                else
                        holder->kept &= ~(1U << i);
        }
}

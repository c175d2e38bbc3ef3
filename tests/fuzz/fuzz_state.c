/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What a core leaves for the next one: records, rows of the store, the journal
 *
 * A record that can be read is written again, and the two writings are the same bytes; a cut or changed one is refused or
 * gives values that exist. After the end of a record, or a failure, a reader gives nothing. Entries of a journal that
 * were there before the damaged one are read back.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/text.h"
#include "double/double_unit.h"
#include "fuzz.h"
#include "job/job_manager.h"
#include "store/journal.h"
#include "store/store_private.h"
#include "types/unit_types.h"
#include "unit/unit_record.h"
#include "unitfile/unit_file.h"

#define NUMBERS_MAX 64U
#define FORMAT 6

static bool same_bytes(const RecordWriter *a, const RecordWriter *b) {
        return a->n == b->n && (a->n == 0 || memcmp(a->bytes, b->bytes, a->n) == 0);
}

/* — values — */

static void get_something(RecordReader *reader, unsigned choice) {
        bool had_failed = reader->has_failed;
        const char *string = NULL;
        uint64_t value = 0;
        size_t n = 0;

        switch (choice % 7) {
        case 0:
                value = record_get(reader);
                break;
        case 1:
                value = record_get_time(reader);
                break;
        case 2:
                value = (uint64_t) record_get_signed(reader);
                break;
        case 3:
                value = record_get_below(reader, 7);
                fuzz_check(value < 7);
                break;
        case 4:
                string = record_get_bytes(reader, &n);
                fuzz_check(!string || (const uint8_t *) string + n <= reader->end);
                string = n > 0 ? string : NULL;
                break;
        case 5:
                string = record_get_string(reader);
                fuzz_check(!string || (const uint8_t *) string + strlen(string) < reader->end);
                break;
        case 6: {
                cleanup_free_ char *copy = record_get_string_copy(reader);

                value = copy ? 1 : 0;
                break;
        }
        }
        fuzz_check(reader->at <= reader->end);
        fuzz_check(!reader->has_failed || (value == 0 && !string));
        fuzz_check(!had_failed || reader->has_failed);
}

static void check_reader(FuzzInput *input) {
        uint8_t choices[16];
        RecordReader reader;
        size_t n;

        for (size_t i = 0; i < sizeof(choices); i++)
                choices[i] = fuzz_byte(input);
        cleanup_free_ char *copy = fuzz_rest(input, &n), *bytes = malloc(n > 0 ? n : 1);

        memcpy(bytes, copy, n);
        record_reader_init(&reader, bytes, n);
        for (size_t i = 0; i < sizeof(choices); i++)
                get_something(&reader, choices[i]);
}

typedef struct Value {
        unsigned kind;
        uint64_t number;
        char *string;                   /* owned */
} Value;

static void put_value(RecordWriter *writer, const Value *value) {
        switch (value->kind) {
        case 0:
                record_put(writer, value->number);
                return;
        case 1:
                record_put_time(writer, value->number);
                return;
        case 2:
                record_put_signed(writer, (int64_t) value->number);
                return;
        case 3:
                record_put_string(writer, value->string);
                return;
        default:
                record_put_string(writer, NULL);
        }
}

static void expect_value(RecordReader *reader, const Value *value) {
        const char *string;

        switch (value->kind) {
        case 0:
                fuzz_check(record_get(reader) == value->number);
                return;
        case 1:
                fuzz_check(record_get_time(reader) == value->number);
                return;
        case 2:
                fuzz_check(record_get_signed(reader) == (int64_t) value->number);
                return;
        case 3:
                string = record_get_string(reader);
                fuzz_check(string != NULL);
                fuzz_check_string(string, value->string);
                return;
        default:
                fuzz_check(record_get_string(reader) == NULL);
        }
}

/* Values, the second half of them in a byte string. */
static void check_writer(FuzzInput *input) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        Value values[16];
        size_t n = 1 + fuzz_choose(input, ELEMENTSOF(values)), half = n / 2, place, n_inner;
        RecordReader reader, inner;
        const void *bytes;

        for (size_t i = 0; i < n; i++) {
                values[i] = (Value) { .kind = fuzz_choose(input, 5) };
                values[i].number = values[i].kind < 3 ? fuzz_number(input, fuzz_choose(input, 9)) : 0;
                values[i].string = values[i].kind == 3 ? fuzz_string(input) : NULL;
        }
        for (size_t i = 0; i < half; i++)
                put_value(&writer, &values[i]);
        place = record_open(&writer);
        for (size_t i = half; i < n; i++)
                put_value(&writer, &values[i]);
        fuzz_check(record_close(&writer, place) > 0 && !writer.has_failed);

        record_reader_init(&reader, writer.bytes, writer.n);
        for (size_t i = 0; i < half; i++)
                expect_value(&reader, &values[i]);
        bytes = record_get_bytes(&reader, &n_inner);
        fuzz_check(bytes && record_is_at_end(&reader));
        record_reader_init_inner(&inner, bytes, n_inner, &reader);
        for (size_t i = half; i < n; i++)
                expect_value(&inner, &values[i]);
        fuzz_check(record_is_at_end(&inner));
        for (size_t i = 0; i < n; i++)
                free(values[i].string);
}

/* — jobs — */

static void write_snapshot(const JobSnapshot *snapshot, RecordWriter *writer) {
        for (size_t i = 0; i < snapshot->jobs.n; i++)
                job_record_write(&snapshot->jobs.items[i], writer);
        for (size_t i = 0; i < snapshot->ended.n; i++)
                job_ended_record_write(&snapshot->ended.items[i], writer);
}

static void check_job_again(const JobRecord *record) {
        cleanup_(record_writer_deinit) RecordWriter first = {}, second = {};
        JobRecord again = {};
        RecordReader reader;

        job_record_write(record, &first);
        record_reader_init(&reader, first.bytes, first.n);
        reader.format = FORMAT;
        fuzz_check(job_record_read(&again, &reader) == 0 && record_is_at_end(&reader));
        job_record_write(&again, &second);
        fuzz_check(same_bytes(&first, &second));
        job_record_deinit(&again);
}

/* Jobs that cannot go on have ended, each by all of its names. */
static size_t count_ids(const JobSnapshot *snapshot) {
        size_t n = snapshot->jobs.n + snapshot->ended.n;

        for (size_t i = 0; i < snapshot->jobs.n; i++)
                n += snapshot->jobs.items[i].aliases.n;
        return n;
}

/* Whatever was read, an engine takes it or refuses it; what it took it can save. */
static void check_restore(const JobSnapshot *snapshot, usec_t now) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        cleanup_(job_manager_freep) JobManager *manager = NULL;
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        JobSnapshot saved = {};

        double_unit(world, "a.service", UNIT_INACTIVE);
        double_unit(world, "b.service", UNIT_ACTIVE);
        fuzz_check(job_manager_new(&manager, world->table) == 0);
        if (job_manager_restore(manager, snapshot, now) < 0)
                return;
        fuzz_check(job_manager_save(manager, &saved) == 0);
        fuzz_check(saved.jobs.n + saved.ended.n <= count_ids(snapshot));
        write_snapshot(&saved, &writer);
        fuzz_check(!writer.has_failed);
        job_snapshot_deinit(&saved);
}

static void check_jobs(FuzzInput *input) {
        JobSnapshot snapshot = {};
        RecordReader reader;
        unsigned flags = fuzz_byte(input);
        usec_t now = fuzz_number(input, 4);
        size_t n;
        cleanup_free_ char *bytes = fuzz_rest(input, &n);
        int r = 0;

        record_reader_init(&reader, bytes, n);
        reader.format = FORMAT - (flags & 1);
        if (flags & 2)
                r = job_snapshot_read_counters(&snapshot, &reader);
        while (r == 0 && reader.at < reader.end && snapshot.jobs.n + snapshot.ended.n < NUMBERS_MAX)
                r = job_snapshot_read_record(&snapshot, &reader);
        fuzz_check(r == 0 || r == -EBADMSG);
        for (size_t i = 0; i < snapshot.jobs.n; i++)
                check_job_again(&snapshot.jobs.items[i]);
        job_snapshot_sort(&snapshot);
        check_restore(&snapshot, now);
        job_snapshot_deinit(&snapshot);
}

/* — units — */

static const struct {
        const char *name, *text;
} units[] = {
        { "a.service", "[Service]\nType=notify\nExecStart=/bin/true\nExecStop=/bin/true\nRestart=always\n" },
        { "b.service", "[Service]\nType=oneshot\nExecStart=/bin/true\nExecStart=/bin/false\nRemainAfterExit=yes\n" },
        { "c.socket", "[Socket]\nListenStream=/x\nListenStream=/y\nService=a.service\n" },
        { "d.timer", "[Timer]\nOnActiveSec=1h\nOnCalendar=daily\nUnit=a.service\n" },
        { "e.path", "[Path]\nPathExists=/x\nPathChanged=/y\nUnit=a.service\n" },
        { "mnt.mount", "[Mount]\nWhat=/dev/x\nWhere=/mnt\n" },
        { "f.target", "[Unit]\n" },
        { "g.slice", "[Slice]\n" },
        { "h.scope", "[Scope]\n" },
};

static UnitFileLoader *make_loader(void) {
        char *folders[] = { (char *) fuzz_folder(), NULL };
        UnitFileOptions options = { .search_path = folders, .no_default_dependencies = true };
        UnitFileLoader *loader = NULL;

        for (size_t i = 0; i < ELEMENTSOF(units); i++) {
                char path[128];

                snprintf(path, sizeof(path), "%s/%s", folders[0], units[i].name);
                fuzz_write_file(path, units[i].text, strlen(units[i].text));
        }
        fuzz_check(unit_file_loader_new(&loader, &options) == 0);
        return loader;
}

typedef struct UnitWorld {
        DoubleWorld *doubles;           /* owned: the host */
        UnitTable *table;               /* owned */
        Unit *unit;                     /* borrowed */
} UnitWorld;

static void unit_world_init(UnitWorld *world, const char *name) {
        static UnitFileLoader *loader;

        if (!loader)
                loader = make_loader();
        world->doubles = double_world_new();
        fuzz_check(unit_table_new(&world->table) == 0);
        unit_table_set_host(world->table, &world->doubles->host);
        for (size_t i = 0; unit_types[i]; i++)
                unit_table_set_type(world->table, unit_types[i]);
        unit_file_loader_attach(loader, world->table);
        fuzz_check(unit_table_load(world->table, name, &world->unit) == 0);
}

static void unit_world_deinit(UnitWorld *world) {
        unit_table_free(world->table);
        double_world_free(world->doubles);
}

static void check_unit_again(const char *name, const RecordWriter *first) {
        cleanup_(record_writer_deinit) RecordWriter second = {};
        cleanup_(unit_world_deinit) UnitWorld world = {};
        RecordReader reader;

        unit_world_init(&world, name);
        record_reader_init(&reader, first->bytes, first->n);
        reader.format = FORMAT;
        fuzz_check(unit_restore(world.unit, &reader) == 0 && record_is_at_end(&reader));
        unit_record(world.unit, &second);
        fuzz_check(same_bytes(first, &second));
}

static void check_unit(FuzzInput *input) {
        cleanup_(record_writer_deinit) RecordWriter before = {}, after = {};
        const char *name = units[fuzz_choose(input, ELEMENTSOF(units))].name;
        cleanup_(unit_world_deinit) UnitWorld world = {};
        unsigned format = FORMAT - fuzz_choose(input, 2);
        RecordReader reader;
        size_t n;
        cleanup_free_ char *bytes = fuzz_rest(input, &n);
        int r;

        unit_world_init(&world, name);
        unit_record(world.unit, &before);
        record_reader_init(&reader, bytes, n);
        reader.format = format;
        r = unit_restore(world.unit, &reader);
        fuzz_check(r == 0 || r == -EBADMSG);
        fuzz_check(unit_sub_state(world.unit) != NULL);
        unit_record(world.unit, &after);
        fuzz_check(!after.has_failed);
        if (r < 0)
                fuzz_check(same_bytes(&before, &after));
        else if (after.n > 0)
                check_unit_again(name, &after);
}

/* — the journal — */

/* Its format: if that changes, so do these. */
#define JOURNAL_EXITS_AT (32 + JOURNAL_SPAWNS_MAX * 16U)
#define JOURNAL_SIZE (JOURNAL_EXITS_AT + (JOURNAL_EXITS_MAX + 1) * sizeof(siginfo_t))

static unsigned write_journal(FuzzInput *input, const char *path, unsigned *ret_spawns) {
        unsigned n_exits = fuzz_choose(input, 256), n_spawns = fuzz_byte(input), i;
        cleanup_(journal_closep) Journal *journal = NULL;
        cleanup_(failure_deinit) Failure failure = {};
        siginfo_t *place;
        pid_t *pid;

        (void) unlink(path);
        fuzz_check(journal_open(&journal, path, &failure) == 0);
        journal_begin(journal, 77);
        for (i = 0; i < n_exits && (place = journal_next_exit(journal)); i++) {
                place->si_status = (int) i;
                place->si_pid = (pid_t) i + 1;
        }
        for (unsigned k = 0; k < n_spawns && (pid = journal_begin_spawn(journal, k + 1)); k++)
                *pid = (pid_t) k + 1000;
        journal_note_sent(journal, 5);
        fuzz_check(journal_room_for_exits(journal) == JOURNAL_EXITS_MAX - i);
        *ret_spawns = n_spawns;
        return i;
}

/* Changes bytes of the file; returns the offset of the first one. */
static size_t damage(FuzzInput *input, const char *path) {
        size_t first = JOURNAL_SIZE;
        int fd = open(path, O_RDWR | O_CLOEXEC);
        struct stat status;

        fuzz_check(fd >= 0 && fstat(fd, &status) == 0 && status.st_size == (off_t) JOURNAL_SIZE);
        for (unsigned n = fuzz_choose(input, 64); n > 0 && input->at < input->end; n--) {
                size_t at = fuzz_number(input, 3) % JOURNAL_SIZE;
                uint8_t byte = fuzz_byte(input);

                fuzz_check(pwrite(fd, &byte, 1, (off_t) at) == 1);
                first = MIN(first, at);
        }
        if (fuzz_byte(input) & 1)
                fuzz_check(ftruncate(fd, (off_t) (fuzz_number(input, 3) % (JOURNAL_SIZE + 1))) == 0);
        fuzz_check(fstat(fd, &status) == 0);
        close(fd);
        return status.st_size == (off_t) JOURNAL_SIZE ? first : 0;
}

static void use_journal(Journal *journal) {
        siginfo_t *place;

        for (size_t i = 0; journal_exit_at(journal, i); i++)
                fuzz_check(i < JOURNAL_EXITS_MAX);
        fuzz_check(journal_room_for_exits(journal) <= JOURNAL_EXITS_MAX);
        place = journal_next_exit(journal);
        fuzz_check(!place || place->si_pid == 0);
        fuzz_check(journal_find_spawn(journal, 3) >= 0);
        (void) journal_begin_spawn(journal, 3);
        journal_begin(journal, 78);
        fuzz_check(journal_commit(journal) == 78 && !journal_exit_at(journal, 0) && !journal_has_spawn(journal, 3));
}

static void check_journal(FuzzInput *input) {
        cleanup_(journal_closep) Journal *journal = NULL;
        cleanup_(failure_deinit) Failure failure = {};
        unsigned n_exits, n_spawns;
        char path[128];
        size_t first;

        snprintf(path, sizeof(path), "%s/journal", fuzz_folder());
        n_exits = write_journal(input, path, &n_spawns);
        first = damage(input, path);
        fuzz_check(journal_open(&journal, path, &failure) == 0);
        if (first >= 32)
                fuzz_check(journal_commit(journal) == 77 && journal_last_sent(journal) == 5);
        for (unsigned i = 0; i < n_exits && JOURNAL_EXITS_AT + (i + 1) * sizeof(siginfo_t) <= first; i++) {
                const siginfo_t *exit = journal_exit_at(journal, i);

                fuzz_check(exit && exit->si_pid == (pid_t) i + 1 && exit->si_status == (int) i);
        }
        if (first >= JOURNAL_EXITS_AT)
                for (unsigned k = 0; k < n_spawns; k++)
                        fuzz_check(journal_find_spawn(journal, k + 1) == (pid_t) k + 1000);
        use_journal(journal);
}

/* — rows of the store — */

typedef struct Owner {
        const uint8_t *bytes;           /* borrowed: record @i is the first @sizes[i] of them */
        uint8_t sizes[_STORE_SPACE_MAX][NUMBERS_MAX];
        unsigned n_taken;
} Owner;

static Owner owner;

static void save(void *userdata, StoreSpace space, uint32_t number, RecordWriter *writer) {
        for (size_t i = 0; number < NUMBERS_MAX && i < owner.sizes[space][number]; i++)
                record_put(writer, owner.bytes[i] & 0x7f);
}

static int next(void *userdata, StoreSpace space, uint32_t number, uint32_t *ret_number) {
        for (; number < NUMBERS_MAX; number++)
                if (owner.sizes[space][number] > 0) {
                        *ret_number = number;
                        return 1;
                }
        return 0;
}

static int take(void *userdata, uint32_t number, RecordReader *record) {
        StoreSpace space = *(StoreSpace *) userdata;

        fuzz_check(number < NUMBERS_MAX && (size_t) (record->end - record->at) == owner.sizes[space][number]);
        for (size_t i = 0; i < owner.sizes[space][number]; i++)
                fuzz_check(record_get(record) == (owner.bytes[i] & 0x7f));
        owner.n_taken++;
        return 0;
}

static int take_anything(void *userdata, uint32_t number, RecordReader *record) {
        while (!record_is_at_end(record) && !record->has_failed)
                (void) record_get(record);
        record->at = record->end;
        record->has_failed = false;
        return 0;
}

static Store *open_store(void) {
        static Store *store;
        cleanup_(failure_deinit) Failure failure = {};
        char path[128];

        if (store)
                return store;
        snprintf(path, sizeof(path), "%s/state", fuzz_folder());
        fuzz_check(store_open(&store, path, &(StoreFormat) { "fuzz", 1, 1, "here" },
                              &(StoreOwner) { NULL, save, next, NULL }, &failure) == STORE_E_OPENED);
        return store;
}

static void put_row(Store *store, const void *bytes, size_t n) {
        sqlite3_stmt *statement = NULL;

        fuzz_check(sqlite3_prepare_v2(store->db, "INSERT INTO log (number, bytes) VALUES (9000000000000000000, ?1)", -1,
                                      &statement, NULL) == SQLITE_OK);
        sqlite3_bind_blob(statement, 1, bytes, (int) n, SQLITE_STATIC);
        fuzz_check(sqlite3_step(statement) == SQLITE_DONE);
        sqlite3_finalize(statement);
}

static void check_store(FuzzInput *input) {
        Store *store = open_store();
        unsigned n = 0, marks = fuzz_byte(input);
        size_t n_bytes;
        cleanup_free_ char *bytes = NULL;
        uint8_t pattern[256];

        for (size_t i = 0; i < sizeof(pattern); i++)
                pattern[i] = (uint8_t) (i + marks);
        owner = (Owner) { .bytes = pattern };
        for (unsigned i = 0; i < (marks & 15); i++) {
                uint8_t space = (uint8_t) fuzz_choose(input, _STORE_SPACE_MAX), number = (uint8_t) fuzz_choose(input, NUMBERS_MAX);

                owner.sizes[space][number] = fuzz_byte(input);
                store_mark(store, space, number);
        }
        store_mark_all(store);
        fuzz_check(store_commit(store) == 0);
        for (StoreSpace space = 0; space < _STORE_SPACE_MAX; space++) {
                for (unsigned i = 0; i < NUMBERS_MAX; i++)
                        n += owner.sizes[space][i] > 0;
                fuzz_check(store_load(store, space, take, &space) == 0);
        }
        fuzz_check(owner.n_taken == n);

        bytes = fuzz_rest(input, &n_bytes);
        put_row(store, bytes, n_bytes);
        for (StoreSpace space = 0; space < _STORE_SPACE_MAX; space++) {
                int r = store_load(store, space, take_anything, NULL);

                fuzz_check(r == 0 || r == -EBADMSG);
        }
        fuzz_check(sqlite3_exec(store->db, "DELETE FROM log WHERE number = 9000000000000000000", NULL, NULL, NULL) == SQLITE_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
        static void (*const checks[])(FuzzInput *input) = {
                check_reader, check_writer, check_jobs, check_unit, check_unit, check_journal, check_store };
        FuzzInput input = { bytes, bytes + n };

        checks[fuzz_choose(&input, ELEMENTSOF(checks))](&input);
        return 0;
}

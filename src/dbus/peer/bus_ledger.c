/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Messages that a message bus has handed over, in memory that outlives core
 *
 * A file in memory: a page that says whether the connection can be taken over,
 * a row for each client, and a slot for each call. It is written by pwrite(),
 * since a page of a mapping that the kernel has no memory for would end core. A
 * record whose write failed is not there, and then a death of core loses what it
 * stood for. This process finds rows and slots by a copy of their keys.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/macro.h"
#include "basic/vector.h"
#include "dbus/peer/bus_ledger.h"

#define LEDGER_VERSION 1U
#define NAME_BYTES 252U

typedef struct Head {
        uint32_t version;
        uint32_t is_torn;
} Head;

typedef struct Row {
        uint32_t flags;
        char name[NAME_BYTES];
} Row;

typedef struct Slot {
        uint32_t stage;
        uint32_t serial;
        uint64_t order;
        uint32_t wants_reply;
        uint32_t n;                     /* of the bytes */
        char sender[NAME_BYTES];
        uint32_t padding;
        uint8_t bytes[BUS_LEDGER_MESSAGE_MAX];
} Slot;

_Static_assert(sizeof(Slot) <= 4096, "a slot is a page");

#define ROWS_AT 4096
#define SLOTS_AT (ROWS_AT + (off_t) BUS_LEDGER_CLIENTS * (off_t) sizeof(Row))
#define SLOT_BYTES 4096

typedef struct Entry {
        BusLedgerStage stage;
        uint32_t serial;
        uint64_t order;
        char *sender;                   /* owned */
        bool is_answered;
} Entry;

typedef struct Client {
        uint32_t flags;
        char *name;                     /* owned */
} Client;

struct BusLedger {
        int fd;
        uint64_t next_order;
        bool is_torn;
        bool has_answered;              /* some entry is answered */
        VECTOR(Entry) calls;            /* by slot */
        VECTOR(Client) clients;         /* by row */
};

static off_t place_of_slot(size_t i) {
        return SLOTS_AT + (off_t) i * SLOT_BYTES;
}

static off_t place_of_row(size_t i) {
        return ROWS_AT + (off_t) i * (off_t) sizeof(Row);
}

static int write_at(const BusLedger *ledger, const void *data, size_t n, off_t place) {
        return pwrite(ledger->fd, data, n, place) == (ssize_t) n ? 0 : -EIO;
}

/* — calls — */

static Entry *find_call(BusLedger *ledger, const char *sender, uint32_t serial) {
        for (size_t i = 0; i < ledger->calls.n; i++) {
                Entry *entry = &ledger->calls.items[i];

                if (entry->stage != BUS_LEDGER_FREE && entry->serial == serial && strcmp(entry->sender, sender) == 0)
                        return entry;
        }
        return NULL;
}

/* The lowest free slot, so that the file stays small; NULL without one, or without memory. */
static Entry *find_slot(BusLedger *ledger) {
        for (size_t i = 0; i < ledger->calls.n; i++)
                if (ledger->calls.items[i].stage == BUS_LEDGER_FREE)
                        return &ledger->calls.items[i];
        if (ledger->calls.n >= BUS_LEDGER_CALLS || vector_push(&ledger->calls, (Entry) {}) < 0)
                return NULL;
        return &vector_last(&ledger->calls);
}

static void set_stage(BusLedger *ledger, Entry *entry, BusLedgerStage stage) {
        const uint32_t written = stage;

        if (entry->stage == stage)
                return;
        (void) write_at(ledger, &written, sizeof(written), place_of_slot((size_t) (entry - ledger->calls.items)));
        entry->stage = stage;
        if (stage != BUS_LEDGER_FREE)
                return;
        free(entry->sender);
        *entry = (Entry) {};
        while (ledger->calls.n > 0 && vector_last(&ledger->calls).stage == BUS_LEDGER_FREE)
                ledger->calls.n--;
}

bool bus_ledger_add(BusLedger *ledger, const BusHeader *header, const uint8_t *bytes, size_t n) {
        Slot slot = { .stage = BUS_LEDGER_WAITS, .serial = header->serial, .order = ledger->next_order,
                      .wants_reply = header->wants_reply };
        Entry *entry;

        if (!header->sender || strlen(header->sender) >= sizeof(slot.sender))
                return true;
        if (find_call(ledger, header->sender, header->serial))
                return false;
        entry = find_slot(ledger);
        if (!entry)
                return true;
        strcpy(slot.sender, header->sender);
        if (n <= sizeof(slot.bytes) && header->n_descriptors == 0) {
                memcpy(slot.bytes, bytes, n);
                slot.n = (uint32_t) n;
        }
        *entry = (Entry) { .stage = BUS_LEDGER_WAITS, .serial = slot.serial, .order = slot.order,
                           .sender = strdup(slot.sender) };
        if (!entry->sender || write_at(ledger, &slot, offsetof(Slot, bytes) + slot.n,
                                       place_of_slot((size_t) (entry - ledger->calls.items))) < 0) {
                free(entry->sender);
                *entry = (Entry) {};
                return true;
        }
        ledger->next_order++;
        return true;
}

void bus_ledger_mark(BusLedger *ledger, const char *sender, uint32_t serial, BusLedgerStage stage) {
        Entry *entry = find_call(ledger, sender, serial);

        if (entry)
                set_stage(ledger, entry, stage);
}

void bus_ledger_answer(BusLedger *ledger, const char *sender, uint32_t serial) {
        Entry *entry = find_call(ledger, sender, serial);

        if (entry)
                entry->is_answered = ledger->has_answered = true;
}

void bus_ledger_settle(BusLedger *ledger) {
        if (!ledger->has_answered)
                return;
        ledger->has_answered = false;
        for (size_t i = ledger->calls.n; i > 0; i--)
                if (ledger->calls.items[i - 1].is_answered)
                        set_stage(ledger, &ledger->calls.items[i - 1], BUS_LEDGER_FREE);
}

/* The slot of the least number from *order on. */
static size_t find_order(const BusLedger *ledger, uint64_t order) {
        size_t found = SIZE_MAX;

        for (size_t i = 0; i < ledger->calls.n; i++) {
                const Entry *entry = &ledger->calls.items[i];

                if (entry->stage != BUS_LEDGER_FREE && entry->order >= order &&
                    (found == SIZE_MAX || entry->order < ledger->calls.items[found].order))
                        found = i;
        }
        return found;
}

static ssize_t read_slot(int fd, size_t i, Slot *ret_slot) {
        return pread(fd, ret_slot, sizeof(*ret_slot), place_of_slot(i));
}

bool bus_ledger_next_call(const BusLedger *ledger, uint64_t *order, BusLedgerCall *ret_call) {
        const size_t i = find_order(ledger, *order);
        const Entry *entry;
        ssize_t n;
        Slot slot;

        if (i == SIZE_MAX)
                return false;
        entry = &ledger->calls.items[i];
        *order = entry->order + 1;
        *ret_call = (BusLedgerCall) { .stage = entry->stage, .serial = entry->serial, .sender = entry->sender };
        n = read_slot(ledger->fd, i, &slot);
        if (n < (ssize_t) offsetof(Slot, bytes))
                return true;
        ret_call->wants_reply = slot.wants_reply;
        if (slot.n <= sizeof(slot.bytes) && n >= (ssize_t) (offsetof(Slot, bytes) + slot.n)) {
                ret_call->n = slot.n;
                memcpy(ret_call->bytes, slot.bytes, slot.n);
        }
        return true;
}

/* — clients — */

static Client *find_client(BusLedger *ledger, const char *name) {
        for (size_t i = 0; i < ledger->clients.n; i++)
                if (ledger->clients.items[i].name && strcmp(ledger->clients.items[i].name, name) == 0)
                        return &ledger->clients.items[i];
        return NULL;
}

static Client *find_row(BusLedger *ledger) {
        for (size_t i = 0; i < ledger->clients.n; i++)
                if (!ledger->clients.items[i].name)
                        return &ledger->clients.items[i];
        if (ledger->clients.n >= BUS_LEDGER_CLIENTS || vector_push(&ledger->clients, (Client) {}) < 0)
                return NULL;
        return &vector_last(&ledger->clients);
}

static void forget_calls(BusLedger *ledger, const char *name) {
        for (size_t i = ledger->calls.n; i > 0; i--)
                if (ledger->calls.items[i - 1].stage != BUS_LEDGER_FREE &&
                    strcmp(ledger->calls.items[i - 1].sender, name) == 0)
                        set_stage(ledger, &ledger->calls.items[i - 1], BUS_LEDGER_FREE);
}

void bus_ledger_note_client(BusLedger *ledger, const char *name, uint32_t flags) {
        Row row = { .flags = flags };
        Client *client = find_client(ledger, name);

        if (flags == 0)
                forget_calls(ledger, name);
        if ((client ? client->flags : 0) == flags || strlen(name) >= sizeof(row.name))
                return;
        if (!client) {
                client = find_row(ledger);
                if (!client)
                        return;
                client->name = strdup(name);
        }
        if (!client->name)
                return;
        strcpy(row.name, name);
        (void) write_at(ledger, &row, sizeof(row), place_of_row((size_t) (client - ledger->clients.items)));
        client->flags = flags;
        if (flags != 0)
                return;
        free(client->name);
        *client = (Client) {};
}

const char *bus_ledger_next_client(const BusLedger *ledger, size_t *i, uint32_t *ret_flags) {
        while (*i < ledger->clients.n) {
                const Client *client = &ledger->clients.items[(*i)++];

                if (!client->name)
                        continue;
                *ret_flags = client->flags;
                return client->name;
        }
        return NULL;
}

/* — as a whole — */

void bus_ledger_note_torn(BusLedger *ledger, bool is_reading, bool is_writing) {
        const Head head = { LEDGER_VERSION, is_reading || is_writing };

        if (ledger->is_torn == (head.is_torn != 0))
                return;
        ledger->is_torn = head.is_torn != 0;
        (void) write_at(ledger, &head, sizeof(head), 0);
}

static int load_clients(BusLedger *ledger) {
        for (size_t i = 0; i < BUS_LEDGER_CLIENTS; i++) {
                Client client = {};
                Row row;
                int r;

                if (pread(ledger->fd, &row, sizeof(row), place_of_row(i)) != sizeof(row))
                        break;
                if (row.flags != 0 && memchr(row.name, '\0', sizeof(row.name)))
                        client = (Client) { row.flags, strdup(row.name) };
                r = vector_push(&ledger->clients, client);
                if (r < 0)
                        free(client.name);
                if (r < 0)
                        return r;
        }
        while (ledger->clients.n > 0 && !vector_last(&ledger->clients).name)
                ledger->clients.n--;
        return 0;
}

static int load_calls(BusLedger *ledger) {
        Slot slot;

        for (size_t i = 0; i < BUS_LEDGER_CALLS; i++) {
                Entry entry = {};
                int r;

                if (read_slot(ledger->fd, i, &slot) < (ssize_t) offsetof(Slot, bytes))
                        break;
                if (slot.stage != BUS_LEDGER_FREE && slot.stage <= BUS_LEDGER_REEXECUTES &&
                    memchr(slot.sender, '\0', sizeof(slot.sender)))
                        entry = (Entry) { .stage = slot.stage, .serial = slot.serial, .order = slot.order,
                                          .sender = strdup(slot.sender) };
                if (!entry.sender)
                        entry.stage = BUS_LEDGER_FREE;
                r = vector_push(&ledger->calls, entry);
                if (r < 0)
                        free(entry.sender);
                if (r < 0)
                        return r;
                ledger->next_order = MAX(ledger->next_order, entry.order + 1);
        }
        return 0;
}

static int load(BusLedger *ledger) {
        Head head;
        int r;

        if (pread(ledger->fd, &head, sizeof(head), 0) != sizeof(head) || head.version != LEDGER_VERSION)
                return -EPROTO;
        if (head.is_torn)
                return -ESTALE;
        r = load_clients(ledger);
        return r < 0 ? r : load_calls(ledger);
}

static int make(BusLedger *ledger) {
        const Head head = { LEDGER_VERSION, 0 };

        ledger->fd = memfd_create("jobd-bus", MFD_CLOEXEC);
        return ledger->fd < 0 ? -errno : write_at(ledger, &head, sizeof(head), 0);
}

int bus_ledger_new(BusLedger **ret_ledger, int fd) {
        cleanup_(bus_ledger_freep) BusLedger *ledger = calloc(1, sizeof(*ledger));
        int r;

        if (!ledger) {
                fd_close(fd);
                return -ENOMEM;
        }
        *ledger = (BusLedger) { .fd = fd, .next_order = 1 };
        r = fd < 0 ? make(ledger) : load(ledger);
        if (r < 0)
                return r;
        *ret_ledger = take_ptr(ledger);
        return 0;
}

BusLedger *bus_ledger_free(BusLedger *ledger) {
        if (!ledger)
                return NULL;
        for (size_t i = 0; i < ledger->calls.n; i++)
                free(ledger->calls.items[i].sender);
        for (size_t i = 0; i < ledger->clients.n; i++)
                free(ledger->clients.items[i].name);
        vector_deinit(&ledger->calls);
        vector_deinit(&ledger->clients);
        fd_close(ledger->fd);
        free(ledger);
        return NULL;
}

int bus_ledger_fd(const BusLedger *ledger) {
        return ledger->fd;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the lines of /etc/fstab to units
 *
 * Options have the meaning that systemd-fstab-generator gives them, so that a
 * machine's file works unchanged. There are no device units: a mount does not
 * wait for a device; mount(8) finds it or fails.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "basic/usec.h"
#include "unit/unit_name.h"
#include "unitfile/fstab.h"
#include "unitfile/mount_option.h"

#define LOCAL_TARGET "local-fs.target"
#define REMOTE_TARGET "remote-fs.target"

/* The units made from the file. */
typedef struct Fstab {
        const FstabOptions *options;
        const FstabEntries *entries;
        FstabFiles files;
        bool has_local;                 /* a local file system is required … */
        bool has_remote;                /* … or a remote one is wanted */
} Fstab;

/* One line, while it is converted to a unit. */
typedef struct FstabLine {
        Fstab *fstab;
        const FstabEntry *entry;
        const char *name;               /* of the unit */
        const char *options;
        const char *directive;          /* directive for the dependencies being read */
        bool is_nofail, is_network, is_root, is_linked;
        Text text;
} FstabLine;

static void files_deinit(FstabFiles *files) {
        for (size_t i = 0; i < files->n; i++) {
                free(files->items[i].path);
                free(files->items[i].text);
        }
        vector_deinit(files);
}

/* Owns both strings, even on failure. */
static int add_file(Fstab *fstab, char *path, char *text, bool is_link) {
        int r = path && text ? vector_push(&fstab->files, ((FstabFile) { path, text, is_link })) : -ENOMEM;

        if (r < 0) {
                free(path);
                free(text);
        }
        return r;
}

static bool has_file(const Fstab *fstab, const char *path) {
        for (size_t i = 0; i < fstab->files.n; i++)
                if (strcmp(fstab->files.items[i].path, path) == 0)
                        return true;
        return false;
}

static int add_link(FstabLine *line, const char *unit, const char *kind) {
        char *path = NULL, *target = NULL;

        if (text_format(&path, "%s.%s/%s", unit, kind, line->name) < 0)
                return -ENOMEM;
        if (has_file(line->fstab, path)) {
                free(path);
                return 0;
        }
        if (text_format(&target, "../%s", line->name) < 0)
                target = NULL;
        return add_file(line->fstab, path, target, true);
}

/* — values — */

/* Returns true if a line of a unit file can hold the value unchanged. */
static bool is_writable(const char *value) {
        size_t n = strlen(value);

        for (const char *at = value; *at; at++)
                if ((unsigned char) *at < ' ' || *at == 0x7f)
                        return false;
        return n > 0 && value[0] != ' ' && value[n - 1] != ' ' && value[n - 1] != '\\';
}

static void put(FstabLine *line, const char *directive, const char *value) {
        text_addf(&line->text, "%s=", directive);
        for (const char *at = value; *at; at++) {
                if (*at == '%')
                        text_add_char(&line->text, '%');
                text_add_char(&line->text, *at);
        }
        text_add_char(&line->text, '\n');
}

/* A unit name, or the mount unit of a path: 1, 0 if it is neither (reported), or -ENOMEM. */
static int name_unit(FstabLine *line, const char *word, char **ret_name) {
        int r;

        if (word[0] == '/' && mount_path_is_below(word, "/dev")) {
                fstab_say(line->fstab->options, UNIT_FILE_NOTE, line->entry->line,
                          "'%s' is a device, and jobd has no device units; nothing waits for it.", word);
                return 0;
        }
        r = word[0] == '/' ? mount_unit_name(word, ret_name) : unit_name_mangle(word, ".mount", ret_name);
        if (r == -EINVAL)
                fstab_say(line->fstab->options, UNIT_FILE_WARNING, line->entry->line,
                          "'%s' is neither a unit nor a path; it is ignored.", word);
        return r == -EINVAL ? 0 : r < 0 ? r : 1;
}

static int put_relation(void *userdata, const char *word) {
        FstabLine *line = userdata;
        cleanup_free_ char *name = NULL;
        int r = name_unit(line, word, &name);

        if (r <= 0)
                return r;
        put(line, line->directive, name);
        if (strcmp(line->directive, "Requires") == 0)
                put(line, "After", name);
        return line->text.error;
}

static int put_mounts_for(void *userdata, const char *word) {
        FstabLine *line = userdata;

        if (word[0] == '/' && is_writable(word))
                put(line, "RequiresMountsFor", word);
        else
                fstab_say(line->fstab->options, UNIT_FILE_WARNING, line->entry->line,
                          "x-systemd.requires-mounts-for=: '%s' is not an absolute path; it is ignored.", word);
        return line->text.error;
}

static int link_to(void *userdata, const char *word) {
        FstabLine *line = userdata;
        cleanup_free_ char *name = NULL;
        int r = name_unit(line, word, &name);

        if (r <= 0)
                return r;
        line->is_linked = true;
        return add_link(line, name, line->directive);
}

/* — the parts of a unit — */

static int put_dependencies(FstabLine *line) {
        static const struct {
                const char *option, *directive;
        } rows[] = {
                { "x-systemd.after", "After" },
                { "x-systemd.before", "Before" },
                { "x-systemd.requires", "Requires" },
        };
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(rows) && r == 0; i++) {
                line->directive = rows[i].directive;
                r = mount_options_each(line->options, rows[i].option, put_relation, line);
        }
        return r < 0 ? r : mount_options_each(line->options, "x-systemd.requires-mounts-for", put_mounts_for, line);
}

static int put_timeout(FstabLine *line) {
        cleanup_free_ char *value = NULL;
        usec_t span;
        int r = mount_options_value(line->options, "x-systemd.mount-timeout", &value);

        if (r < 0 || !value)
                return r;
        if (usec_parse(value, USEC_PER_SEC, &span) == 0)
                put(line, "TimeoutSec", value);
        else
                fstab_say(line->fstab->options, UNIT_FILE_WARNING, line->entry->line,
                          "x-systemd.mount-timeout=: '%s' is not a time span such as 90s; it is ignored.", value);
        return 0;
}

/* Writes the options, without those that are not meant for mount(8). */
static int put_options(FstabLine *line) {
        static const char *const left_out[] = { "defaults", NULL };
        cleanup_free_ char *options = NULL;
        int r = mount_options_without(line->options, left_out, &options);

        if (r == 0 && options)
                put(line, "Options", options);
        return r;
}

static int put_unit(FstabLine *line) {
        const FstabEntry *entry = line->entry;
        int r;

        text_add(&line->text, "# Made from what it says of this in fstab(5).\n[Unit]\nDocumentation=man:fstab(5)\n");
        put(line, "SourcePath", line->fstab->options->path);
        if (!line->is_nofail)
                put(line, "Before", line->is_network ? REMOTE_TARGET : LOCAL_TARGET);
        r = put_dependencies(line);
        text_add(&line->text, "\n[Mount]\n");
        put(line, "What", entry->what);
        put(line, "Where", entry->where);
        if (entry->type && strcmp(entry->type, "auto") != 0)
                put(line, "Type", entry->type);
        if (r == 0)
                r = put_timeout(line);
        if (r == 0)
                r = put_options(line);
        if (mount_options_have(line->options, "x-systemd.rw-only"))
                text_add(&line->text, "ReadWriteOnly=yes\n");
        return r;
}

/* Makes links from the units that pull the mount in: those named by its options, or the target for its kind. */
static int link_unit(FstabLine *line) {
        const char *target = line->is_network ? REMOTE_TARGET : LOCAL_TARGET;
        int r;

        line->directive = "wants";
        r = mount_options_each(line->options, "x-systemd.wanted-by", link_to, line);
        line->directive = "requires";
        if (r == 0)
                r = mount_options_each(line->options, "x-systemd.required-by", link_to, line);
        if (r < 0 || line->is_linked || (mount_options_choose(line->options, "noauto", "auto") && !line->is_root))
                return r;
        line->fstab->has_local |= !line->is_nofail && !line->is_network;
        line->fstab->has_remote |= line->is_network;
        return add_link(line, target, line->is_nofail ? "wants" : "requires");
}

static void tell_unsupported(const FstabLine *line) {
        static const struct {
                const char *option, *effect;
        } rows[] = {
                { "x-systemd.automount", "it is mounted at once, not when it is first looked at" },
                { "x-systemd.makefs", "no file system is made" },
                { "x-systemd.growfs", "the file system stays as large as it is" },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                if (mount_options_have(line->options, rows[i].option))
                        fstab_say(line->fstab->options, UNIT_FILE_WARNING, line->entry->line,
                                  "%s is not supported: %s.",
                                  rows[i].option, rows[i].effect);
}

/* "bg" lets mount(8) exit before anything is mounted; the start job waits instead. */
static int settle_options(FstabLine *line, char **ret_options) {
        static const char *const left_out[] = { "bg", NULL };
        const FstabEntry *entry = line->entry;
        bool is_nfs = entry->type && (strcmp(entry->type, "nfs") == 0 || strcmp(entry->type, "nfs4") == 0);
        cleanup_free_ char *rest = NULL;
        int r = 0;

        line->options = entry->options;
        if (is_nfs && mount_options_choose(entry->options, "bg", "fg")) {
                r = mount_options_without(entry->options, left_out, &rest);
                if (r == 0)
                        r = text_format(ret_options, "x-systemd.mount-timeout=infinity,retry=10000,nofail,%s,fg",
                                        rest ? rest : "defaults");
                line->options = *ret_options;
        }
        line->is_root = strcmp(entry->where, "/") == 0;
        line->is_nofail = !line->is_root && mount_options_choose(line->options, "nofail", "fail");
        line->is_network = mount_is_network(entry->type, line->options);
        return r;
}

static int add_unit(Fstab *fstab, const FstabEntry *entry, const char *name) {
        cleanup_free_ char *options = NULL;
        FstabLine line = { .fstab = fstab, .entry = entry, .name = name };
        char *text = NULL;
        int r;

        if (has_file(fstab, name)) {
                fstab_say(fstab->options, UNIT_FILE_WARNING, entry->line,
                          "An earlier line already mounts '%s'; the line is ignored.", entry->where);
                return 0;
        }
        r = settle_options(&line, &options);
        if (r < 0)
                return r;
        tell_unsupported(&line);
        r = put_unit(&line);
        if (text_finish(&line.text, &text) < 0)
                return -ENOMEM;
        if (r < 0) {
                free(text);
                return r;
        }
        r = add_file(fstab, strdup(name), text, false);
        return r < 0 ? r : link_unit(&line);
}

/* — places — */

#define LINKS_MAX 40U

/* A path whose symlinks are being resolved: the kernel's mount table shows the resolved path. */
typedef struct FstabPlace {
        char *done;                     /* owned: resolved part; "" is the root */
        char *rest;                     /* owned: the part not yet resolved */
        unsigned n_links;
        bool is_far;                    /* on a remote server, which may not answer */
} FstabPlace;

static void place_deinit(FstabPlace *place) {
        free(place->done);
        free(place->rest);
}

/* Returns true if @path is on a remote mount: stat() could block for ever. */
static bool is_far(const FstabEntries *entries, const char *path) {
        for (size_t i = 0; i < entries->n; i++) {
                const FstabEntry *entry = &entries->items[i];

                if (text_equal(entry->where, path) && (mount_is_network(entry->type, entry->options) ||
                                                       (entry->type && text_starts_with(entry->type, "fuse"))))
                        return true;
        }
        return false;
}

/* 1 if @path is a symlink, which is prepended to the rest, 0 if not, -ELOOP, or -ENOMEM. */
static int follow_link(FstabPlace *place, const char *path, const char *rest) {
        char target[PATH_MAX], *joined;
        ssize_t n = place->is_far ? -1 : readlink(path, target, sizeof(target));

        if (n <= 0 || (size_t) n == sizeof(target))
                return 0;
        if (++place->n_links > LINKS_MAX)
                return -ELOOP;
        if (text_format(&joined, "%.*s/%s", (int) n, target, rest) < 0)
                return -ENOMEM;
        free(place->rest);
        place->rest = joined;
        if (target[0] == '/')
                place->done[0] = '\0';
        return 1;
}

static int take_name(const FstabEntries *entries, FstabPlace *place) {
        const char *name = place->rest + strspn(place->rest, "/");
        size_t n = strcspn(name, "/");
        cleanup_free_ char *path = NULL, *rest = strdup(name + n);
        char *slash = strrchr(place->done, '/');

        if (!rest)
                return -ENOMEM;
        if (n == 2 && memcmp(name, "..", 2) == 0) {
                if (slash)
                        *slash = '\0';
        } else if (n > 0 && !(n == 1 && name[0] == '.')) {
                int r = text_format(&path, "%s/%.*s", place->done, (int) n, name);

                place->is_far = place->is_far || (r == 0 && is_far(entries, path));
                r = r < 0 ? r : follow_link(place, path, rest);
                if (r != 0)
                        return MIN(r, 0);
                free(place->done);
                place->done = take_ptr(path);
        }
        free(place->rest);
        place->rest = take_ptr(rest);
        return 0;
}

/* A path with circular symlinks is left unchanged: mount(8) will report it. */
static int settle_place(const FstabEntries *entries, FstabEntry *entry) {
        cleanup_(place_deinit) FstabPlace place = { .done = strdup(""), .rest = strdup(entry->where) };
        char *where;
        int r = place.done && place.rest ? 0 : -ENOMEM;

        while (r == 0 && place.rest[0])
                r = take_name(entries, &place);
        if (r < 0)
                return r == -ELOOP ? 0 : r;
        where = place.done[0] ? take_ptr(place.done) : strdup("/");
        if (!where)
                return -ENOMEM;
        free(entry->where);
        entry->where = where;
        return 0;
}

static int add_line(Fstab *fstab, FstabEntry *entry) {
        cleanup_free_ char *name = NULL;
        int r = 0;

        if (entry->type && strcmp(entry->type, "swap") == 0) {
                fstab_say(fstab->options, UNIT_FILE_NOTE, entry->line,
                          "jobd has no swap units; the line is left to swapon(8).");
                return 0;
        }
        if (entry->where && entry->where[0] == '/')
                r = settle_place(fstab->entries, entry);
        if (r < 0)
                return r;
        if (!entry->what || !entry->where || !is_writable(entry->what) || !is_writable(entry->where) ||
            entry->where[0] != '/' || (entry->options && !is_writable(entry->options)) ||
            (entry->type && !is_writable(entry->type))) {
                fstab_say(fstab->options, UNIT_FILE_WARNING, entry->line,
                          "'%s' on '%s' cannot be a mount: an absolute path is needed, without control characters; "
                          "the line "
                          "is ignored.", entry->what ? entry->what : "", entry->where ? entry->where : "");
                return 0;
        }
        if (mount_place_is_reserved(entry->where))
                return 0;
        r = mount_unit_name(entry->where, &name);
        if (r == -EINVAL) {
                fstab_say(fstab->options, UNIT_FILE_WARNING, entry->line,
                          "'%s' is not a path, or is too long for a unit name; the line is ignored.", entry->where);
                return 0;
        }
        return r < 0 ? r : add_unit(fstab, entry, name);
}

/* Adds the links for remote mounts, which no other unit pulls in. */
static int add_remote(Fstab *fstab) {
        if (!fstab->has_remote)
                return 0;
        return add_file(fstab, strdup("multi-user.target.wants/" REMOTE_TARGET),
                        strdup("/usr/lib/jobd/system/" REMOTE_TARGET), true);
}

/* Starts the emergency target if a required mount of the machine fails. */
static int add_emergency(Fstab *fstab) {
        static const char text[] = "# Something that fstab(5) requires could not be mounted.\n[Unit]\n"
                                   "OnFailure=emergency.target\nOnFailureJobMode=replace-irreversibly\n";

        if (!fstab->has_local || !fstab->options->is_machine)
                return 0;
        return add_file(fstab, strdup(LOCAL_TARGET ".d/10-fstab.conf"), strdup(text), false);
}

int fstab_write_units(const FstabOptions *options) {
        FstabEntries entries;
        Fstab fstab = { .options = options, .entries = &entries };
        int r = fstab_read(options, &entries);

        if (r < 0)
                return r;
        for (size_t i = 0; r == 0 && i < entries.n; i++)
                r = add_line(&fstab, &entries.items[i]);
        if (r == 0)
                r = add_emergency(&fstab);
        if (r == 0)
                r = add_remote(&fstab);
        if (r == 0)
                r = fstab_fill_folder(options->folder, &fstab.files);
        fstab_entries_deinit(&entries);
        files_deinit(&fstab.files);
        return r;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checking unit files without a manager
 *
 * Beyond the errors of reading, verify checks that the units and programs that
 * a unit refers to exist. The folder of the file comes first on the search
 * path, so files can be checked where they are written.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/draft_type.h"
#include "unitfile/socket_settings.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/verify_private.h"

/* Passes messages of the loader on to the caller, and counts them. */
typedef struct Verifier {
        const UnitFileOptions *options; /* borrowed */
        UnitFileLoader *loader;         /* owned */
        UnitFileLoader *quiet;          /* owned: for other units' files; NULL until needed */
        const char *only;               /* borrowed: the unit to verify, for messages about it as a whole */
        int n_errors;
} Verifier;

static void verifier_receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        Verifier *verifier = userdata;

        if (diagnostic->severity == UNIT_FILE_ERROR)
                verifier->n_errors++;
        if (verifier->options->receiver)
                verifier->options->receiver(verifier->options->userdata, diagnostic);
}

static const struct MountEntry *verifier_find_mount(void *userdata, const char *where) {
        const UnitFileOptions *options = ((const Verifier *) userdata)->options;

        return options->find_mount(options->userdata, where);
}

static int verifier_receive_graph(void *userdata, const struct FlowGraph *graph) {
        const UnitFileOptions *options = ((const Verifier *) userdata)->options;

        return options->receive_graph(options->userdata, graph);
}

static void verifier_say(Verifier *verifier, UnitFileSeverity severity, const char *path, const char *message) {
        UnitFileDiagnostic diagnostic = { .severity = severity, .file = path, .message = message };

        verifier_receive(verifier, &diagnostic);
}

/* — references to other units — */

static bool relation_is_needed(const DraftRelation *relation) {
        return relation->kind == UNIT_REQUIRES || relation->kind == UNIT_REQUISITE || relation->kind == UNIT_BINDS_TO ||
               relation->kind == UNIT_TRIGGERS;
}

static bool systemd_has(const UnitDraft *draft, const char *name) {
        cleanup_free_ char *path = NULL;
        const char *folder = draft->loader->options.is_user ? "/usr/lib/systemd/user" : "/usr/lib/systemd/system";

        return text_join_path(folder, name, &path) == 0 && access(path, F_OK) == 0;
}

/* 1 if the type of @name finds a unit of it without a file, 0 or -ENOMEM. */
static int find_without_file(const UnitFileLoader *loader, const char *name) {
        const DraftType *type = draft_type_of(unit_name_type(name));
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        int r;

        if (!type || !type->find)
                return 0;
        r = unit_draft_new(loader, name, type, true, &draft);
        return r < 0 ? r : type->find(draft);
}

/* A reference to a template means its instances. */
static int find_other(const UnitFileLoader *loader, const char *name, NameFound *ret_found) {
        cleanup_(unit_sources_deinit) UnitSources other = {};
        cleanup_free_ char *instance = NULL;
        int r = unit_name_is_template(name) ? unit_name_replace_instance(name, VERIFY_INSTANCE, &instance) : 0;

        if (r == 0)
                r = unit_sources_find(loader->names, instance ? instance : name, false, &other);
        *ret_found = other.found;
        if (r == 0 && other.found == NAME_FOUND_NOTHING)
                r = find_without_file(loader, instance ? instance : name);
        if (r > 0)
                *ret_found = NAME_FOUND_FILE;
        return MIN(r, 0);
}

/* jobd does not detect devices; the file may be meant for machines with this device. */
static void tell_device(const UnitDraft *draft, const DraftRelation *relation) {
        unit_draft_report(draft, UNIT_FILE_WARNING, relation->file, relation->line,
                          unit_relation_to_string(relation->kind),
                          "%s is a device, and jobd has no device units; %s.", relation->name,
                          relation_is_needed(relation) ? "the unit loads, but cannot be started" :
                                  "the unit starts without it");
}

static void tell_missing(const UnitDraft *draft, const DraftRelation *relation) {
        bool is_needed = relation_is_needed(relation), is_systemds = text_starts_with(relation->name, "systemd-");
        const char *effect = is_needed ? "the unit could not be started" : "the unit starts without it";
        const char *hint = systemd_has(draft, relation->name) ? " (systemd has it: see --systemd-units)" : "";

        if (!unit_file_loader_has_type(draft->loader, NULL, unit_name_type(relation->name)))
                hint = ": units of its type are not supported";
        if (relation->kind == UNIT_TRIGGERS)
                effect = "there is nothing to start";
        unit_draft_report(draft, is_needed ? UNIT_FILE_ERROR : is_systemds ? UNIT_FILE_NOTE : UNIT_FILE_WARNING,
                          relation->file, relation->line,
                          relation->kind != UNIT_TRIGGERS ? unit_relation_to_string(relation->kind) :
                          draft->type == UNIT_SOCKET ? "Service" : "Unit",
                          "Unit %s is not found%s; %s.", relation->name, hint, effect);
}

/* Units of OnFailure= and OnSuccess= are started later, if at all: nobody would see that they are not there. */
static void verify_reaction(const UnitDraft *draft, const DraftRelation *relation) {
        const char *when = relation->kind == UNIT_ON_FAILURE ? "fails" : "has succeeded";
        NameFound found;

        if (find_other(draft->loader, relation->name, &found) < 0)
                return;
        if (found == NAME_FOUND_NOTHING)
                unit_draft_report(draft, UNIT_FILE_WARNING, relation->file, relation->line,
                                  unit_relation_to_string(relation->kind),
                                  "Unit %s is not found%s; there is nothing to start when this unit %s.",
                                  relation->name,
                                  systemd_has(draft, relation->name) ? " (systemd has it: see --systemd-units)" : "",
                                  when);
        else if (found == NAME_FOUND_MASK)
                unit_draft_report(draft, UNIT_FILE_WARNING, relation->file, relation->line,
                                  unit_relation_to_string(relation->kind),
                                  "Unit %s is masked; it is not started when this unit %s.", relation->name, when);
}

static void verify_relation(const UnitDraft *draft, const DraftRelation *relation) {
        bool is_needed = relation_is_needed(relation);
        NameFound found;

        if (relation->kind == UNIT_ON_FAILURE || relation->kind == UNIT_ON_SUCCESS) {
                verify_reaction(draft, relation);
                return;
        }
        if (!is_needed && relation->kind != UNIT_WANTS && relation->kind != UNIT_UPHOLDS)
                return;
        /* Consequences of a broken setting are not reported. */
        if ((relation->implied && (relation->kind != UNIT_TRIGGERS || draft->is_broken)) ||
            find_other(draft->loader, relation->name, &found) < 0)
                return;
        if (found == NAME_FOUND_NOTHING && unit_name_type(relation->name) == UNIT_DEVICE)
                tell_device(draft, relation);
        else if (found == NAME_FOUND_NOTHING)
                tell_missing(draft, relation);
        else if (found == NAME_FOUND_MASK && is_needed)
                unit_draft_report(draft, UNIT_FILE_ERROR, relation->file, relation->line,
                                  unit_relation_to_string(relation->kind), "Unit %s is masked; the unit could not be "
                                  "started.", relation->name);
}

static const DraftRelation *find_relation(const UnitDraft *draft, UnitRelationKind kind, const char *name) {
        for (size_t i = 0; i < draft->relations.n; i++) {
                const DraftRelation *relation = &draft->relations.items[i];

                if (relation->kind == kind && !relation->implied && strcmp(relation->name, name) == 0)
                        return relation;
        }
        return NULL;
}

/* Reports two lines that contradict each other. */
static void verify_contradiction(const UnitDraft *draft, const DraftRelation *relation) {
        const DraftRelation *other;

        if (relation->implied)
                return;
        if (relation->kind == UNIT_AFTER) {
                other = find_relation(draft, UNIT_BEFORE, relation->name);
                if (other)
                        unit_draft_report(draft, UNIT_FILE_ERROR, relation->file, relation->line, "After",
                                          "%s is also in Before= (line %u); the unit cannot be ordered both ways.",
                                          relation->name, other->line);
        }
        if (relation->kind == UNIT_REQUIRES || relation->kind == UNIT_BINDS_TO) {
                other = find_relation(draft, UNIT_CONFLICTS, relation->name);
                if (other)
                        unit_draft_report(draft, UNIT_FILE_ERROR, relation->file, relation->line,
                                          unit_relation_to_string(relation->kind),
                                          "%s is also in Conflicts= (line %u); "
                                          "the unit could not be started.", relation->name, other->line);
        }
}

/* A socket with Accept=yes refers to no unit: each connection gets an instance. */
static void verify_accept(const UnitDraft *draft) {
        const SocketSettings *socket = draft->section.own;
        cleanup_free_ char *name = NULL;
        NameFound found;

        if (draft->type != UNIT_SOCKET || !socket || !socket->accept || draft->is_broken || strchr(draft->name, '@'))
                return;
        if (text_format(&name, "%.*s@.service", (int) (strrchr(draft->name, '.') - draft->name), draft->name) == 0 &&
            find_other(draft->loader, name, &found) == 0 && found == NAME_FOUND_NOTHING)
                unit_draft_report(draft, UNIT_FILE_ERROR, draft->state->sources.fragment, 0, "Accept",
                                  "Unit %s is not found; there is nothing to start for a connection.", name);
}

/* — effects of enabling the unit — */

static void verify_installs(const UnitDraft *draft, const char *setting, char *const *names) {
        strv_foreach(name, names) {
                NameFound found;

                if (find_other(draft->loader, *name, &found) < 0 || found != NAME_FOUND_NOTHING)
                        continue;
                unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, setting,
                                  "Unit %s is not found%s; enabling this unit would have no effect.", *name,
                                  systemd_has(draft, *name) ? " (systemd has it: see --systemd-units)" : "");
        }
}

static void verify_install(const UnitDraft *draft) {
        verify_installs(draft, "WantedBy", draft->rare->wanted_by);
        verify_installs(draft, "RequiredBy", draft->rare->required_by);
        verify_installs(draft, "UpheldBy", draft->rare->upheld_by);
        strv_foreach(alias, draft->rare->alias)
                if (unit_name_type(*alias) != draft->type)
                        unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, "Alias",
                                          "'%s' is not a %s; an alias must have the type of its unit.", *alias,
                                          unit_type_to_string(draft->type));
        strv_foreach(also, draft->rare->also) {
                NameFound found;

                if (find_other(draft->loader, *also, &found) == 0 && found == NAME_FOUND_NOTHING)
                        unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, "Also",
                                          "Unit %s is not found; it cannot be enabled with this one.", *also);
        }
}

/* — the file itself — */

static void verify_documentation(const UnitDraft *draft) {
        static const char *const schemes[] = { "http://", "https://", "file:/", "info:", "man:" };

        strv_foreach(url, draft->rare->documentation) {
                size_t i = 0;

                while (i < ELEMENTSOF(schemes) && !text_starts_with(*url, schemes[i]))
                        i++;
                if (i == ELEMENTSOF(schemes))
                        unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, "Documentation",
                                          "'%s' is not a reference such as https://…, file:/…, man:name(1) or "
                                          "info:name.",
                                          *url);
        }
}

static void verify_mode(const UnitDraft *draft) {
        const UnitSources *sources = &draft->state->sources;
        struct stat st;

        if (sources->builtin || !sources->fragment || stat(sources->fragment, &st) < 0 || !S_ISREG(st.st_mode))
                return;
        if (st.st_mode & 0111)
                unit_draft_report(draft, UNIT_FILE_WARNING, sources->fragment, 0, NULL,
                                  "The file is executable; unit files are only read (chmod 0644).");
        if (st.st_mode & 0002)
                unit_draft_report(draft, UNIT_FILE_WARNING, sources->fragment, 0, NULL,
                                  "All users can write to the file (chmod 0644).");
}

static int verify_order(Verifier *verifier, UnitDraft *draft) {
        int r = 0;

        if (!verifier->quiet) {
                UnitFileOptions options = verifier->loader->options;

                options.receiver = NULL;
                r = unit_file_loader_new(&verifier->quiet, &options);
                if (r == 0)
                        r = name_map_refresh(verifier->quiet->names);
        }
        if (r >= 0)
                r = verify_flow_start(draft, verifier->quiet);
        if (r >= 0)
                r = verify_flow_parts(draft, verifier->quiet);
        return r < 0 ? r : verify_cycle(draft, verifier->quiet);
}

static int verify_unit(Verifier *verifier, const char *name) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        cleanup_free_ char *instance = NULL;
        int r = 0;

        /* A template is checked by an example instance. */
        if (unit_name_is_template(name))
                r = unit_name_replace_instance(name, VERIFY_INSTANCE, &instance);
        if (r == 0)
                r = unit_draft_read(verifier->loader, instance ? instance : name,
                                    unit_file_loader_has_type(verifier->loader, NULL, unit_name_type(name)), &draft);
        if (r < 0)
                return r;
        if (draft->load_state == UNIT_MASKED && draft->state->sources.fragment)
                verifier_say(verifier, UNIT_FILE_NOTE, draft->state->sources.fragment,
                             "The unit is masked: the file is empty.");
        if (draft->load_state == UNIT_NOT_FOUND)
                verifier_say(verifier, UNIT_FILE_ERROR, verifier->only, "There is no unit of this name.");
        if (draft->load_state != UNIT_LOADED && !draft->is_broken)
                return 0;
        for (size_t i = 0; i < draft->relations.n; i++) {
                verify_relation(draft, &draft->relations.items[i]);
                verify_contradiction(draft, &draft->relations.items[i]);
        }
        verify_accept(draft);
        r = verify_flow(draft);
        if (r == 0)
                r = verify_batch(draft);
        if (r < 0)
                return r;
        verify_stream(draft);
        verify_install(draft);
        verify_documentation(draft);
        if (!verifier->options->is_thorough)
                return 0;
        verify_mode(draft);
        verify_machine(draft);
        return verify_order(verifier, draft);
}

/* Removes the last part of @path and returns it; "." if nothing remains. */
static char *verify_cut(char *path) {
        char *slash;
        size_t n = strlen(path);

        while (n > 1 && path[n - 1] == '/')
                path[--n] = '\0';
        slash = strrchr(path, '/');
        if (!slash)
                return path;
        *slash = '\0';
        return slash + 1;
}

/* Splits the path of a unit file or drop-in into the folder to search and the unit's name. 1, or 0 if it is neither. */
static int verify_split(const char *path, char **ret_folder, char **ret_name) {
        cleanup_free_ char *copy = NULL;
        char *name;
        int r = text_format(&copy, "%s%s", path[0] == '/' ? "" : "./", path);

        if (r < 0)
                return r;
        name = verify_cut(copy);
        if (text_ends_with(name, ".conf")) {
                name = verify_cut(copy);
                if (text_ends_with(name, ".d"))
                        name[strlen(name) - 2] = '\0';
        }
        if (!unit_name_is_valid(name))
                return 0;
        *ret_name = strdup(name);
        *ret_folder = strdup(name == copy ? "." : *copy ? copy : "/");
        return *ret_name && *ret_folder ? 1 : -ENOMEM;
}

static void verifier_close(Verifier *verifier) {
        verifier->quiet = unit_file_loader_free(verifier->quiet);
        verifier->loader = unit_file_loader_free(verifier->loader);
}

/* @folder is put before the search path; NULL: none. */
static int verifier_open(Verifier *verifier, const char *folder) {
        cleanup_(strv_freep) char **search_path = NULL;
        UnitFileOptions options = *verifier->options;
        int r = folder ? strv_push(&search_path, folder) : 0;

        strv_foreach(other, verifier->options->search_path)
                if (r == 0)
                        r = strv_push(&search_path, *other);
        if (r < 0)
                return r;
        options.search_path = search_path;
        options.receiver = verifier_receive;
        if (options.find_mount)
                options.find_mount = verifier_find_mount;
        if (options.receive_graph)
                options.receive_graph = verifier_receive_graph;
        options.userdata = verifier;
        r = unit_file_loader_new(&verifier->loader, &options);
        if (r == 0)
                r = name_map_refresh(verifier->loader->names);
        return r < 0 ? r : 0;
}

static int verify_folder(Verifier *verifier, const char *path) {
        const NameEntry *entries;
        size_t n;
        int r = verifier_open(verifier, path);

        if (r < 0)
                return r;
        entries = name_map_entries(verifier->loader->names, &n);
        for (size_t i = 0; r == 0 && i < n; i++)
                if (entries[i].rank == 0 && entries[i].kind == NAME_FILE)
                        r = verify_unit(verifier, entries[i].name);
        return r;
}

static int verify_file(Verifier *verifier, const char *path) {
        cleanup_free_ char *folder = NULL, *name = NULL;
        int r = verify_split(path, &folder, &name);

        if (r == 0)
                verifier_say(verifier, UNIT_FILE_ERROR, path,
                             "This is not the name of a unit file, such as 'name.service'.");
        if (r > 0)
                r = verifier_open(verifier, folder);
        return r < 0 || !name ? r : verify_unit(verifier, name);
}

/* A path that does not exist: "foo@bar.service" where there is only foo@.service, or a name on the search path. */
static int verify_missing(Verifier *verifier, const char *path, int error) {
        cleanup_free_ char *folder = NULL, *name = NULL, *template = NULL, *file = NULL;
        int r = verify_split(path, &folder, &name);

        if (r <= 0)
                return r < 0 ? r : error;
        if (!strchr(path, '/')) {
                NameFound found = NAME_FOUND_NOTHING;

                r = verifier_open(verifier, NULL);
                if (r == 0)
                        r = find_other(verifier->loader, name, &found);
                if (r == 0 && found != NAME_FOUND_NOTHING)
                        return verify_unit(verifier, name);
                verifier_close(verifier);
        }
        if (r < 0 || !unit_name_is_instance(name))
                return r < 0 ? r : error;
        r = unit_name_template(name, &template);
        if (r == 0)
                r = text_join_path(folder, template, &file);
        if (r < 0 || access(file, F_OK) < 0)
                return r < 0 ? r : error;
        r = verifier_open(verifier, folder);
        return r < 0 ? r : verify_unit(verifier, name);
}

int unit_file_verify(const char *path, const UnitFileOptions *options) {
        Verifier verifier = { .options = options, .only = path };
        struct stat st;
        int r;

        assert(path);
        assert(options);

        if (stat(path, &st) < 0)
                r = errno == ENOENT ? verify_missing(&verifier, path, -ENOENT) : -errno;
        else
                r = S_ISDIR(st.st_mode) ? verify_folder(&verifier, path) : verify_file(&verifier, path);
        verifier_close(&verifier);
        return r < 0 ? r : verifier.n_errors;
}

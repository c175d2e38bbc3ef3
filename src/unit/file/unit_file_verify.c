/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checking unit files without a manager
 *
 * Beyond what reading them says: is there what a unit needs, and are there
 * the programs that it runs? The folder of the file comes first on the search
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
#include "unit/file/unit_file_loader.h"
#include "unit/unit_name.h"

/* Stands between the loader and who asked, and counts. */
typedef struct Verifier {
        const UnitFileOptions *options; /* borrowed */
        UnitFileLoader *loader;         /* owned */
        int n_errors;
} Verifier;

static void verifier_receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        Verifier *verifier = userdata;

        if (diagnostic->severity == UNIT_FILE_ERROR)
                verifier->n_errors++;
        if (verifier->options->receiver)
                verifier->options->receiver(verifier->options->userdata, diagnostic);
}

static void verifier_say(Verifier *verifier, const char *path, const char *message) {
        UnitFileDiagnostic diagnostic = { .severity = UNIT_FILE_ERROR, .file = path, .message = message };

        verifier_receive(verifier, &diagnostic);
}

static void verify_relation(const UnitDraft *draft, const DraftRelation *relation) {
        cleanup_(unit_sources_deinit) UnitSources other = {};
        bool is_needed = relation->kind == UNIT_REQUIRES || relation->kind == UNIT_REQUISITE ||
                         relation->kind == UNIT_BINDS_TO || relation->kind == UNIT_TRIGGERS;

        if (!is_needed && relation->kind != UNIT_WANTS && relation->kind != UNIT_UPHOLDS)
                return;
        if ((relation->implied && relation->kind != UNIT_TRIGGERS) || unit_sources_find(draft->loader->names, relation->name, &other) < 0)
                return;
        if (other.found == NAME_FOUND_NOTHING)
                unit_draft_report(draft, is_needed ? UNIT_FILE_ERROR : UNIT_FILE_WARNING, relation->file, relation->line,
                                  unit_relation_to_string(relation->kind), "Unit %s is not found%s.", relation->name,
                                  is_needed ? "; the unit could not be started" : "");
        else if (other.found == NAME_FOUND_MASK && is_needed)
                unit_draft_report(draft, UNIT_FILE_ERROR, relation->file, relation->line,
                                  unit_relation_to_string(relation->kind), "Unit %s is masked; the unit could not be "
                                  "started.", relation->name);
}

static bool verify_program_exists(const char *path) {
        static const char *const folders[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin",
                                               "/bin" };

        if (path[0] == '/')
                return access(path, X_OK) == 0;
        for (size_t i = 0; i < ELEMENTSOF(folders); i++) {
                cleanup_free_ char *full = NULL;

                if (text_format(&full, "%s/%s", folders[i], path) < 0 || access(full, X_OK) == 0)
                        return true;
        }
        return false;
}

static void verify_list(const UnitDraft *draft, const ExecCommand *command, ServiceExec exec) {
        for (; command; command = command->next)
                if (!strchr(command->path, '$') && !verify_program_exists(command->path))
                        unit_draft_report(draft, UNIT_FILE_WARNING, command->file, command->line,
                                          service_exec_to_string(exec), "There is no program %s on this machine.",
                                          command->path);
}

static void verify_commands(const UnitDraft *draft) {
        const ServiceSettings *service = unit_draft_service(draft);

        if (!service || draft->exec_rare.root_directory)
                return;
        for (ServiceExec exec = 0; exec < _SERVICE_EXEC_LIST_MAX; exec++)
                verify_list(draft, service->commands[exec], exec);
        for (size_t kind = 0; kind < _SERVICE_PROBE_KIND_MAX; kind++)
                verify_list(draft, service_settings_rare(service)->probes[kind].command,
                            (ServiceExec) (SERVICE_EXEC_READINESS + kind));
}

static int verify_unit(Verifier *verifier, const char *name) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        cleanup_free_ char *instance = NULL;
        int r = 0;

        /* A template is looked at by an instance of it. */
        if (unit_name_is_template(name))
                r = unit_name_replace_instance(name, "instance", &instance);
        if (r == 0)
                r = unit_draft_read(verifier->loader, instance ? instance : name,
                                    unit_file_loader_has_type(verifier->loader, NULL, unit_name_type(name)), &draft);
        if (r < 0)
                return r;
        for (size_t i = 0; i < draft->relations.n; i++)
                verify_relation(draft, &draft->relations.items[i]);
        verify_commands(draft);
        return 0;
}

/* Cuts the last part off @path and returns it; "." stays where nothing is left. */
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

/*
 * From the path of a unit file or of a drop-in: the folder that units are found in, and the unit's name. 1, or 0 if
 * it is neither.
 */
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

static int verifier_open(Verifier *verifier, const char *folder) {
        cleanup_(strv_freep) char **search_path = NULL;
        UnitFileOptions options = *verifier->options;
        int r = strv_push(&search_path, folder);

        strv_foreach(other, verifier->options->search_path)
                if (r == 0)
                        r = strv_push(&search_path, *other);
        if (r < 0)
                return r;
        options.search_path = search_path;
        options.receiver = verifier_receive;
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
                verifier_say(verifier, path, "This is not the name of a unit file, such as 'name.service'.");
        if (r > 0)
                r = verifier_open(verifier, folder);
        return r < 0 || !name ? r : verify_unit(verifier, name);
}

int unit_file_verify(const char *path, const UnitFileOptions *options) {
        Verifier verifier = { .options = options };
        struct stat st;
        int r;

        assert(path);
        assert(options);

        if (stat(path, &st) < 0)
                return -errno;
        r = S_ISDIR(st.st_mode) ? verify_folder(&verifier, path) : verify_file(&verifier, path);
        unit_file_loader_free(verifier.loader);
        return r < 0 ? r : verifier.n_errors;
}

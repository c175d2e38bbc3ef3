/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The units that "jobctl run" makes
 *
 * The program is looked up here, in the path of the caller, and sent as an
 * absolute path. Values of --property are sent unchanged: the manager parses
 * them by the rules of unit files.
 */

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/names.h"
#include "jobctl/run.h"
#include "unit/unit_name.h"

void run_plan_deinit(RunPlan *plan) {
        strv_free(plan->command);
        free(plan->unit);
        free(plan->trigger);
        free(plan->description);
        free(plan->terminal);
}

/* — the program — */

static bool is_program(const char *path) {
        struct stat st;

        return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static int find_on_path(const char *name, char **ret_path) {
        const char *folders = getenv("PATH") ?: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
        cleanup_(strv_freep) char **list = NULL;
        int r = strv_split(folders, ":", &list);

        strv_foreach(folder, list) {
                cleanup_free_ char *path = NULL;

                if (r < 0 || **folder != '/')
                        continue;
                r = text_join_path(*folder, name, &path);
                if (r >= 0 && is_program(path)) {
                        *ret_path = take_ptr(path);
                        return 0;
                }
        }
        return r < 0 ? r : -ENOENT;
}

/* Replaces the first word by the path of the program. */
static int find_program(Jobctl *ctl, char **command) {
        cleanup_free_ char *path = NULL;
        int r = -ENOENT;

        if (!strchr(command[0], '/'))
                r = find_on_path(command[0], &path);
        else {
                path = realpath(command[0], NULL);
                if (path && is_program(path) && command[0][0] == '/') {
                        /* The program is called by the given name, on which its behaviour may depend. */
                        free(path);
                        path = strdup(command[0]);
                        r = path ? 0 : -ENOMEM;
                } else if (path)
                        r = is_program(path) ? 0 : -EACCES;
                else
                        r = -errno;
        }
        if (r == -ENOMEM)
                return r;
        if (r < 0) {
                terminal_say(stderr, "Failed to find executable %s: %s.", command[0], strerror(-r));
                return EXIT_FAILED;
        }
        free(command[0]);
        command[0] = take_ptr(path);
        return 0;
}

/* — names — */

static int random_name(char **ret_name) {
        uint8_t bytes[16];
        char hex[2 * sizeof(bytes) + 1];
        cleanup_(text_deinit) Text text = {};

        if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t) sizeof(bytes))
                return -EIO;
        text_add(&text, "run-r");
        text_write_hex(hex, bytes, sizeof(bytes));
        text_add(&text, hex);
        return text_finish(&text, ret_name);
}

static const char *trigger_suffix(const RunOptions *options) {
        return options->timers ? ".timer" : options->path_properties ? ".path" : ".socket";
}

static int replace_suffix(const char *name, const char *suffix, char **ret_name) {
        const char *dot = strrchr(name, '.');

        return text_format(ret_name, "%.*s%s", (int) (dot - name), name, suffix);
}

static int name_units(Jobctl *ctl, RunPlan *plan) {
        const char *suffix = plan->options->scope ? ".scope" : ".service";
        cleanup_free_ char *wanted = NULL, *name = NULL;
        int r = plan->options->unit ? 0 : random_name(&wanted);

        if (r == 0)
                r = name_mangle(plan->options->unit ?: wanted, suffix, &name);
        if (r == -EINVAL || (r == 0 && (unit_name_is_template(name) || name_is_pattern(name))))
                return jobctl_misused(ctl, "'%s' cannot be the name of a unit.", plan->options->unit);
        if (r == 0)
                r = replace_suffix(name, suffix, &plan->unit);
        if (r == 0 && !text_equal(plan->unit, name) &&
            !(run_options_have_trigger(plan->options) && text_ends_with(name, trigger_suffix(plan->options))))
                return jobctl_misused(ctl, "'%s' is the name of another type of unit than '%s'.", name, plan->unit);
        if (r == 0 && run_options_have_trigger(plan->options))
                r = replace_suffix(name, trigger_suffix(plan->options), &plan->trigger);
        return r;
}

static int describe(RunPlan *plan) {
        const RunOptions *options = plan->options;
        int r;

        if (options->description || !plan->command)
                return text_format(&plan->description, "%s", options->description ?: plan->unit);
        r = strv_join(plan->command, " ", &plan->description);
        for (char *c = plan->description; r == 0 && *c; c++)
                if ((unsigned char) *c < ' ' || (*c == '\\' && !c[1]))
                        *c = ' ';
        return r;
}

int run_plan_make(Jobctl *ctl, const RunOptions *options, char *const *command, RunPlan *ret_plan) {
        int r = strv_copy(command, &ret_plan->command);

        ret_plan->options = options;
        if (r == 0 && ret_plan->command)
                r = find_program(ctl, ret_plan->command);
        if (r == 0)
                r = name_units(ctl, ret_plan);
        return r != 0 ? r : describe(ret_plan);
}

/* — properties — */

static int add(json_t *properties, const char *name, const char *signature, json_t *value /* taken over */) {
        if (!value)
                return -ENOMEM;
        return json_array_append_new(properties, json_pack("[s{so}]", name, signature, value)) < 0 ? -ENOMEM : 0;
}

static int add_text(json_t *properties, const char *name, const char *value) {
        return value ? add(properties, name, "s", json_string(value)) : 0;
}

static int add_truth(json_t *properties, const char *name, bool value) {
        return value ? add(properties, name, "b", json_true()) : 0;
}

static json_t *strings(char *const *list) {
        json_t *array = json_array();

        strv_foreach(item, list)
                if (array && json_array_append_new(array, json_string(*item)) < 0) {
                        json_decref(array);
                        return NULL;
                }
        return array;
}

static int add_assignments(Jobctl *ctl, json_t *properties, char *const *assignments) {
        int r = 0;

        strv_foreach(assignment, assignments) {
                const char *equals = strchr(*assignment, '=');
                cleanup_free_ char *name = equals ? strndup(*assignment, (size_t) (equals - *assignment)) : NULL;

                if (!equals || equals == *assignment)
                        return jobctl_misused(ctl, "'%s' is not an assignment, as in MemoryMax=1G.", *assignment);
                r = name ? add_text(properties, name, equals + 1) : -ENOMEM;
                if (r < 0)
                        return r;
        }
        return r;
}

/* The slice of @group, the path of the control group of jobctl: "a-b.slice" of "/a.slice/a-b.slice/x". */
static int slice_of_group(char *group, char **ret_slice) {
        char *found = NULL;

        for (char *part = strtok(group, "/\n"); part; part = strtok(NULL, "/\n"))
                if (text_ends_with(part, ".slice"))
                        found = part;
        *ret_slice = found ? strdup(found) : NULL;
        return found && !*ret_slice ? -ENOMEM : 0;
}

static int find_own_slice(char **ret_slice) {
        char line[PATH_MAX], *group = NULL;
        FILE *file = fopen("/proc/self/cgroup", "re");

        while (file && !group && fgets(line, sizeof(line), file))
                if (strncmp(line, "0::", 3) == 0)
                        group = line + 3;
        if (file)
                fclose(file);
        *ret_slice = NULL;
        return group ? slice_of_group(group, ret_slice) : 0;
}

static int add_slice(json_t *properties, const RunOptions *options) {
        cleanup_free_ char *own = NULL, *name = NULL, *whole = NULL;
        int r = options->slice_inherit ? find_own_slice(&own) : 0;

        if (r == 0 && options->slice)
                r = name_mangle(options->slice, ".slice", &name);
        if (r == 0 && own && name && !text_equal(own, "-.slice"))
                r = text_format(&whole, "%.*s-%s", (int) (strlen(own) - strlen(".slice")), own, name);
        return r < 0 ? r : add_text(properties, "Slice", whole ?: name ?: own);
}

/* The properties that all units have. */
static int make_common(Jobctl *ctl, const RunPlan *plan, json_t **ret_properties) {
        json_t *properties = *ret_properties = json_array();
        int r = properties ? add_text(properties, "Description", plan->description) : -ENOMEM;

        if (r == 0 && plan->options->collect)
                r = add_text(properties, "CollectMode", "inactive-or-failed");
        return r;
}

static int add_environment(Jobctl *ctl, json_t *properties, const RunPlan *plan) {
        cleanup_(strv_freep) char **variables = NULL;
        const char *term = getenv("TERM");
        int r = 0;

        strv_foreach(variable, plan->options->environment) {
                const char *value = strchr(*variable, '=') ? NULL : getenv(*variable);
                char *assignment;

                if (!strchr(*variable, '=') && !value)
                        continue;
                r = text_format(&assignment, "%s%s%s", *variable, value ? "=" : "", value ?: "");
                if (r == 0)
                        r = strv_consume(&variables, assignment);
                if (r < 0)
                        return r;
        }
        if (plan->terminal && term) {
                char *assignment;

                r = text_format(&assignment, "TERM=%s", term);
                if (r == 0)
                        r = strv_consume(&variables, assignment);
        }
        return r < 0 || !variables ? r : add(properties, "Environment", "as", strings(variables));
}

static int add_stdio(json_t *properties, const RunPlan *plan) {
        static const char *const streams[] = { "StandardInput", "StandardOutput", "StandardError" };
        int r = add_text(properties, "TTYPath", plan->terminal);

        for (int i = 0; i < (int) ELEMENTSOF(streams) && r == 0; i++) {
                cleanup_free_ char *name = NULL;

                if (plan->terminal)
                        r = add_text(properties, streams[i], "tty");
                else if (plan->options->pipe && text_format(&name, "%sFileDescriptor", streams[i]) == 0)
                        r = add(properties, name, "h", json_integer(i));
        }
        return r;
}

static int add_place(json_t *properties, const RunOptions *options) {
        cleanup_free_ char *here = NULL;

        if (!options->same_directory)
                return add_text(properties, "WorkingDirectory", options->working_directory);
        here = get_current_dir_name();
        return here ? add_text(properties, "WorkingDirectory", here) : -errno;
}

static int add_command(json_t *properties, char *const *command) {
        json_t *words = command ? strings(command) : NULL;

        if (!command)
                return 0;
        return words ? add(properties, "ExecStart", "a(sasb)", json_pack("[[sob]]", command[0], words, 0)) : -ENOMEM;
}

int run_plan_service(Jobctl *ctl, const RunPlan *plan, json_t **ret_properties) {
        const RunOptions *options = plan->options;
        json_t *properties;
        int r = make_common(ctl, plan, ret_properties);

        properties = *ret_properties;
        if (r == 0)
                r = add_truth(properties, "AddRef", options->wait);
        if (r == 0)
                r = add_slice(properties, options);
        if (r == 0)
                r = add_truth(properties, "SendSIGHUP", options->send_sighup);
        if (r == 0)
                r = add_truth(properties, "RemainAfterExit", options->remain_after_exit);
        if (r == 0)
                r = add_text(properties, "Type", options->service_type);
        if (r == 0)
                r = add_text(properties, "User", options->uid);
        if (r == 0)
                r = add_text(properties, "Group", options->gid);
        if (r == 0)
                r = add_text(properties, "Nice", options->nice);
        if (r == 0)
                r = add_place(properties, options);
        if (r == 0)
                r = add_stdio(properties, plan);
        if (r == 0)
                r = add_environment(ctl, properties, plan);
        if (r == 0)
                r = add_assignments(ctl, properties, options->properties);
        return r != 0 ? r : add_command(properties, plan->command);
}

int run_plan_scope(Jobctl *ctl, const RunPlan *plan, json_t **ret_properties) {
        json_t *properties;
        int r = make_common(ctl, plan, ret_properties);

        properties = *ret_properties;
        if (r == 0)
                r = add_slice(properties, plan->options);
        if (r == 0)
                r = add_truth(properties, "SendSIGHUP", plan->options->send_sighup);
        if (r == 0)
                r = add_assignments(ctl, properties, plan->options->properties);
        return r != 0 ? r : add(properties, "PIDs", "au", json_pack("[I]", (json_int_t) getpid()));
}

int run_plan_trigger(Jobctl *ctl, const RunPlan *plan, json_t **ret_properties) {
        const RunOptions *options = plan->options;
        json_t *properties;
        int r = make_common(ctl, plan, ret_properties);

        properties = *ret_properties;
        if (r == 0 && options->timers)
                r = add(properties, "RemainAfterElapse", "b", json_false());
        if (r == 0)
                r = add_assignments(ctl, properties, options->timers);
        if (r == 0)
                r = add_assignments(ctl, properties, options->timer_properties);
        if (r == 0)
                r = add_assignments(ctl, properties, options->path_properties);
        return r != 0 ? r : add_assignments(ctl, properties, options->socket_properties);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Executing a command within a scope
 *
 * The scope contains this process by now. The settings that a service gets by
 * its properties are applied here: user, folder, nice level, variables.
 */

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "basic/text.h"
#include "jobctl/run.h"

static int complain(const char *what, const char *which, int error) {
        terminal_say(stderr, "Failed to %s%s%s: %s.", what, which ? " " : "", which ?: "", strerror(error));
        return EXIT_FAILED;
}

static int become_group(const RunOptions *options) {
        const struct group *group = getgrnam(options->gid);
        uint32_t number = 0;

        if (group)
                number = group->gr_gid;
        else if (text_parse_u32(options->gid, &number) < 0)
                return complain("find group", options->gid, ESRCH);
        return setresgid(number, number, number) < 0 ? complain("become group", options->gid, errno) : 0;
}

static int become_user(const RunOptions *options) {
        uint32_t number = (uint32_t) -1;
        const struct passwd *user = getpwnam(options->uid);

        if (!user && text_parse_u32(options->uid, &number) == 0)
                user = getpwuid(number);
        if (!user)
                return complain("find user", options->uid, ESRCH);
        if (initgroups(user->pw_name, options->gid ? getgid() : user->pw_gid) < 0 ||
            (!options->gid && setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0) ||
            setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
                return complain("become user", options->uid, errno);
        setenv("USER", user->pw_name, true);
        setenv("LOGNAME", user->pw_name, true);
        setenv("HOME", user->pw_dir, true);
        setenv("SHELL", user->pw_shell, true);
        return 0;
}

static void set_variables(const RunOptions *options) {
        for (char *const *variable = options->environment; variable && *variable; variable++) {
                const char *equals = strchr(*variable, '=');
                cleanup_free_ char *name = equals ? strndup(*variable, (size_t) (equals - *variable)) : NULL;

                if (name)
                        setenv(name, equals + 1, true);
        }
}

/* Without control groups the manager recognizes the processes of the scope by this variable. */
static void set_invocation(Jobctl *ctl, const RunPlan *plan) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *id = NULL;

        if (jobctl_unit_property(ctl, plan->unit, "InvocationID", &id, &error) == 0 && json_is_string(id) &&
            *json_string_value(id))
                setenv("INVOCATION_ID", json_string_value(id), true);
}

int run_become(Jobctl *ctl, const RunPlan *plan) {
        const RunOptions *options = plan->options;
        int32_t nice_level = 0;
        int r = 0;

        set_invocation(ctl, plan);
        ctl->bus = bus_close(ctl->bus);
        if (options->nice && (text_parse_i32(options->nice, &nice_level) < 0 || nice_level < -20 || nice_level > 19))
                return jobctl_misused(ctl, "'%s' is not a nice level from -20 to 19.", options->nice);
        if (options->nice && setpriority(PRIO_PROCESS, 0, nice_level) < 0)
                return complain("set nice level", options->nice, errno);
        if (options->gid)
                r = become_group(options);
        if (r == 0 && options->uid)
                r = become_user(options);
        if (r == 0 && options->working_directory && chdir(options->working_directory) < 0)
                r = complain("change to", options->working_directory, errno);
        if (r != 0)
                return r;
        set_variables(options);
        sigaction(SIGPIPE, &plan->on_pipe, NULL);
        execv(plan->command[0], plan->command);
        return complain("execute", plan->command[0], errno);
}

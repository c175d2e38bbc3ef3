/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The main process of a service
 *
 * If the manager has started the main process, it is known. A forking daemon
 * names it in a PID file, or it is guessed: the only orphan in the control
 * group, or the only one with the invocation id. A file or message is not
 * trusted blindly, because the main process gets the manager's signals. The
 * process must be alive, and either belong to this invocation, or be named by
 * a file that only root (or the manager's user) can have written, or by a file
 * of the process's own user, who could signal it anyway.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/text.h"
#include "exec/exec_kill.h"
#include "exec/exec_process.h"
#include "types/service_pid.h"
#include "types/service_state.h"

static bool is_trusted_owner(uid_t uid) {
        return uid == 0 || uid == geteuid();
}

/*
 * Does another user own a symbolic link on the way? The owner of a folder could make it lead to any file that root has
 * written. 0 or -errno.
 */
static int check_links(const char *path) {
        cleanup_free_ char *part = strdup(path);
        char *slash = part;

        while (slash) {
                struct stat status;

                slash = strchr(slash + 1, '/');
                if (slash)
                        *slash = '\0';
                if (lstat(part, &status) < 0)
                        return -errno;
                if (S_ISLNK(status.st_mode) && !is_trusted_owner(status.st_uid))
                        return -ELOOP;
                if (slash)
                        *slash = '/';
        }
        return part ? 0 : -ENOMEM;
}

/* Most paths have no symbolic link, and RESOLVE_NO_SYMLINKS leaves no race. */
static int open_pid_file(const char *path, struct stat *ret_status) {
        struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, .resolve = RESOLVE_NO_SYMLINKS };
        int fd = (int) syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how)), r;

        if (fd < 0 && (errno == ELOOP || errno == ENOSYS)) {
                r = check_links(path);
                if (r < 0)
                        return r;
                fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        }
        if (fd < 0)
                return -errno;
        r = fstat(fd, ret_status) < 0 ? -errno : S_ISREG(ret_status->st_mode) ? 0 : -EINVAL;
        if (r < 0) {
                close(fd);
                return r;
        }
        return fd;
}

/* The number in the first line: 0, -EINVAL if there is none (yet), or -errno. */
static int read_pid_file(const char *path, pid_t *ret_pid, uid_t *ret_owner) {
        struct stat status;
        char buffer[64];
        uint32_t pid;
        ssize_t n;
        int fd;

        fd = open_pid_file(path, &status);
        if (fd < 0)
                return fd;
        n = read(fd, buffer, sizeof(buffer) - 1);
        if (n < 0)
                n = -errno;
        close(fd);
        if (n < 0)
                return (int) n;
        buffer[n] = '\0';
        buffer[strcspn(buffer, "\n")] = '\0';
        buffer[strcspn(buffer, " \t\r")] = '\0';
        if (text_parse_u32(buffer, &pid) < 0 || pid == 0 || pid > INT32_MAX)
                return -EINVAL;
        *ret_pid = (pid_t) pid;
        *ret_owner = status.st_uid;
        return 0;
}

/* Returns true if a file of @owner may name this process. */
static bool may_name(uid_t owner, pid_t pid) {
        uid_t uid;

        return is_trusted_owner(owner) || (exec_process_read_owner(pid, &uid) == 0 && uid == owner);
}

int service_check_main_pid(const Unit *unit, pid_t pid) {
        const Service *service = service_of(unit);
        UnitHost *host = unit_host(unit);

        if (pid <= 1 || pid == getpid() || pid == service->control.pid)
                return -EPERM;
        if (!exec_process_is_alive(pid))
                return -ESRCH;
        if (host->ops->unit_of && host->ops->unit_of(host, pid) == unit)
                return 1;
        if (exec_process_has_invocation(pid, unit->invocation_id))
                return 1;
        if (service->main.pid > 0 && exec_process_descends_from(pid, service->main.pid))
                return 1;
        return service->control.pid > 0 && exec_process_descends_from(pid, service->control.pid);
}

int service_set_main_pid(Unit *unit, pid_t pid) {
        Service *service = service_of(unit);
        UnitHost *host = unit_host(unit);
        pid_t old = service->main.pid;
        int r;

        if (pid == old)
                return 0;
        r = host->ops->watch_process(host, unit, UNIT_PURPOSE_MAIN, pid);
        if (r < 0)
                return r;
        if (old > 0)
                host->ops->unwatch_process(host, unit, UNIT_PURPOSE_MAIN, old);
        service->main.pid = pid;
        service->main.is_wanted = false;
        service->main.since = unit_now(unit);
        service->main_known = true;
        service->exec_main = (ServiceExitRecord) { .pid = pid, .start = unit_timestamp(unit) };
        return 1;
}

int service_load_pid_file(Unit *unit, bool may_warn) {
        const Service *service = service_of(unit);
        const char *path = service_settings(unit)->pid_file;
        uid_t owner = 0;
        pid_t pid = 0;
        int r;

        if (!path)
                return -ENOENT;
        r = read_pid_file(path, &pid, &owner);
        if (r == 0 && service->main_known && pid == service->main.pid)
                return 0;
        if (r == 0) {
                r = service_check_main_pid(unit, pid);
                if (r == 0 && !may_name(owner, pid))
                        r = -EPERM;
        }
        if (r < 0 && may_warn)
                unit_say(unit, LOG_LEVEL_NOTICE, "PID file %s is of no use yet: %s.", path,
                            r == -EPERM ? "it names a process that is not known to be of this unit" : strerror(-r));
        if (r < 0)
                return r;
        return service_set_main_pid(unit, pid);
}

void service_find_main_pid(Unit *unit) {
        pid_t pid, control = service_of(unit)->control.pid;
        UnitHost *host = unit_host(unit);

        pid = host->ops->guess_main ? host->ops->guess_main(host, unit, control) : 0;
        if (pid <= 0)
                pid = exec_guess_main(unit->invocation_id, control);
        if (pid > 0)
                (void) service_set_main_pid(unit, pid);
}

void service_guess_main_pid(Unit *unit) {
        if (!service_of(unit)->main_known && service_settings(unit)->guess_main_pid)
                service_find_main_pid(unit);
}

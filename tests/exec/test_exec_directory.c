/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories and credentials of a unit
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_rights.h"
#include "exec/exec_directory.h"
#include "exec_fixture.h"
#include "unit/exec_terms.h"

/* Mounts a /run and a /var/lib of the test. */
static void make_world(void) {
        cr_assert(mount("tmpfs", "/run", "tmpfs", 0, "mode=755") == 0);
        cr_assert(mount("tmpfs", "/var/lib", "tmpfs", 0, "mode=755") == 0);
}

TestSuite(exec_directory, .init = make_world);

static void expect(Fixture *fixture, ExecTerms *terms, const char *output) {
        fixture->request.terms = terms;
        fixture->request.unit = "test.service";
        cr_assert(eq(int, fixture_run(fixture), 0));
        assert_string(fixture_output(fixture), output);
}

static void run_as_nobody(Fixture *fixture) {
        fixture->request.user = "65534";
        fixture->request.group = "65534";
        cr_assert(chmod(fixture->folder, 0777) == 0);
}

Test(exec_directory, are_made_and_told_of) {
        need_users();

        char *runtime[] = { (char *) "one/two", (char *) "three", NULL }, *state[] = { (char *) "s", NULL };
        ExecTerms terms = { .directories = {
                [EXEC_DIRECTORY_RUNTIME] = { runtime, 0 },
                [EXEC_DIRECTORY_STATE] = { state, 0700 | EXEC_DIRECTORY_MODE_IS_SET } } };
        FIXTURE("echo $RUNTIME_DIRECTORY $STATE_DIRECTORY; stat -c '%a %u' /run/one /run/one/two /run/three /var/lib/s; "
                "touch /run/three/mine");

        run_as_nobody(&fixture);
        fixture.request.umask = 0077;
        expect(&fixture, &terms, "/run/one/two:/run/three /var/lib/s\n755 0\n755 65534\n755 65534\n700 65534");
        cr_assert(exec_directory_remove(&terms, EXEC_DIRECTORY_RUNTIME, false) == 0);
        cr_assert(access("/run/one", F_OK) == 0 && access("/run/one/two", F_OK) < 0 && access("/run/three", F_OK) < 0);
        cr_assert(access("/var/lib/s", F_OK) == 0);
}

Test(exec_directory, an_own_folder_is_made_anew_with_its_input) {
        FIXTURE("cat own/input; stat -c '%a %n' own own/*; touch own/more");

        fixture.request.working_directory = fixture.folder;
        fixture.request.own_folder = fixture_path(&fixture, "own");
        fixture.request.own_input = "some text\n";
        cr_assert(eq(int, mkdir(fixture.request.own_folder, 0755), 0));
        fixture_write(&fixture, "own/input", "older and longer text\n", 0644);
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "some text\n700 own\n444 own/input");
        fixture_fail(&fixture, EXEC_STEP_RUNTIME_DIRECTORY, ENOTEMPTY, "cannot set up");
        fixture.request.own_folder = "/run/missing/own";
        fixture_fail(&fixture, EXEC_STEP_RUNTIME_DIRECTORY, ENOENT, "/run/missing/own");
}

Test(exec_directory, an_own_folder_without_input_is_left_alone) {
        FIXTURE("ls own");

        fixture.request.working_directory = fixture.folder;
        fixture.request.own_folder = fixture_path(&fixture, "own");
        cr_assert(eq(int, mkdir(fixture.request.own_folder, 0755), 0));
        fixture_write(&fixture, "own/mine", "", 0644);
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "mine");
}

Test(exec_directory, what_is_in_it_gets_the_owner_too) {
        need_users();

        char *state[] = { (char *) "s", NULL };
        ExecTerms terms = { .directories = { [EXEC_DIRECTORY_STATE] = { state, 0 } } };
        struct stat status;
        FIXTURE("cd /var/lib/s; find . -printf '%p %U\\n' | sort");

        cr_assert(system("cd /var/lib && mkdir -p s/a/b/c s/d && touch s/f s/a/b/g && ln -s /etc/passwd s/link") == 0);
        run_as_nobody(&fixture);
        expect(&fixture, &terms, ". 65534\n./a 65534\n./a/b 65534\n./a/b/c 65534\n./a/b/g 65534\n./d 65534\n./f 65534\n"
                                 "./link 65534");
        cr_assert(stat("/etc/passwd", &status) == 0 && status.st_uid == 0, "the link's target is nobody's affair");
}

Test(exec_directory, many_entries_and_deep_trees) {
        need_users();

        char *state[] = { (char *) "s", NULL };
        ExecTerms terms = { .directories = { [EXEC_DIRECTORY_STATE] = { state, 0 } } };
        FIXTURE("find /var/lib/s ! -uid 65534 | wc -l; find /var/lib/s | wc -l");

        cr_assert(system("cd /var/lib && for d in 1 2 3 4 5 6 7 8 9; do mkdir -p s/$d/x/y/z && "
                         "(cd s/$d && seq 1000 1299 | xargs touch && cd x && seq 2000 2299 | xargs touch); done") == 0);
        run_as_nobody(&fixture);
        expect(&fixture, &terms, "0\n5437");
}

Test(exec_directory, a_symlink_of_the_user_is_not_followed) {
        need_users();

        char *state[] = { (char *) "mine/inner", NULL };
        ExecTerms terms = { .directories = { [EXEC_DIRECTORY_STATE] = { state, 0 } } };
        FIXTURE("");

        cr_assert(system("mkdir /run/precious /var/lib/mine && ln -s /run/precious /var/lib/mine/inner && "
                         "chown -h 65534 /var/lib/mine /var/lib/mine/inner") == 0);
        run_as_nobody(&fixture);
        fixture.request.terms = &terms;
        fixture_fail(&fixture, EXEC_STEP_STATE_DIRECTORY, ENOTDIR, "state directory: cannot set up mine/inner");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_STATE_DIRECTORY), 238));
        cr_assert(system("test $(stat -c %u /run/precious) = 0") == 0);
}

Test(exec_directory, a_symlink_of_the_administrator_is_followed) {
        need_users();

        char *state[] = { (char *) "moved", NULL };
        ExecTerms terms = { .directories = { [EXEC_DIRECTORY_STATE] = { state, 0 } } };
        FIXTURE("stat -c %u /run/elsewhere");

        cr_assert(system("mkdir /run/elsewhere && ln -s /run/elsewhere /var/lib/moved") == 0);
        run_as_nobody(&fixture);
        expect(&fixture, &terms, "65534");
}

Test(exec_directory, links_to_it) {
        char *runtime[] = { (char *) "real:sub/other", NULL };
        ExecTerms terms = { .directories = { [EXEC_DIRECTORY_RUNTIME] = { runtime, 0 } } };
        FIXTURE("readlink /run/sub/other; cd /run/sub/other && pwd -P");

        expect(&fixture, &terms, "../real\n/run/real");
        cr_assert(eq(int, fixture_run(&fixture), 0), "it may be there already");
        cr_assert(exec_directory_remove(&terms, EXEC_DIRECTORY_RUNTIME, false) == 0);
        cr_assert(access("/run/sub/other", F_OK) < 0 && access("/run/real", F_OK) < 0);
}

/* The place of a link may be a folder that does not belong to the unit: then the unit has failed. */
Test(exec_directory, only_links_are_removed_as_links) {
        char *runtime[] = { (char *) "linked:others", NULL };
        ExecTerms terms = { .directories = { [EXEC_DIRECTORY_RUNTIME] = { runtime, 0 } } };
        FIXTURE("");

        cr_assert(system("mkdir /run/others && touch /run/others/file") == 0);
        fixture.request.terms = &terms;
        fixture_fail(&fixture, EXEC_STEP_RUNTIME_DIRECTORY, EEXIST, "others");
        exec_directory_leave(&terms, "test.service", false);
        cr_assert(access("/run/linked", F_OK) < 0 && access("/run/others/file", F_OK) == 0);
        cr_assert(eq(int, exec_directory_remove_below("/run", "others", true), 0));
        cr_assert(access("/run/others/file", F_OK) == 0);
}

Test(exec_directory, removal_does_not_leave_it) {
        char *runtime[] = { (char *) "a/b", NULL };
        ExecTerms terms = { .directories = { [EXEC_DIRECTORY_RUNTIME] = { runtime, 0 } } };

        cr_assert(system("mkdir -p /run/keep/b /run/a/b/c/d && touch /run/keep/b/file /run/a/b/c/file && "
                         "ln -s /run/keep /run/a/b/c/link") == 0);
        cr_assert(exec_directory_remove(&terms, EXEC_DIRECTORY_RUNTIME, false) == 0);
        cr_assert(access("/run/a/b", F_OK) < 0 && access("/run/keep/b/file", F_OK) == 0);
        cr_assert(system("rm -r /run/a && ln -s /run/keep /run/a") == 0);
        cr_assert(exec_directory_remove(&terms, EXEC_DIRECTORY_RUNTIME, false) < 0, "a folder on the way is a symlink");
        cr_assert(access("/run/keep/b/file", F_OK) == 0);
}

static void make_deep(const char *path, unsigned depth) {
        int at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        for (unsigned i = 0; i < depth; i++) {
                int next, file;

                cr_assert(mkdirat(at, "deeper", 0755) == 0);
                next = openat(at, "deeper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
                file = openat(next, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
                cr_assert(next >= 0 && file >= 0);
                close(file);
                close(at);
                at = next;
        }
        close(at);
}

/* Waits for the processes that remove folders that were moved aside. */
static void wait_for_others(void) {
        while (waitpid(-1, NULL, 0) > 0)
                continue;
        cr_assert(eq(int, errno, ECHILD));
}

static bool is_empty(const char *path) {
        cleanup_free_ char *command = NULL;

        cr_assert(text_format(&command, "test -z \"$(ls -A %s)\"", path) == 0);
        return system(command) == 0;
}

Test(exec_directory, what_is_much_is_gone_at_once_and_removed_aside) {
        char *runtime[] = { (char *) "deep", (char *) "in/wide", (char *) "little", NULL };
        ExecTerms terms = { .directories = { [EXEC_DIRECTORY_RUNTIME] = { runtime, 0 } } };

        cr_assert(system("mkdir -p /run/deep /run/in/wide/x /run/little/x && touch /run/little/x/file && cd /run/in/wide && "
                         "touch $(seq 1000) && cd x && touch $(seq 1000)") == 0);
        make_deep("/run/deep", 1000);
        cr_assert(eq(int, exec_directory_remove(&terms, EXEC_DIRECTORY_RUNTIME, false), 0));
        cr_assert(access("/run/deep", F_OK) < 0 && access("/run/in/wide", F_OK) < 0 && access("/run/little", F_OK) < 0);
        wait_for_others();
        cr_assert(is_empty("/run/jobd/removed"));
}

Test(exec_directory, what_a_manager_has_left_aside_the_next_one_removes) {
        cr_assert(system("mkdir -p /run/jobd/removed/unit-1-1/x/y && touch /run/jobd/removed/unit-1-1/x/y/file") == 0);
        exec_directory_set_user(false);
        wait_for_others();
        cr_assert(is_empty("/run/jobd/removed"));
        exec_directory_set_user(false);
        cr_assert(waitpid(-1, NULL, 0) < 0, "there is nothing to do");
}

Test(exec_directory, what_is_mounted_in_it_stays) {
        char *runtime[] = { (char *) "few", (char *) "many", NULL };
        ExecTerms terms = { .directories = { [EXEC_DIRECTORY_RUNTIME] = { runtime, 0 } } };

        cr_assert(system("mkdir -p /run/keep/x /run/few/b/mount /run/many/b/mount && touch /run/keep/x/file /run/few/a && "
                         "cd /run/many && touch $(seq 1000)") == 0);
        cr_assert(mount("/run/keep", "/run/few/b/mount", NULL, MS_BIND, NULL) == 0);
        cr_assert(mount("/run/keep", "/run/many/b/mount", NULL, MS_BIND, NULL) == 0);
        cr_assert(exec_directory_remove(&terms, EXEC_DIRECTORY_RUNTIME, false) < 0);
        wait_for_others();
        cr_assert(access("/run/keep/x/file", F_OK) == 0);
        cr_assert(access("/run/few/a", F_OK) < 0 && access("/run/few/b/mount/x/file", F_OK) == 0 &&
                  access("/run/many", F_OK) < 0);
        cr_assert(exec_directory_remove_below("/run", "few", false) < 0);
        cr_assert(access("/run/keep/x/file", F_OK) == 0);
}

/* The process of the test removes the tree itself. */
Test(exec_directory, depth_is_no_matter) {
        cr_assert(mkdir("/run/deep", 0755) == 0);
        make_deep("/run/deep", 1000);
        cr_assert(eq(int, exec_directory_remove_below("/run", "deep", false), 0));
        cr_assert(access("/run/deep", F_OK) < 0);
}

Test(exec_directory, configuration_that_is_there_keeps_its_owner) {
        need_users();

        char *names[] = { (char *) "test-configuration", NULL };
        ExecTerms terms = { .directories = { [EXEC_DIRECTORY_CONFIGURATION] = { names, 0 } } };
        FIXTURE("stat -c '%u %a' /etc/test-configuration; echo $CONFIGURATION_DIRECTORY");

        cr_assert(mount("tmpfs", "/etc", "tmpfs", 0, "mode=755") == 0);
        cr_assert(mkdir("/etc/test-configuration", 0711) == 0);
        run_as_nobody(&fixture);
        expect(&fixture, &terms, "0 711\n/etc/test-configuration");
        cr_assert(umount2("/etc", MNT_DETACH) == 0, "the tests share it");
}

Test(exec_directory, credentials) {
        need_users();

        char *load[] = { NULL, (char *) "gone:nowhere", NULL }, *set[] = { (char *) "text:hello\n", (char *) "file:never", NULL };
        ExecTerms terms = { .load_credentials = load, .set_credentials = set };
        char entry[128];
        FIXTURE("echo $CREDENTIALS_DIRECTORY; cd $CREDENTIALS_DIRECTORY; ls; cat text file; stat -c '%a %u' . text");

        fixture_write(&fixture, "secret", "from a file\n", 0600);
        snprintf(entry, sizeof(entry), "file:%s", fixture_path(&fixture, "secret"));
        load[0] = entry;
        run_as_nobody(&fixture);
        expect(&fixture, &terms, "/run/credentials/test.service\nfile\ntext\nhello\nfrom a file\n500 65534\n400 65534");
        exec_directory_leave(&terms, "test.service", false);
        cr_assert(access("/run/credentials/test.service", F_OK) < 0);
}

Test(exec_directory, credentials_of_files_without_a_size_and_of_missing_ones) {
        need_users();

        char *load[] = { (char *) "version:/proc/version", (char *) "text:/no/such/file", NULL };
        char *set[] = { (char *) "text:instead", NULL };
        ExecTerms terms = { .load_credentials = load, .set_credentials = set };
        FIXTURE("cd $CREDENTIALS_DIRECTORY && cmp version /proc/version && cat text");

        run_as_nobody(&fixture);
        expect(&fixture, &terms, "instead");
        exec_directory_leave(&terms, "test.service", false);
}

Test(exec_directory, a_credential_that_is_no_file_leaves_nothing) {
        char *load[] = { (char *) "version:/proc/version", (char *) "null:/dev/null", NULL };
        ExecTerms terms = { .load_credentials = load };
        FIXTURE("");

        fixture.request.terms = &terms;
        fixture.request.unit = "test.service";
        fixture_fail(&fixture, EXEC_STEP_CREDENTIALS, EBADF, "credentials: /dev/null is no regular file");
        cr_assert(access("/run/credentials/.#test.service", F_OK) < 0);
}

Test(exec_directory, a_credential_that_is_not_there) {
        char *load[] = { (char *) "name:/no/such/file", NULL };
        ExecTerms terms = { .load_credentials = load };
        FIXTURE("");

        fixture.request.terms = &terms;
        fixture.request.unit = "test.service";
        fixture_fail(&fixture, EXEC_STEP_CREDENTIALS, ENOENT, "credentials: cannot read /no/such/file");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_CREDENTIALS), 243));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A shell script in a sandbox
 */

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "sandbox_trial.h"

void trial_init(Trial *trial, const char *script) {
        trial->settings = (SandboxSettings) {};
        fixture_init(&trial->fixture, script);
        cr_assert(eq(int, sandbox_shared_new("trial.service", &trial->shared), 0));
        trial->fixture.request.sandbox = &trial->settings;
        trial->fixture.request.shared = trial->shared;
}

void trial_deinit(Trial *trial) {
        sandbox_shared_unref(trial->shared);
        sandbox_settings_deinit(&trial->settings);
        fixture_deinit(&trial->fixture);
}

void trial_add(Trial *trial, SandboxPathKind kind, const char *path) {
        const SandboxPath row = { .kind = kind, .path = (char *) path };

        cr_assert(eq(int, sandbox_settings_add_path(&trial->settings, &row), 0));
}

void trial_add_bind(Trial *trial, SandboxPathKind kind, const char *source, const char *path) {
        const SandboxPath row = { .kind = kind, .path = (char *) path, .source = (char *) source };

        cr_assert(eq(int, sandbox_settings_add_path(&trial->settings, &row), 0));
}

void trial_expect(Trial *trial, const char *output) {
        cr_assert(eq(int, fixture_run(&trial->fixture), 0), "%s", fixture_output(&trial->fixture));
        assert_string(fixture_output(&trial->fixture), output);
}

void trial_make_world(void) {
        static const char *const folders[] = { "/srv", "/opt", "/mnt", "/root", "/run" };

        cr_assert(eq(int, unshare(CLONE_NEWNS), 0));
        for (size_t i = 0; i < ELEMENTSOF(folders); i++)
                cr_assert(eq(int, mount("tmpfs", folders[i], "tmpfs", 0, "mode=0755"), 0));
}

void trial_need_root(void) {
        if (access("/usr", W_OK) < 0)
                cr_skip_test("only root of the machine sees a difference");
}

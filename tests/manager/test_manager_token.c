/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Requests that can be made again
 */

#include <stdio.h>
#include <string.h>

#include "manager_world.h"

/* Starts @unit under the token; returns the transaction. */
static uint64_t start(World *world, const char *token, uid_t uid, const char *unit) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        const JobRequest request = { .unit = unit, .type = JOB_START };

        cr_assert(eq(int, manager_exec(world->manager, &request, 1, JOB_REPLACE, NULL, &plan), JOB_MANAGER_E_SUCCESS));
        cr_assert(eq(int, manager_tokens_add(&world->manager->tokens, token, uid, 77, plan,
                                             manager_now(world->manager)), 0));
        return plan->transaction;
}

/* A plan of @n anchors, as if it had been carried out. */
static JobPlan *new_plan(size_t n) {
        JobPlan *plan = calloc(1, sizeof(*plan));

        plan->transaction = n;
        for (size_t i = 0; i < n; i++)
                cr_assert(eq(int, vector_push(&plan->jobs, ((JobPlanJob) {
                        .unit = strdup("a.service"), .id = (uint32_t) i + 1, .is_anchor = true })), 0));
        return plan;
}

static void add(World *world, unsigned number, const JobPlan *plan) {
        char name[32];

        snprintf(name, sizeof(name), "token-%u", number);
        cr_assert(eq(int, manager_tokens_add(&world->manager->tokens, name, 0, 0, plan, manager_now(world->manager)),
                     0));
}

static bool is_known(World *world, unsigned number) {
        char name[32];

        snprintf(name, sizeof(name), "token-%u", number);
        return manager_tokens_find(&world->manager->tokens, name, 0, manager_now(world->manager)) != NULL;
}

Test(manager_token, what_is_one) {
        char longest[MANAGER_TOKEN_LENGTH_MAX + 2];

        memset(longest, 'x', sizeof(longest));
        longest[MANAGER_TOKEN_LENGTH_MAX + 1] = '\0';
        cr_assert(not(manager_token_is_valid(longest)));
        longest[MANAGER_TOKEN_LENGTH_MAX] = '\0';
        cr_assert(manager_token_is_valid(longest));
        cr_assert(manager_token_is_valid("~!0aZ"));
        cr_assert(not(manager_token_is_valid("")));
        cr_assert(not(manager_token_is_valid("two words")));
        cr_assert(not(manager_token_is_valid("a\n")));
        cr_assert(not(manager_token_is_valid("\xc3\xa9")));
        cr_assert(not(manager_token_is_valid("a\x7f")));
}

Test(manager_token, names_what_was_done) {
        cleanup_(world_freep) World *world = world_new();
        const ManagerToken *token;
        uint64_t transaction;

        world_fake_services(world);
        world_write(world, "a.service", "[Unit]\nRequires=b.service c.service\n[Service]\nExecStart=/bin/true\n");
        world_write(world, "b.service", "[Service]\nExecStart=/bin/true\n");
        world_write(world, "c.service", "[Service]\nExecStart=/bin/true\n");
        transaction = start(world, "one", 1000, "a.service");
        token = manager_tokens_find(&world->manager->tokens, "one", 1000, manager_now(world->manager));
        cr_assert(ne(ptr, (void *) token, NULL));
        cr_expect(eq(u64, token->transaction, transaction));
        cr_expect(eq(u64, token->request, 77));
        cr_assert(eq(sz, token->anchors.n, 1));
        assert_string(token->anchors.items[0].unit, "a.service");
        cr_expect(eq(int, (int) token->anchors.items[0].type, JOB_START));
        cr_assert(eq(sz, token->others.n, 1), "the ids of what was pulled in follow each other");
        cr_expect(eq(u32, token->others.items[0].n, 2));
        cr_expect(eq(ptr, (void *) manager_tokens_find(&world->manager->tokens, "one", 1001,
                                                       manager_now(world->manager)), NULL), "that of another user");
        cr_expect(eq(ptr, (void *) manager_tokens_find(&world->manager->tokens, "two", 1000,
                                                       manager_now(world->manager)), NULL));
}

Test(manager_token, the_last_thousand_are_known) {
        cleanup_(world_freep) World *world = world_new();
        cleanup_(job_plan_freep) JobPlan *plan = new_plan(1);

        for (unsigned i = 0; i < MANAGER_TOKENS_MAX; i++)
                add(world, i, plan);
        cr_expect(is_known(world, 0));
        for (unsigned i = 0; i < 3; i++)
                add(world, MANAGER_TOKENS_MAX + i, plan);
        for (unsigned i = 0; i < MANAGER_TOKENS_MAX + 3; i++)
                cr_assert(eq(int, is_known(world, i), i >= 3), "%u", i);
}

Test(manager_token, for_ten_minutes) {
        cleanup_(world_freep) World *world = world_new();
        cleanup_(job_plan_freep) JobPlan *plan = new_plan(1);

        add(world, 0, plan);
        world->manager->turn.now += MANAGER_TOKEN_KEPT / 2;
        add(world, 1, plan);
        cr_expect(is_known(world, 0));
        world->manager->turn.now += MANAGER_TOKEN_KEPT / 2;
        cr_expect(not(is_known(world, 0)));
        cr_expect(is_known(world, 1));
        cr_expect(eq(sz, world->manager->tokens.n_jobs, 1));
}

Test(manager_token, very_large_ones_push_others_out) {
        cleanup_(world_freep) World *world = world_new();
        cleanup_(job_plan_freep) JobPlan *small = new_plan(1), *half = new_plan(MANAGER_TOKEN_JOBS_MAX / 2);
        cleanup_(job_plan_freep) JobPlan *beyond = new_plan(MANAGER_TOKEN_JOBS_MAX + 1);

        add(world, 0, half);
        add(world, 1, small);
        add(world, 2, half);
        cr_expect(not(is_known(world, 0)));
        cr_expect(is_known(world, 1));
        cr_expect(is_known(world, 2));
        add(world, 3, beyond);
        cr_expect(not(is_known(world, 2)));
        cr_expect(is_known(world, 3));
        add(world, 4, small);
        cr_expect(not(is_known(world, 3)));
        cr_expect(is_known(world, 4));
}

Test(manager_token, a_successor_knows_them) {
        cleanup_(world_freep) World *world = world_new();
        cleanup_(job_plan_freep) JobPlan *plan = new_plan(3);
        const ManagerToken *token;
        uint64_t transaction;

        world_write(world, "a.service", "[Unit]\nRequires=b.service\n[Service]\nExecStart=/bin/sleep 1000\n");
        world_write(world, "b.service", "[Service]\nExecStart=/bin/sleep 1000\n");
        for (unsigned i = 0; i < MANAGER_TOKENS_MAX; i++)
                add(world, i, plan);
        transaction = start(world, "one", 1000, "a.service");
        world_settle(world);
        world_restart(world);
        token = manager_tokens_find(&world->manager->tokens, "one", 1000, manager_now(world->manager));
        cr_assert(ne(ptr, (void *) token, NULL));
        cr_expect(eq(u64, token->transaction, transaction));
        cr_expect(eq(u64, token->request, 77));
        cr_assert(eq(sz, token->anchors.n, 1));
        assert_string(token->anchors.items[0].unit, "a.service");
        cr_assert(eq(sz, token->others.n, 1));
        cr_expect(not(is_known(world, 0)));
        for (unsigned i = 1; i < MANAGER_TOKENS_MAX; i++)
                cr_assert(is_known(world, i), "%u", i);
        cr_expect(eq(sz, world->manager->tokens.n_jobs, 3 * (MANAGER_TOKENS_MAX - 1) + 2));
        add(world, MANAGER_TOKENS_MAX, plan);
        cr_expect(not(is_known(world, 1)));
        world_settle(world);
        world_restart(world);
        cr_expect(not(is_known(world, 1)));
        cr_expect(is_known(world, 2));
        cr_expect(is_known(world, MANAGER_TOKENS_MAX));
}

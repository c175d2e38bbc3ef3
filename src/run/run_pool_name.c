/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The names that claims are for: locks of runs, locks of nodes, resources
 *
 * A lock exists as long as a claim names it; a resource since it has a total.
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "basic/text.h"
#include "run/run_pool_private.h"

int run_pool_new(RunPool **ret_pool) {
        RunPool *pool = calloc(1, sizeof(*pool));

        if (!pool)
                return -ENOMEM;
        pool->has_ageing = true;
        pool->nothing = (PoolName) { .pool = pool, .kind = POOL_NOTHING };
        *ret_pool = pool;
        return 0;
}

void pool_untouch(PoolName *name) {
        PoolName **slot = &name->pool->touched;

        if (!name->is_touched)
                return;
        while (*slot != name)
                slot = &(*slot)->next_touched;
        *slot = name->next_touched;
        name->is_touched = false;
}

static void free_name(PoolName *name) {
        free(name->name);
        free(name);
}

void pool_name_unref(PoolName *name) {
        RunPool *pool = name->pool;
        PoolName *last;

        if (name == &pool->nothing || --name->n_refs > 0)
                return;
        pool_untouch(name);
        (void) index_table_remove(&pool->by_name, index_table_hash(name->name), name->place);
        last = vector_pop(&pool->names);
        if (last != name) {
                (void) index_table_remove(&pool->by_name, index_table_hash(last->name), last->place);
                last->place = name->place;
                pool->names.items[last->place] = last;
                /* Room was made for all names. */
                (void) index_table_put(&pool->by_name, index_table_hash(last->name), last->place);
        }
        free_name(name);
}

RunPool *run_pool_free(RunPool *pool) {
        if (!pool)
                return NULL;
        assert(pool->n_claims == 0);
        for (size_t i = 0; i < pool->names.n; i++)
                free_name(pool->names.items[i]);
        vector_deinit(&pool->names);
        index_table_deinit(&pool->by_name);
        free(pool);
        return NULL;
}

static PoolName *find_name(const RunPool *pool, PoolKind kind, const char *name) {
        uint32_t index;

        for (size_t probe = 0; index_table_next(&pool->by_name, index_table_hash(name), &probe, &index);)
                if (pool->names.items[index]->kind == kind && strcmp(pool->names.items[index]->name, name) == 0)
                        return pool->names.items[index];
        return NULL;
}

int pool_name_take(RunPool *pool, PoolKind kind, const char *text, PoolName **ret_name) {
        PoolName *name = find_name(pool, kind, text);
        int r;

        if (name) {
                name->n_refs++;
                *ret_name = name;
                return 0;
        }
        r = vector_reserve(&pool->names, 1);
        if (r == 0)
                r = index_table_reserve(&pool->by_name, 1);
        if (r < 0)
                return r;
        name = calloc(1, sizeof(*name));
        if (!name)
                return -ENOMEM;
        *name = (PoolName) { .pool = pool, .kind = kind, .n_refs = 1, .limit = UINT32_MAX };
        r = text_copy(text, &name->name);
        if (r < 0) {
                free(name);
                return r;
        }
        name->place = (uint32_t) pool->names.n;
        pool->names.items[pool->names.n++] = name;
        (void) index_table_put(&pool->by_name, index_table_hash(text), name->place);
        *ret_name = name;
        return 0;
}

void pool_touch(PoolName *name) {
        if (name->is_touched || name->n_waiting == 0)
                return;
        name->is_touched = true;
        name->next_touched = name->pool->touched;
        name->pool->touched = name;
}

void pool_touch_all(RunPool *pool) {
        for (size_t i = 0; i < pool->names.n; i++)
                pool_touch(pool->names.items[i]);
        pool_touch(&pool->nothing);
}

void run_pool_set_ageing(RunPool *pool, bool is_on) {
        pool->has_ageing = is_on;
        pool_touch_all(pool);
}

int run_pool_set_resource(RunPool *pool, const char *text, uint64_t total) {
        PoolName *name;
        int r;

        if (total > RUN_AMOUNT_MAX)
                return -ERANGE;
        r = pool_name_take(pool, POOL_RESOURCE, text, &name);
        if (r < 0)
                return r;
        name->n_refs -= name->has_total;
        name->has_total = true;
        name->total = total;
        pool_touch_all(pool);
        return 0;
}

uint64_t run_pool_fence(const RunPool *pool) {
        return pool->fence;
}

void run_pool_set_fence(RunPool *pool, uint64_t fence) {
        pool->fence = MAX(pool->fence, fence);
}

/* — what can be had — */

static int refuse(int code, char **ret_problem, const char *format, ...) printf_(3, 4);

static int refuse(int code, char **ret_problem, const char *format, ...) {
        va_list args;
        int r = 0;

        if (!ret_problem)
                return code;
        va_start(args, format);
        r = text_vformat(ret_problem, format, args);
        va_end(args);
        return r < 0 ? r : code;
}

static int check_lock(const RunDemand *demand, size_t at, char **ret_problem) {
        const RunDemandLock *lock = &demand->locks[at];

        if (lock->slots == 0)
                return refuse(-EINVAL, ret_problem, "The lock '%s' has no slot.", lock->name);
        for (size_t i = 0; i < at; i++)
                if (strcmp(demand->locks[i].name, lock->name) == 0)
                        return refuse(-EINVAL, ret_problem, "The lock '%s' is named twice.", lock->name);
        return 0;
}

static int check_need(const RunPool *pool, const RunDemand *demand, size_t at, char **ret_problem) {
        const RunDemandNeed *need = &demand->needs[at];
        const PoolName *name = find_name(pool, POOL_RESOURCE, need->name);

        if (need->amount == 0)
                return refuse(-EINVAL, ret_problem, "Nothing is wanted of the resource '%s'.", need->name);
        for (size_t i = 0; i < at; i++)
                if (strcmp(demand->needs[i].name, need->name) == 0)
                        return refuse(-EINVAL, ret_problem, "The resource '%s' is named twice.", need->name);
        if (!name || !name->has_total)
                return refuse(-ENOENT, ret_problem, "There is no resource '%s'.", need->name);
        if (need->amount > name->total)
                return refuse(-ERANGE, ret_problem,
                              "%" PRIu64 " of the resource '%s' are wanted, and there are %" PRIu64 " in all.",
                              need->amount, need->name, name->total);
        return 0;
}

int run_pool_check(const RunPool *pool, const RunDemand *demand, char **ret_problem) {
        int r = 0;

        for (size_t i = 0; i < demand->n_locks && r == 0; i++)
                r = check_lock(demand, i, ret_problem);
        for (size_t i = 0; i < demand->n_needs && r == 0; i++)
                r = check_need(pool, demand, i, ret_problem);
        return r;
}

PoolLoad pool_load(const PoolName *name) {
        return (PoolLoad) { .n = name->used, .limit = name->limit };
}

void pool_load_add(PoolLoad *load, const PoolLink *link) {
        if (__builtin_add_overflow(load->n, link->amount, &load->n))
                load->n = UINT64_MAX;
        if (link->name->kind != POOL_RESOURCE)
                load->limit = MIN(load->limit, link->slots);
}

bool pool_load_fits(const PoolLoad *load, const PoolLink *link) {
        const PoolName *name = link->name;

        if (name->kind == POOL_NOTHING)
                return true;
        if (name->kind == POOL_RESOURCE)
                return load->n <= name->total && link->amount <= name->total - load->n;
        return load->n < MIN(load->limit, link->slots);
}

bool pool_load_is_full(const PoolLoad *load, const PoolName *name) {
        if (name->kind == POOL_NOTHING)
                return false;
        return load->n >= (name->kind == POOL_RESOURCE ? name->total : load->limit);
}

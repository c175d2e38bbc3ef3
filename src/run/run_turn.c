/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Counters of the instances of nodes with Foreach=
 *
 * Counts move with the states of instances; what follows from them is done when
 * the run is settled (run_item.c).
 */

#include <errno.h>

#include "run/run_private.h"

RunItems *run_items_find(const Run *run, uint32_t node) {
        uint32_t low = 0, high = run->n_items;

        while (low < high) {
                const uint32_t middle = low + (high - low) / 2;

                if (run->items[middle].node == node)
                        return &run->items[middle];
                if (run->items[middle].node < node)
                        low = middle + 1;
                else
                        high = middle;
        }
        return NULL;
}

int run_items_init(Run *run) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < run->n; i++)
                n += run_graph_policy(run->graph, i)->is_foreach;
        if (n == 0)
                return 0;
        run->items = calloc(n, sizeof(*run->items));
        if (!run->items)
                return -ENOMEM;
        for (uint32_t i = 0; i < run->n; i++)
                if (run_graph_policy(run->graph, i)->is_foreach)
                        run->items[run->n_items++].node = i;
        return 0;
}

/* — turns: ForeachParallel= — */

bool run_item_has_turn(const Run *run, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);

        return !policy->is_item || policy->foreach_parallel == 0 || run->nodes[node].has_turn;
}

void run_item_take_turn(Run *run, uint32_t node, RunNodeState from, bool keeps_lock) {
        const uint32_t limit = run_graph_policy(run->graph, node)->foreach_parallel;
        RunNode *entry = &run->nodes[node];
        RunItems *items;
        uint32_t item;

        if (limit == 0)
                return;
        items = run_items_find(run, run_graph_item_of(run->graph, node, &item));
        if (from == RUN_NODE_READY && !entry->has_turn && items->n_waiting > 0) {
                items->n_waiting--;
                run->n_waiting_turns--;
        }
        /*
         * One that keeps a lock keeps its turn: others would wait for the lock with it, and the one with the lock for
         * them. While a run is given back, those that run may come later: what waits has its turn after them.
         */
        if (run_node_is_live(entry) || keeps_lock ||
            (entry->state == RUN_NODE_READY &&
             (entry->has_turn || (items->n_turns < limit && !run->is_being_restored)))) {
                items->n_turns += !entry->has_turn;
                entry->has_turn = true;
                return;
        }
        items->n_turns -= entry->has_turn;
        entry->has_turn = false;
        if (entry->state != RUN_NODE_READY)
                return;
        items->n_waiting++;
        run->n_waiting_turns++;
        items->next = MIN(items->next, item);
}

/* — ends — */

bool run_item_is_untouched(const Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];

        return entry->state == RUN_NODE_READY && entry->number == 0 && entry->earlier == 0 &&
               run_graph_policy(run->graph, node)->is_item && !run_graph_dates_wait(run->graph, node);
}

bool run_items_repair(Run *run, RunItems *items) {
        const uint32_t n = run_graph_count_items(run->graph, items->node);
        uint32_t n_open = 0;

        if (!run_node_is_split(run, items->node))
                return false;
        for (uint32_t i = 0; i < n; i++) {
                const uint32_t instance = run_graph_find_item(run->graph, items->node, i);

                n_open += instance != RUN_NODE_NONE && !run_node_state_is_terminal(run->nodes[instance].state);
        }
        if (n_open == items->n_open && n_open > 0)
                return false;
        items->n_open = n_open;
        run->may_complete = true;
        return true;
}

void run_item_changed(Run *run, uint32_t node, RunNodeState from) {
        const bool was_open = !run_node_state_is_terminal(from);
        const bool is_open = !run_node_state_is_terminal(run->nodes[node].state);
        RunItems *items;
        uint32_t item;

        if (was_open == is_open || run->is_being_restored)
                return;
        items = run_items_find(run, run_graph_item_of(run->graph, node, &item));
        items->n_open += is_open ? 1 : UINT32_MAX;
        run->may_complete = run->may_complete || items->n_open == 0;
}

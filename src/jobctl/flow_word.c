/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * flow, batch: their verbs share what carries them out
 *
 * The first word says which units are meant: names get its suffix, and runs of
 * units of the other type are pointed to the other word. Runs of batches are
 * runs, so flow takes them, too, by their numbers, and batches by whole names.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/text.h"
#include "jobctl/flow_run.h"
#include "jobctl/names.h"
#include "jobctl/verb_table.h"

bool flow_is_batch(const Jobctl *ctl) {
        return ctl->verb && text_equal(ctl->verb->name, "batch");
}

const char *flow_word(const Jobctl *ctl) {
        return flow_is_batch(ctl) ? "batch" : "flow";
}

const char *flow_suffix(const Jobctl *ctl) {
        return flow_is_batch(ctl) ? ".batch" : ".flow";
}

bool flow_unit_is_batch(const char *unit) {
        return text_ends_with(unit, ".batch");
}

int flow_refuse_unit(Jobctl *ctl, const char *unit) {
        const char *type = name_type_of(unit), *verb = ctl->subverb ? ctl->subverb : "show";

        return jobctl_misused(ctl, "%s is a %s: 'jobctl %s %s' is for that.", unit, type, type, verb);
}

int flow_judge_unit(Jobctl *ctl, const char *unit) {
        return flow_is_batch(ctl) && text_ends_with(unit, ".flow") ? flow_refuse_unit(ctl, unit) : 0;
}

/* A state that cannot be asked for is false: it is no answer to what was asked. */
static bool is_in_state(Jobctl *ctl, const char *unit, const char *wanted) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *state = NULL;

        return jobctl_unit_property(ctl, unit, "LoadState", &state, &error) == 0 &&
               text_equal(json_string_value(state), wanted);
}

int flow_find_other(Jobctl *ctl, const char *unit, char **ret_other) {
        const char *suffix = flow_suffix(ctl), *other = flow_is_batch(ctl) ? ".flow" : ".batch";
        cleanup_free_ char *name = NULL;
        int r;

        if (!text_ends_with(unit, suffix))
                return 0;
        r = text_format(&name, "%.*s%s", (int) (strlen(unit) - strlen(suffix)), unit, other);
        if (r < 0)
                return r;
        if (!is_in_state(ctl, unit, "not-found") || !is_in_state(ctl, name, "loaded"))
                return 0;
        *ret_other = take_ptr(name);
        return 0;
}

int flow_get_unit(Jobctl *ctl, uint64_t id, char **ret_unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        cleanup_free_ char *path = NULL;
        int r = text_format(&path, BUS_PATH "/run/%" PRIu64, id);

        if (r < 0)
                return r;
        r = jobctl_send(ctl, &(BusCall) { path, BUS_PROPERTIES, "Get", "ss", json_pack("[ss]", BUS_RUN, "Unit") },
                        &reply, &error);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        return text_copy(value_item_string(reply, 0), ret_unit);
}

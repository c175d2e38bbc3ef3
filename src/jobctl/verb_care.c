/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * clean, freeze, thaw
 *
 * The manager answers when it has begun; the verb waits for the end by the
 * property changes of the unit. The unit stays loaded meanwhile, so that its
 * result can be read.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/names.h"
#include "jobctl/verbs.h"

/* One verb, for one unit. */
typedef struct Care {
        const char *method;
        const char *what;               /* "clean", for messages */
        const char *property, *busy;    /* the operation is under way while the property has this value */
        char *const *kinds;             /* for clean: the kinds to remove */
} Care;

static int keep_unit(Jobctl *ctl, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};

        if (!ctl->kept_units)
                ctl->kept_units = json_array();
        (void) jobctl_call(ctl, "RefUnit", "s", json_pack("[s]", unit), NULL, &error);
        return json_array_append_new(ctl->kept_units, json_string(unit)) < 0 ? -ENOMEM : 0;
}

/* 0, -EINTR, or < 0 with the error. */
static int wait_until_done(Jobctl *ctl, const char *unit, const Care *care, BusError *ret_error) {
        for (;;) {
                cleanup_(bus_signal_deinit) BusSignal signal = {};
                cleanup_json_ json_t *value = NULL;
                int r = jobctl_unit_property(ctl, unit, care->property, &value, ret_error);

                if (r < 0 || !text_equal(json_string_value(value), care->busy))
                        return MIN(r, 0);
                r = bus_next_signal(ctl->bus, USEC_INFINITY, &signal);
                if (r == -ENOTCONN)
                        r = jobctl_reconnect(ctl, ret_error);
                if (r < 0)
                        return r;
        }
}

/* A clean may fail after it has begun. */
static int check_result(Jobctl *ctl, const char *unit, BusError *ret_error) {
        cleanup_json_ json_t *properties = NULL;
        const char *result;
        int r = jobctl_unit_properties(ctl, unit, NULL, &properties, ret_error);

        if (r < 0)
                return r;
        result = value_string(properties, "CleanResult");
        if (!*result || strcmp(result, "success") == 0)
                return 0;
        bus_error_set(ret_error, "org.jobd1.Failed", "something is left (result '%s'); see 'jobctl logs %s'.", result,
                      unit);
        return -EREMOTEIO;
}

static json_t *arguments(const char *unit, const Care *care) {
        json_t *kinds = care->kinds ? json_array() : NULL;

        strv_foreach(kind, care->kinds)
                json_array_append_new(kinds, json_string(*kind));
        return kinds ? json_pack("[so]", unit, kinds) : json_pack("[s]", unit);
}

static int care_for(Jobctl *ctl, const char *unit, const Care *care, BusError *ret_error) {
        int r = keep_unit(ctl, unit);

        if (r == 0)
                r = jobctl_subscribe(ctl, ret_error);
        if (r >= 0)
                r = jobctl_call(ctl, care->method, care->kinds ? "sas" : "s", arguments(unit, care), NULL, ret_error);
        if (r < 0 || ctl->options.no_block)
                return r;
        bus_catch_interrupt(true);
        r = wait_until_done(ctl, unit, care, ret_error);
        bus_catch_interrupt(false);
        return r < 0 || !care->kinds ? r : check_result(ctl, unit, ret_error);
}

static int care_for_all(Jobctl *ctl, char *const *words, const Care *care) {
        cleanup_json_ json_t *failures = json_array();
        cleanup_(strv_freep) char **names = NULL;
        int status = EXIT_OK, r;

        r = names_resolve(ctl, words, ".service", &names);
        if (r != 0)
                return r;
        strv_foreach(name, names) {
                cleanup_(bus_error_deinit) BusError error = {};

                r = care_for(ctl, *name, care, &error);
                if (r == -EINTR)
                        return EXIT_INTERRUPTED;
                if (r < 0)
                        r = jobctl_fail_word(ctl, failures, *name, &error, care->what);
                if (r < 0)
                        return r;
                status = MAX(status, r);
        }
        return jobctl_finish(ctl, failures, status);
}

int verb_clean(Jobctl *ctl, char *const *words) {
        static char cache[] = "cache", runtime[] = "runtime";
        char *const usual[] = { cache, runtime, NULL };

        return care_for_all(ctl, words, &(Care) { "CleanUnit", "clean", "ActiveState", "maintenance",
                                                  ctl->options.what ?: usual });
}

int verb_freeze(Jobctl *ctl, char *const *words) {
        return care_for_all(ctl, words, &(Care) { "FreezeUnit", "freeze", "FreezerState", "freezing", NULL });
}

int verb_thaw(Jobctl *ctl, char *const *words) {
        return care_for_all(ctl, words, &(Care) { "ThawUnit", "thaw", "FreezerState", "thawing", NULL });
}

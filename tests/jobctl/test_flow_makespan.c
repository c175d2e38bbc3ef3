/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * How long a run would take, against spans that are counted by hand
 */

#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/flow_makespan.h"
#include "jobctl/value.h"

/* JSON with other quotes. */
static json_t *parse(const char *text) {
        json_error_t error;
        char *copy = strdup(text);
        json_t *value;

        for (char *at = copy; *at; at++)
                if (*at == '\'')
                        *at = '"';
        value = json_loads(copy, 0, &error);
        cr_assert(value != NULL, "%s: %s", error.text, text);
        free(copy);
        return value;
}

static Makespan makespan_of(const char *plan_text, const char *rows_text) {
        cleanup_json_ json_t *plan = parse(plan_text), *rows = parse(rows_text);
        Makespan makespan;

        cr_assert(eq(int, flow_makespan(plan, rows, &makespan), 0));
        return makespan;
}

/* A diamond whose left way is the longer one, and a node beside it. */
#define NODES                                                                                                    \
        "'nodes':[{'node':'a','step':1,'urgency':0,'after':[]},{'node':'b','step':2,'urgency':1,'after':['a']}," \
        "{'node':'c','step':2,'urgency':2,'after':['a']},{'node':'d','step':3,'urgency':3,'after':['b','c']},"   \
        "{'node':'e','step':1,'urgency':4,'after':[]}]"
#define ROWS                                                                                            \
        "[{'node':'a','started':100,'ended':110},{'node':'b','started':110,'ended':140},"               \
        "{'node':'c','started':110,'ended':115},{'node':'d','started':140,'ended':147},"                \
        "{'node':'e','started':100,'ended':120},{'node':'gone','started':1,'ended':900}]"

Test(jobctl_flow_makespan, enough_places_take_the_longest_way) {
        const Makespan makespan = makespan_of("{'max_parallel':8," NODES "}", ROWS);

        cr_expect(eq(u64, makespan.span, 10 + 30 + 7));
        cr_expect(eq(u32, makespan.n_known, 5));
        cr_expect(eq(u32, makespan.n_unknown, 0));
}

Test(jobctl_flow_makespan, one_place_takes_the_sum) {
        cr_expect(eq(u64, makespan_of("{'max_parallel':1," NODES "}", ROWS).span, 10 + 30 + 5 + 7 + 20));
}

/* a and e, b beside what is left of e, c, and d. */
Test(jobctl_flow_makespan, two_places_go_to_the_most_urgent) {
        cr_expect(eq(u64, makespan_of("{'max_parallel':2," NODES "}", ROWS).span, 10 + 30 + 7));
        cr_expect(eq(u64,
                     makespan_of("{'max_parallel':2,'nodes':[{'node':'a','step':1,'urgency':2,'after':[]},"
                                 "{'node':'b','step':1,'urgency':1,'after':[]},{'node':'c','step':1,'urgency':0,"
                                 "'after':[]}]}",
                                 "[{'node':'a','started':0,'ended':9},{'node':'a','started':1,'ended':31},"
                                 "{'node':'b','started':1,'ended':11},{'node':'c','started':1,'ended':21}]")
                             .span,
                     10 + 30));
}

Test(jobctl_flow_makespan, what_is_skipped_or_not_known_takes_no_time) {
        const Makespan makespan = makespan_of(
                "{'max_parallel':4,'nodes':[{'node':'a','step':0,'after':[]},{'node':'b','step':1,'after':['a']},"
                "{'node':'new','step':1,'after':[]},{'node':'c','step':2,'after':['b','new']}]}",
                "[{'node':'a','started':1,'ended':1000},{'node':'b','started':1,'ended':6},"
                "{'node':'c','started':6,'ended':null}]");

        cr_expect(eq(u64, makespan.span, 5));
        cr_expect(eq(u32, makespan.n_known, 1));
        cr_expect(eq(u32, makespan.n_unknown, 2));
}

/* Two jobs, which take no place, beside two commands, which have one place between them; and a sleep behind a job. */
Test(jobctl_flow_makespan, jobs_and_sleeps_take_no_place) {
        const Makespan makespan = makespan_of(
                "{'max_parallel':1,'nodes':[{'node':'a','step':1,'action':'job','after':[]},"
                "{'node':'b','step':1,'action':'job','after':[]},{'node':'c','step':1,'action':'exec','after':[]},"
                "{'node':'d','step':1,'action':'exec','after':[]},{'node':'e','step':1,'action':'checkpoint','after':[]},"
                "{'node':'f','step':2,'action':'sleep','sleep':40,'after':['a']}]}",
                "[{'node':'a','started':1,'ended':101},{'node':'b','started':1,'ended':91},"
                "{'node':'c','started':1,'ended':61},{'node':'d','started':1,'ended':31}]");

        cr_expect(eq(u64, makespan.span, 100 + 40));
        cr_expect(eq(u32, makespan.n_known, 6));
        cr_expect(eq(u32, makespan.n_unknown, 0));
}

Test(jobctl_flow_makespan, instances_are_their_node) {
        const Makespan makespan = makespan_of(
                "{'max_parallel':4,'nodes':[{'node':'a','step':1,'action':'exec','foreach':'1 2','after':[]},"
                "{'node':'b','step':2,'action':'exec','after':['a']}]}",
                "[{'node':'a[0]','started':10,'ended':20},{'node':'a[1]','started':15,'ended':45},"
                "{'node':'b','started':50,'ended':51}]");

        cr_expect(eq(u64, makespan.span, 35 + 1));
        cr_expect(eq(u32, makespan.n_known, 2));
}

Test(jobctl_flow_makespan, a_flow_of_no_nodes_takes_no_time) {
        cr_expect(eq(u64, makespan_of("{'max_parallel':4,'nodes':[]}", "[]").span, 0));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Plans as graphs: the drawn and the implied edges, and that any name is
 * valid.
 */

#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "jobctl/plan_edges.h"
#include "jobctl/plan_graph.h"
#include "jobctl/value.h"

static json_t *parse(const char *text) {
        json_error_t error;
        json_t *plan = json_loads(text, 0, &error);

        cr_assert(plan != NULL, "%s: %s", error.text, text);
        return plan;
}

static char *draw(const char *text) {
        cleanup_json_ json_t *plan = parse(text);
        char *dot;

        cr_assert(eq(int, plan_format_dot(plan, "start a.service", &dot), 0));
        return dot;
}

#define has(dot, part) cr_expect(strstr(dot, part) != NULL, "no '%s' in: %s", part, dot)
#define has_not(dot, part) cr_expect(strstr(dot, part) == NULL, "'%s' in: %s", part, dot)

#define THREE_JOBS "'jobs':[{'unit':'a.service','type':'start','state':'inactive','action':'new','anchor':true," \
                   "'why':'asked for'},{'unit':'b.service','type':'start','state':'failed','action':'new'}," \
                   "{'unit':'c.service','type':'stop','state':'active','action':'merge','id':5}]"

/* JSON with other quotes. */
static char *quoted(const char *text) {
        char *copy = strdup(text);

        for (char *c = copy; *c; c++)
                if (*c == '\'')
                        *c = '"';
        return copy;
}

static char *draw_quoted(const char *text) {
        cleanup_free_ char *json = quoted(text);

        return draw(json);
}

Test(plan_graph, nodes_say_what_is_done_and_to_what) {
        cleanup_free_ char *dot = draw_quoted("{'ok':true," THREE_JOBS "}");

        has(dot, "label=\"start a.service\\n3 jobs\\n \"");
        has(dot, "j0 [label=\"a.service\\nstart\", shape=box, style=\"rounded,filled\", fillcolor=\"#dff0dc\", penwidth=3, "
                 "tooltip=\"asked for\"];");
        has(dot, "j1 [label=\"b.service\\nstart, is failed\", shape=box");
        has(dot, "j2 [label=\"c.service\\nstop\\nmerge into job 5\", shape=octagon");
        has(dot, "cluster_legend");
        has_not(dot, "cluster_dropped");
}

Test(plan_graph, one_edge_tells_need_and_order) {
        cleanup_free_ char *dot = draw_quoted("{'ok':true," THREE_JOBS ",'edges':[[0,1,'Requires',true],[0,1,'After',false],"
                                              "[0,2,'Conflicts',true],[1,2,'Wants',false],[2,1,'After',false]]}");

        has(dot, "j0 -> j1 [style=solid, arrowhead=normal];");
        has(dot, "j0 -> j2 [style=solid, arrowhead=onormal, label=\"Conflicts\"];");
        has(dot, "j1 -> j2 [style=dashed, arrowhead=onormal];");
        has(dot, "j2 -> j1 [style=dotted, color=gray30, arrowhead=normal, constraint=false];");
}

Test(plan_graph, order_that_follows_from_other_order_is_not_drawn) {
        cleanup_free_ char *dot = draw_quoted("{'ok':true," THREE_JOBS ",'edges':[[0,2,'After',false],[0,1,'After',false],"
                                              "[1,2,'After',false]]}");

        has(dot, "j0 -> j1 [");
        has(dot, "j1 -> j2 [");
        has_not(dot, "j0 -> j2 [");
}

Test(plan_graph, what_pulls_in_is_drawn_though_order_follows) {
        cleanup_free_ char *dot = draw_quoted("{'ok':true," THREE_JOBS ",'edges':[[0,2,'After',false],[0,2,'Wants',false],"
                                              "[0,1,'After',false],[1,2,'After',false]]}");

        has(dot, "j0 -> j2 [style=dashed, arrowhead=normal];");
}

Test(plan_graph, a_circle_of_order_loses_nothing) {
        cleanup_free_ char *dot = draw_quoted("{'ok':true," THREE_JOBS ",'edges':[[0,1,'After',false],[1,2,'After',false],"
                                              "[2,0,'After',false],[0,2,'After',false]]}");

        has(dot, "j0 -> j1 [");
        has(dot, "j1 -> j2 [");
        has(dot, "j2 -> j0 [");
        has(dot, "j0 -> j2 [");
}

Test(plan_graph, isolate_is_drawn_where_nothing_else_stops_a_unit) {
        cleanup_free_ char *dot = draw_quoted(
                "{'ok':true,'jobs':[{'unit':'r.target','type':'start','anchor':true},"
                "{'unit':'a.service','type':'stop','puller':'r.target'},{'unit':'b.service','type':'stop','puller':'r.target'}],"
                "'edges':[[0,1,'Conflicts',true],[0,2,'Conflicts',true],[1,2,'RequiredBy',true]]}");

        has(dot, "j0 -> j1 [");
        has(dot, "j1 -> j2 [");
        has_not(dot, "j0 -> j2 [");
}

Test(plan_graph, edges_to_nowhere_are_not_drawn) {
        cleanup_free_ char *dot = draw_quoted("{'ok':true," THREE_JOBS ",'edges':[[0,3,'After',false],[7,1,'Wants',false],"
                                              "[1,1,'After',false]]}");

        has_not(dot, "j0 -> ");
        has_not(dot, "j1 -> ");
}

Test(plan_graph, names_are_quoted_and_broken_into_lines) {
        cleanup_free_ char *dot = draw("{\"ok\":true,\"jobs\":[{\"unit\":\"dev-disk-by\\\\x2duuid-1234\\\\x2dabcd."
                                       "service\",\"type\":\"start\",\"why\":\"a \\\"b\\\" & \\u0007 c\"}]}");

        has(dot, "label=\"dev-disk-by\\\\x2duuid-1234\\n\\\\x2dabcd.service\\nstart");
        has(dot, "tooltip=\"a \\\"b\\\" &amp; ? c\"");
}

Test(plan_graph, a_name_without_a_place_to_break_is_broken_and_ends) {
        cleanup_free_ char *json = NULL, *dot = NULL;
        char name[256];

        memset(name, 'x', 255);
        name[255] = '\0';
        cr_assert(eq(int, text_format(&json, "{\"ok\":true,\"jobs\":[{\"unit\":\"%s\"}]}", name), 0));
        dot = draw(json);
        has(dot, "xxx\\nxxx");
        has(dot, "x…\\n");
}

Test(plan_graph, what_is_left_out_says_why_and_what_has_nothing_to_do_is_listed) {
        cleanup_free_ char *dot = draw_quoted(
                "{'ok':true," THREE_JOBS ",'dropped':[{'unit':'x.service','type':'start','rule':'cycle','why':'to break it'},"
                "{'unit':'y.target','type':'start','rule':'redundant','why':'active'},"
                "{'unit':'z.target','type':'stop','rule':'unreached','why':'none'}],"
                "'canceled':[{'id':7,'unit':'q.service','type':'start'}]}");

        has(dot, "3 jobs, 3 left out, 1 canceled");
        has(dot, "d0 [label=\"x.service\\nstart: cycle\\nto break it\", tooltip=\"to break it\"];");
        has(dot, "label=\"nothing to do for 2:\\ny.target, z.target\"");
        has(dot, "c0 [label=\"q.service\\nstart: job 7\"");
        has_not(dot, "d1 [");
}

Test(plan_graph, a_refusal_says_so) {
        cleanup_free_ char *dot = draw_quoted("{'ok':false,'message':'Unit a.service not found.','jobs':[]}");

        has(dot, "start a.service\\nwould be refused: Unit a.service not found.\\n \"");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stream push: elements from standard input
 *
 * All of it is one element; or with --each-line or --tsv a line is one, and
 * many are sent in one call. A call that has failed is not repeated: elements
 * with keys can be pushed again, and others cannot be told apart.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/flow_run.h"
#include "jobctl/names.h"
#include "jobctl/stream_push.h"

#define DATA_MAX ((size_t) 1 << 20) /* bytes of an element */
#define CALL_ELEMENTS 500U /* of one call, at most … */
#define CALL_BYTES ((size_t) 2 << 20) /* … and so many bytes: a message of the bus has 4 MiB */
#define ELEMENT_BYTES 64U /* of an element, beside its own */

int stream_parse_unit(Jobctl *ctl, const char *word, char **ret_unit) {
        cleanup_free_ char *unit = NULL;
        int r = name_mangle(word, ".stream", &unit);

        if (r == -ENOMEM)
                return r;
        if (r == 0 && name_has_runs(unit) && !text_ends_with(unit, ".stream"))
                return jobctl_misused(ctl, "%s is a %s: 'jobctl %s' is for that.", unit, name_type_of(unit),
                                      name_type_of(unit));
        if (r < 0 || !text_ends_with(unit, ".stream"))
                return jobctl_misused(ctl, "'%s' is not the name of a stream, such as orders.stream.", word);
        *ret_unit = take_ptr(unit);
        return 0;
}

static json_t *make_options(const Jobctl *ctl) {
        json_t *options = json_object();
        const char *operator = flow_operator(ctl);

        if (operator)
                json_object_set_new(options, "operator", json_pack("{s:s}", "s", operator));
        if (ctl->options.reqid)
                json_object_set_new(options, "reqid", json_pack("{s:s}", "s", ctl->options.reqid));
        return options;
}

/* The answer to one element: its number, alone, so that a script can use it. */
static int print_number(Jobctl *ctl, const char *unit, uint64_t sequence) {
        if (ctl->options.json)
                return jobctl_print_json_line(ctl, json_pack("{s:s, s:I}", "stream", unit, "sequence",
                                                             (json_int_t) sequence));
        if (!ctl->options.quiet)
                printf("%" PRIu64 "\n", sequence);
        return 0;
}

/* — one element — */

/* At most a byte more than an element has. */
static int read_all(char **ret_data, size_t *ret_size) {
        char *data = malloc(DATA_MAX + 1);
        size_t n = 0;

        if (!data)
                return -ENOMEM;
        while (n <= DATA_MAX) {
                const size_t got = fread(data + n, 1, DATA_MAX + 1 - n, stdin);

                if (got == 0)
                        break;
                n += got;
        }
        *ret_data = data;
        *ret_size = n;
        return 0;
}

static int push_one(Jobctl *ctl, const char *unit) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        cleanup_free_ char *data = NULL;
        size_t size;
        int r = read_all(&data, &size);

        if (r < 0)
                return r;
        if (size > DATA_MAX)
                return jobctl_misused(ctl, "An element has at most %zu bytes of data; push the name of a file that has "
                                           "more.", DATA_MAX);
        r = jobctl_call(ctl, "Push", "sssaya{sv}",
                        json_pack("[sssoo]", unit, ctl->options.group ?: "", ctl->options.key ?: "",
                                  json_stringn_nocheck(data, size), make_options(ctl)),
                        &reply, &error);
        if (r < 0)
                return jobctl_fail(ctl, &error, "push to %s", unit);
        return print_number(ctl, unit, value_item_u64(reply, 0));
}

/* — a line each — */

typedef struct Lines {
        Jobctl *ctl; /* borrowed */
        const char *unit; /* borrowed */
        json_t *elements; /* owned: of the next call */
        size_t bytes; /* of their data */
        uint64_t n, n_pushed, first, last; /* lines that were read; elements that have numbers, and these */
} Lines;

static int send_elements(Lines *lines) {
        cleanup_(bus_error_deinit) BusError error = {};
        cleanup_json_ json_t *reply = NULL;
        const json_t *numbers;
        json_t *number;
        size_t i;
        int r = 0;

        if (json_array_size(lines->elements) == 0)
                return 0;
        r = jobctl_call(lines->ctl, "PushMany", "sa(ssay)a{sv}",
                        json_pack("[sOo]", lines->unit, lines->elements, make_options(lines->ctl)), &reply, &error);
        if (r < 0 && lines->n_pushed > 0)
                fprintf(stderr, "%" PRIu64 " lines before were pushed.\n", lines->n_pushed);
        if (r < 0)
                return jobctl_fail(lines->ctl, &error, "push to %s", lines->unit);
        numbers = json_array_get(reply, 0);
        json_array_foreach((json_t *) numbers, i, number) {
                lines->last = (uint64_t) json_integer_value(number);
                if (lines->n_pushed++ == 0)
                        lines->first = lines->last;
                if (lines->ctl->options.json && r == 0)
                        r = print_number(lines->ctl, lines->unit, lines->last);
        }
        json_array_clear(lines->elements);
        lines->bytes = 0;
        return r;
}

/* GROUP TAB KEY TAB DATA: the data may have tabs. */
static int split(Lines *lines, char *line, size_t n, json_t **ret_element) {
        char *key = memchr(line, '\t', n), *data = key ? memchr(key + 1, '\t', n - (size_t) (key + 1 - line)) : NULL;

        if (!data)
                return jobctl_misused(lines->ctl, "Line %" PRIu64 " has fewer than two tabs: with --tsv a line is a "
                                                  "group, a key and data, each of which may be empty.", lines->n);
        *key++ = *data++ = '\0';
        *ret_element = json_pack("[sso]", line, key, json_stringn_nocheck(data, n - (size_t) (data - line)));
        return *ret_element ? 0 : jobctl_misused(lines->ctl, "Line %" PRIu64 ": the group and the key are not UTF-8.",
                                                 lines->n);
}

static int add_line(Lines *lines, char *line, size_t n) {
        json_t *element = NULL;
        int r = 0;

        lines->n++;
        if (n > DATA_MAX)
                return jobctl_misused(lines->ctl, "Line %" PRIu64 " is longer than %zu bytes.", lines->n, DATA_MAX);
        if (lines->ctl->options.tsv)
                r = split(lines, line, n, &element);
        else
                element = json_pack("[sso]", lines->ctl->options.group ?: "", "", json_stringn_nocheck(line, n));
        if (r != 0)
                return r;
        if (!element)
                return -ENOMEM;
        /* The name of the group is a part of the line, or short. */
        n += ELEMENT_BYTES + strlen(lines->ctl->options.group ?: "");
        if (json_array_size(lines->elements) == CALL_ELEMENTS || lines->bytes + n > CALL_BYTES)
                r = send_elements(lines);
        if (r != 0) {
                json_decref(element);
                return r;
        }
        lines->bytes += n;
        return json_array_append_new(lines->elements, element) < 0 ? -ENOMEM : 0;
}

static int push_lines(Jobctl *ctl, const char *unit) {
        cleanup_json_ json_t *elements = json_array();
        Lines lines = { .ctl = ctl, .unit = unit, .elements = elements };
        cleanup_free_ char *line = NULL;
        size_t allocated = 0;
        ssize_t n;
        int r = 0;

        while (r == 0 && (n = getline(&line, &allocated, stdin)) >= 0)
                r = add_line(&lines, line, (size_t) n - (n > 0 && line[n - 1] == '\n'));
        if (r == 0)
                r = send_elements(&lines);
        if (r != 0 || ctl->options.json || ctl->options.quiet)
                return r;
        if (lines.n_pushed == 0)
                puts("There were no lines.");
        else
                printf("%" PRIu64 " %s pushed to %s: %" PRIu64 " to %" PRIu64 ".\n", lines.n_pushed,
                       lines.n_pushed == 1 ? "element was" : "elements were", unit, lines.first, lines.last);
        return 0;
}

int stream_push(Jobctl *ctl, char *const *words) {
        const bool has_lines = ctl->options.each_line || ctl->options.tsv;
        cleanup_free_ char *unit = NULL;
        int r;

        if (!words[0] || words[1])
                return jobctl_misused(ctl, "'stream push' takes one stream, and the data of an element from standard "
                                           "input: 'echo 17 | jobctl stream push orders --group=anna'.");
        if (has_lines && ctl->options.key)
                return jobctl_misused(ctl, "A key is that of one element: with --tsv each line has its own.");
        if (ctl->options.tsv && ctl->options.group)
                return jobctl_misused(ctl, "With --tsv each line has its own group: leave --group= out.");
        r = stream_parse_unit(ctl, words[0], &unit);
        if (r != 0)
                return r;
        if (isatty(STDIN_FILENO) && !ctl->options.quiet)
                fprintf(stderr, "Type the data of %s, and end with Ctrl-D.\n", has_lines ? "elements, a line each"
                                                                                         : "the element");
        return has_lines ? push_lines(ctl, unit) : push_one(ctl, unit);
}

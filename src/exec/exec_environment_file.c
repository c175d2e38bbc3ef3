/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The format of EnvironmentFile=
 *
 * Lines of NAME=value, close to shell syntax without expansion: comments with
 * '#' or ';', '…' and "…" (which may span lines), and '\' before the end of a
 * line to join lines. White space around names and unquoted values is removed.
 * The parser reads one character at a time, in one of the modes below.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "basic/vector.h"
#include "exec/exec_environment.h"

typedef enum Mode {
        MODE_LINE,                      /* before a name */
        MODE_NAME,
        MODE_BEFORE_VALUE,              /* after '=' or a closing quote */
        MODE_VALUE,
        MODE_VALUE_ESCAPE,
        MODE_SINGLE,
        MODE_DOUBLE,
        MODE_DOUBLE_ESCAPE,
        MODE_COMMENT,                   /* until the end of the line, even after '\' */
} Mode;

typedef struct Reader {
        VECTOR(char *) assignments;     /* owned, with their strings */
        Mode mode;
        Text text;                      /* the name and, from '=' on, NAME=value */
        size_t solid;                   /* length of .text that must not be trimmed */
        int error;
} Reader;

static bool is_newline(char c) {
        return c == '\n' || c == '\r';
}

static bool is_space(char c) {
        return c == ' ' || c == '\t' || is_newline(c);
}

static void add(Reader *reader, char c, bool is_solid) {
        text_add_char(&reader->text, c);
        if (is_solid)
                reader->solid = reader->text.n;
}

static void trim(Reader *reader) {
        if (reader->text.n > reader->solid) {
                reader->text.n = reader->solid;
                reader->text.string[reader->solid] = '\0';
        }
}

static void forget(Reader *reader) {
        reader->text.n = reader->solid = 0;
        reader->mode = MODE_LINE;
}

static int keep(Reader *reader) {
        char *copy = strdup(reader->text.string);
        int r = copy ? vector_push(&reader->assignments, copy) : -ENOMEM;

        if (r < 0)
                free(copy);
        return r;
}

static void finish(Reader *reader) {
        trim(reader);
        if (reader->text.error < 0)
                reader->error = reader->text.error;
        else if (!text_is_utf8(reader->text.string))
                reader->error = -EINVAL;
        else
                reader->error = keep(reader);
        forget(reader);
}

static void read_in_name(Reader *reader, char c) {
        if (is_newline(c))
                forget(reader);
        else if (c == '=') {
                trim(reader);
                add(reader, c, true);
                reader->mode = MODE_BEFORE_VALUE;
        } else
                add(reader, c, !is_space(c));
}

static void read_before_value(Reader *reader, char c) {
        if (is_newline(c))
                finish(reader);
        else if (c == '\'')
                reader->mode = MODE_SINGLE;
        else if (c == '"')
                reader->mode = MODE_DOUBLE;
        else if (c == '\\')
                reader->mode = MODE_VALUE_ESCAPE;
        else if (!is_space(c)) {
                add(reader, c, true);
                reader->mode = MODE_VALUE;
        }
}

static void read_in_value(Reader *reader, char c) {
        if (is_newline(c))
                finish(reader);
        else if (c == '\\')
                reader->mode = MODE_VALUE_ESCAPE;
        else
                add(reader, c, !is_space(c));
}

static void read_in_double(Reader *reader, char c) {
        if (c == '"')
                reader->mode = MODE_BEFORE_VALUE;
        else if (c == '\\')
                reader->mode = MODE_DOUBLE_ESCAPE;
        else
                add(reader, c, true);
}

static void read_double_escape(Reader *reader, char c) {
        reader->mode = MODE_DOUBLE;
        if (c == '\n')
                return;
        if (!strchr("\"\\`$", c))
                add(reader, '\\', true);
        add(reader, c, true);
}

static void read_character(Reader *reader, char c) {
        switch (reader->mode) {
        case MODE_LINE:
                if (c == '#' || c == ';')
                        reader->mode = MODE_COMMENT;
                else if (!is_space(c)) {
                        reader->mode = MODE_NAME;
                        read_in_name(reader, c);
                }
                break;
        case MODE_NAME:
                read_in_name(reader, c);
                break;
        case MODE_BEFORE_VALUE:
                read_before_value(reader, c);
                break;
        case MODE_VALUE:
                read_in_value(reader, c);
                break;
        case MODE_VALUE_ESCAPE:
                reader->mode = MODE_VALUE;
                if (!is_newline(c))
                        add(reader, c, true);
                break;
        case MODE_SINGLE:
                if (c == '\'')
                        reader->mode = MODE_BEFORE_VALUE;
                else
                        add(reader, c, true);
                break;
        case MODE_DOUBLE:
                read_in_double(reader, c);
                break;
        case MODE_DOUBLE_ESCAPE:
                read_double_escape(reader, c);
                break;
        case MODE_COMMENT:
                if (is_newline(c))
                        reader->mode = MODE_LINE;
                break;
        }
}

static bool has_assignment(const Reader *reader) {
        switch (reader->mode) {
        case MODE_BEFORE_VALUE:
        case MODE_VALUE:
        case MODE_VALUE_ESCAPE:
        case MODE_SINGLE:
        case MODE_DOUBLE:
        case MODE_DOUBLE_ESCAPE:
                return true;
        case MODE_LINE:
        case MODE_NAME:
        case MODE_COMMENT:
                return false;
        }
        return false;
}

static void reader_deinit(Reader *reader) {
        for (size_t i = 0; i < reader->assignments.n; i++)
                free(reader->assignments.items[i]);
        vector_deinit(&reader->assignments);
        text_deinit(&reader->text);
}

int exec_environment_parse(char ***environment, const char *text, size_t n) {
        cleanup_(reader_deinit) Reader reader = {};

        for (size_t i = 0; i < n && reader.error == 0; i++) {
                if (text[i] == '\0')
                        reader.error = -EINVAL;
                else
                        read_character(&reader, text[i]);
        }
        if (reader.error == 0 && has_assignment(&reader))
                finish(&reader);
        if (reader.error == 0)
                reader.error = vector_push(&reader.assignments, (char *) NULL);
        return reader.error < 0 ? reader.error : exec_environment_merge(environment, reader.assignments.items);
}

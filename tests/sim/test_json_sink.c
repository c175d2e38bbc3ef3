/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <criterion/criterion.h>
#include <errno.h>

#include "sim/json_sink.h"

static char *dump_and_deinit(JsonSink *sink) {
        cleanup_(json_decrefp) json_t *json = NULL;
        char *text = NULL;

        cr_assert_eq(json_sink_finish(sink, &json), 0);
        text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
        json_sink_deinit(sink);
        return text;
}

Test(json_sink, entries_keep_their_order) {
        cleanup_free_ char *text = NULL;
        JsonSink sink;

        json_sink_init(&sink);
        sink_open(&sink.sink, 'a', "{sv}");
        sink_entry_u32(&sink.sink, "id", 7);
        sink_entry_string(&sink.sink, "unit", "a.service");
        sink_entry_bool(&sink.sink, "anchor", true);
        sink_entry_string(&sink.sink, "absent", NULL);
        sink_close(&sink.sink);
        text = dump_and_deinit(&sink);
        cr_assert_str_eq(text, "{\"id\":7,\"unit\":\"a.service\",\"anchor\":true,\"absent\":\"\"}");
}

Test(json_sink, dictionaries_nest_in_arrays) {
        cleanup_free_ char *text = NULL;
        JsonSink sink;

        json_sink_init(&sink);
        sink_open(&sink.sink, 'a', "{sv}");
        sink_entry_open(&sink.sink, "jobs", "aa{sv}");
        sink_open(&sink.sink, 'a', "a{sv}");
        for (uint32_t id = 1; id <= 2; id++) {
                sink_open(&sink.sink, 'a', "{sv}");
                sink_entry_u32(&sink.sink, "id", id);
                sink_close(&sink.sink);
        }
        sink_close(&sink.sink);
        sink_entry_close(&sink.sink);
        sink_entry_bool(&sink.sink, "last", false);
        sink_close(&sink.sink);
        text = dump_and_deinit(&sink);
        cr_assert_str_eq(text, "{\"jobs\":[{\"id\":1},{\"id\":2}],\"last\":false}");
}

Test(json_sink, structs_are_arrays_and_numeric_keys_are_written_out) {
        cleanup_free_ char *text = NULL;
        JsonSink sink;

        json_sink_init(&sink);
        sink_open(&sink.sink, 'a', "{u(sd)}");
        sink_open(&sink.sink, 'e', "u(sd)");
        sink_u32(&sink.sink, 12);
        sink_open(&sink.sink, 'r', "sd");
        sink_string(&sink.sink, "x");
        sink_double(&sink.sink, 1.5);
        sink_close(&sink.sink);
        sink_close(&sink.sink);
        sink_close(&sink.sink);
        text = dump_and_deinit(&sink);
        cr_assert_str_eq(text, "{\"12\":[\"x\",1.5]}");
}

Test(json_sink, never_is_null) {
        cleanup_free_ char *text = NULL;
        JsonSink sink;

        json_sink_init(&sink);
        sink_open(&sink.sink, 'a', "t");
        sink_u64(&sink.sink, UINT64_MAX);
        sink_u64(&sink.sink, INT64_MAX);
        sink_close(&sink.sink);
        text = dump_and_deinit(&sink);
        cr_assert_str_eq(text, "[null,9223372036854775807]");
}

Test(json_sink, every_basic_type_has_a_value) {
        cleanup_free_ char *text = NULL;
        int64_t negative = -3;
        uint16_t small = 9;
        int16_t minus = -9;
        JsonSink sink;

        json_sink_init(&sink);
        sink_open(&sink.sink, 'r', "yxqnio");
        sink_byte(&sink.sink, 255);
        sink.sink.ops->put(&sink.sink, 'x', &negative);
        sink.sink.ops->put(&sink.sink, 'q', &small);
        sink.sink.ops->put(&sink.sink, 'n', &minus);
        sink_i32(&sink.sink, -1);
        sink_path(&sink.sink, "/org/jobd1");
        sink_close(&sink.sink);
        text = dump_and_deinit(&sink);
        cr_assert_str_eq(text, "[255,-3,9,-9,-1,\"/org/jobd1\"]");
}

Test(json_sink, nothing_written_is_null) {
        cleanup_free_ char *text = NULL;
        JsonSink sink;

        json_sink_init(&sink);
        text = dump_and_deinit(&sink);
        cr_assert_str_eq(text, "null");
}

Test(json_sink, an_error_is_kept_and_the_rest_is_ignored) {
        cleanup_(json_decrefp) json_t *json = NULL;
        JsonSink sink;

        json_sink_init(&sink);
        sink_open(&sink.sink, 'a', "s");
        sink.sink.error = -ENOMEM;
        sink_string(&sink.sink, "ignored");
        sink_close(&sink.sink);
        cr_assert_eq(json_sink_finish(&sink, &json), -ENOMEM);
        cr_assert_null(json);
        json_sink_deinit(&sink);
}

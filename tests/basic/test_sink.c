/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The functions of a sink, with the text sink for tests.
 */

#include <errno.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "double/double_sink.h"

Test(sink, basic_values) {
        cleanup_(double_sink_deinit) DoubleSink text;
        Sink *sink = &text.sink;

        double_sink_init(&text);
        sink_bool(sink, true);
        sink_byte(sink, 255);
        sink_u32(sink, UINT32_MAX);
        sink_i32(sink, -7);
        sink_u64(sink, UINT64_MAX);
        sink_double(sink, 0.5);
        sink_string(sink, NULL);
        sink_string(sink, "word");
        sink_path(sink, "/a/b");
        assert_string(double_sink_string(&text),
                     "true,255,4294967295,-7,18446744073709551615,0.5,,word,/a/b");
}

Test(sink, nothing_of_each_type) {
        cleanup_(double_sink_deinit) DoubleSink text;

        double_sink_init(&text);
        sink_nothing(&text.sink, "t");
        sink_nothing(&text.sink, "s");
        sink_nothing(&text.sink, "a(ss)");
        sink_nothing(&text.sink, "(ba(ii)o(yas)d)");
        assert_string(double_sink_string(&text), "0,,[],(false,[],/,(0,[]),0)");
}

Test(sink, entries_of_a_dictionary) {
        cleanup_(double_sink_deinit) DoubleSink text;
        char *words[] = { (char *) "x", (char *) "y", NULL };
        Sink *sink = &text.sink;

        double_sink_init(&text);
        sink_open(sink, 'a', "{sv}");
        sink_entry_bool(sink, "b", false);
        sink_entry_u32(sink, "u", 1);
        sink_entry_i32(sink, "i", -1);
        sink_entry_u64(sink, "t", 2);
        sink_entry_string(sink, "s", "z");
        sink_entry_open(sink, "as", "as");
        sink_strv(sink, words);
        sink_entry_close(sink);
        sink_entry_open(sink, "none", "as");
        sink_strv(sink, NULL);
        sink_entry_close(sink);
        sink_entry_open(sink, "r", "(us)");
        sink_open(sink, 'r', "us");
        sink_u32(sink, 3);
        sink_string(sink, "w");
        sink_close(sink);
        sink_entry_close(sink);
        sink_close(sink);
        assert_string(double_sink_string(&text), "{b=false,u=1,i=-1,t=2,s=z,as=[x,y],none=[],r=(3,w)}");
}

Test(sink, after_an_error_the_rest_is_ignored) {
        cleanup_(double_sink_deinit) DoubleSink text;

        double_sink_init(&text);
        sink_u32(&text.sink, 1);
        text.sink.error = -ENOMEM;
        sink_u32(&text.sink, 2);
        sink_open(&text.sink, 'a', "s");
        sink_close(&text.sink);
        assert_string(double_sink_string(&text), "1");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* true(1), linked statically: the cheapest process there is. */

int main(void) {
        return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The process that started jobd
 */

#include <systemd/sd-daemon.h>

#include "manager/manager_parent.h"

void manager_parent_tell(const ProcessKeeper *keeper, const char *text) {
        if (keeper->ops)
                keeper->ops->notify(keeper->userdata, text);
        else
                sd_notify(0, text);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Conditions on the machine and on the manager's user
 *
 * Each takes the parameter of its directive and returns 1, 0 or a negative
 * errno.
 */

int condition_user(const char *parameter);
int condition_group(const char *parameter);
int condition_host(const char *parameter);
int condition_kernel_version(const char *parameter);
int condition_version(const char *parameter);
int condition_kernel_command_line(const char *parameter);
int condition_kernel_module(const char *parameter);
int condition_architecture(const char *parameter);
int condition_virtualization(const char *parameter);
int condition_firmware(const char *parameter);
int condition_first_boot(const char *parameter);
int condition_needs_update(const char *parameter);
int condition_environment(const char *parameter);
int condition_ac_power(const char *parameter);          /* 1 unless a supply is offline */
int condition_capability(const char *parameter);
int condition_security(const char *parameter);
int condition_credential(const char *parameter);        /* always 0: jobd gets no credentials */
int condition_controller(const char *parameter);
int condition_memory(const char *parameter);
int condition_cpus(const char *parameter);
int condition_cpu_feature(const char *parameter);
int condition_os_release(const char *parameter);
int condition_memory_pressure(const char *parameter);   /* 1 if the kernel does not measure it */
int condition_cpu_pressure(const char *parameter);
int condition_io_pressure(const char *parameter);
int condition_path_is_encrypted(const char *path);

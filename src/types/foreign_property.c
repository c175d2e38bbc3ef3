/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of features that only systemd has
 *
 * A row without a function is empty. Traffic and operations that are not
 * counted are the greatest number, as in systemd.
 */

#include "basic/macro.h"
#include "types/foreign_property.h"

static void put_infinity(const Unit *unit, Sink *sink) {
        sink_u64(sink, UINT64_MAX);
}

static void put_auto(const Unit *unit, Sink *sink) {
        sink_string(sink, "auto");
}

static void put_none(const Unit *unit, Sink *sink) {
        sink_string(sink, "none");
}

static void put_init(const Unit *unit, Sink *sink) {
        sink_string(sink, "init");
}

/* The terminal keeps the size that it has. */
static void put_no_size(const Unit *unit, Sink *sink) {
        sink_u16(sink, UINT16_MAX);
}

#define C UNIT_PROPERTY_CONST
#define F UNIT_PROPERTY_FOREIGN

static const UnitProperty group_rows[] = {
        { "BPFProgram", "a(ss)", F, NULL, NULL },
        { "BlockIOAccounting", "b", F, NULL, NULL },
        { "BlockIODeviceWeight", "a(st)", F, NULL, NULL },
        { "BlockIOReadBandwidth", "a(st)", F, NULL, NULL },
        { "BlockIOWriteBandwidth", "a(st)", F, NULL, NULL },
        { "ControlGroupId", "t", F, NULL, NULL },
        { "DefaultMemoryLow", "t", F, NULL, NULL },
        { "DefaultMemoryMin", "t", F, NULL, NULL },
        { "DelegateControllers", "as", F, NULL, NULL },
        { "DisableControllers", "as", F, NULL, NULL },
        { "EffectiveCPUs", "ay", F, NULL, NULL },
        { "EffectiveMemoryNodes", "ay", F, NULL, NULL },
        { "IOReadBytes", "t", F, put_infinity, NULL },
        { "IOReadOperations", "t", F, put_infinity, NULL },
        { "IOWriteBytes", "t", F, put_infinity, NULL },
        { "IOWriteOperations", "t", F, put_infinity, NULL },
        { "IPAccounting", "b", F, NULL, NULL },
        { "IPEgressBytes", "t", F, put_infinity, NULL },
        { "IPEgressFilterPath", "as", F, NULL, NULL },
        { "IPEgressPackets", "t", F, put_infinity, NULL },
        { "IPIngressBytes", "t", F, put_infinity, NULL },
        { "IPIngressFilterPath", "as", F, NULL, NULL },
        { "IPIngressPackets", "t", F, put_infinity, NULL },
        { "ManagedOOMMemoryPressure", "s", F, put_auto, NULL },
        { "ManagedOOMMemoryPressureLimit", "u", F, NULL, NULL },
        { "ManagedOOMPreference", "s", F, put_none, NULL },
        { "ManagedOOMSwap", "s", F, put_auto, NULL },
        { "MemoryAvailable", "t", F, put_infinity, NULL },
        { "RestrictNetworkInterfaces", "(bas)", F, NULL, NULL },
        { "SocketBindAllow", "a(iiqq)", F, NULL, NULL },
        { "SocketBindDeny", "a(iiqq)", F, NULL, NULL },
        { "StartupAllowedCPUs", "ay", F, NULL, NULL },
        { "StartupAllowedMemoryNodes", "ay", F, NULL, NULL },
};

const UnitPropertyTable foreign_group_properties = { group_rows, ELEMENTSOF(group_rows) };

static const UnitProperty exec_rows[] = {
        { "ExtensionDirectories", "as", C | F, NULL, NULL },
        { "ExtensionImages", "a(sba(ss))", C | F, NULL, NULL },
        { "LoadCredentialEncrypted", "a(ss)", C | F, NULL, NULL },
        { "LogNamespace", "s", C | F, NULL, NULL },
        { "MountImages", "a(ssba(ss))", C | F, NULL, NULL },
        { "RestrictFileSystems", "(bas)", C | F, NULL, NULL },
        { "RootHash", "ay", C | F, NULL, NULL },
        { "RootHashPath", "s", C | F, NULL, NULL },
        { "RootHashSignature", "ay", C | F, NULL, NULL },
        { "RootHashSignaturePath", "s", C | F, NULL, NULL },
        { "RootImage", "s", C | F, NULL, NULL },
        { "RootImageOptions", "a(ss)", C | F, NULL, NULL },
        { "RootVerity", "s", C | F, NULL, NULL },
        { "SameProcessGroup", "b", C | F, NULL, NULL },
        { "SetCredentialEncrypted", "a(say)", C | F, NULL, NULL },
        { "StandardErrorFileDescriptorName", "s", C | F, NULL, NULL },
        { "StandardInputFileDescriptorName", "s", C | F, NULL, NULL },
        { "StandardOutputFileDescriptorName", "s", C | F, NULL, NULL },
        { "TTYColumns", "q", C | F, put_no_size, NULL },
        { "TTYRows", "q", C | F, put_no_size, NULL },
        { "UtmpIdentifier", "s", C | F, NULL, NULL },
        { "UtmpMode", "s", C | F, put_init, NULL },
};

const UnitPropertyTable foreign_exec_properties = { exec_rows, ELEMENTSOF(exec_rows) };

static const UnitProperty service_rows[] = {
        { "USBFunctionDescriptors", "s", C | F, NULL, NULL },
        { "USBFunctionStrings", "s", C | F, NULL, NULL },
};

const UnitPropertyTable foreign_service_properties = { service_rows, ELEMENTSOF(service_rows) };

static void put_no_id(const Unit *unit, Sink *sink) {
        sink_u32(sink, UINT32_MAX);
}

static const UnitProperty mount_rows[] = {
        { "NonBlocking", "b", C | F, NULL, NULL },
        { "UID", "u", UNIT_PROPERTY_EMITS_CHANGE | F, put_no_id, NULL },
        { "GID", "u", UNIT_PROPERTY_EMITS_CHANGE | F, put_no_id, NULL },
};

const UnitPropertyTable foreign_mount_properties = { mount_rows, ELEMENTSOF(mount_rows) };

static const UnitProperty socket_rows[] = {
        { "NonBlocking", "b", C | F, NULL, NULL },
        { "SmackLabel", "s", C | F, NULL, NULL },
        { "SmackLabelIPIn", "s", C | F, NULL, NULL },
        { "SmackLabelIPOut", "s", C | F, NULL, NULL },
};

const UnitPropertyTable foreign_socket_properties = { socket_rows, ELEMENTSOF(socket_rows) };

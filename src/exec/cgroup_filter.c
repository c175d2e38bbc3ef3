/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * BPF programs that control access to devices and network addresses
 *
 * The programs are written directly as kernel instructions: a chain of
 * comparisons, each of which jumps to the next rule if it fails. They declare
 * no GPL licence, and call no function that requires one. Subgroups may have
 * further programs, and all must agree, so a unit can only restrict its own
 * groups further.
 *
 * The kernel verifies each program that is loaded, which takes 0.3 ms. Most
 * units want the same as the one before them: so the last program of each kind
 * stays loaded, and is attached to several groups.
 */

#include <errno.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/vector.h"
#include "exec/cgroup_control.h"
#include "exec/cgroup_filter.h"

#define PROGRAMS_MAX 64U
/* The kernel's limit for privileged users. For others, and before Linux 5.2, it is 4096, and loading fails. */
#define INSTRUCTIONS_MAX 1000000U

#define ETHERTYPE_IPV4 0x0800
#define ETHERTYPE_IPV6 0x86DD

typedef struct Program {
        VECTOR(struct bpf_insn) code;
        int error;                      /* the first error */
} Program;

typedef enum ProgramKind {
        PROGRAM_DEVICES,
        PROGRAM_INGRESS,
        PROGRAM_EGRESS,
        _PROGRAM_KIND_MAX,
} ProgramKind;

typedef struct LoadedProgram {
        Program program;                /* owned */
        uint32_t id;
        int fd;                         /* owned */
} LoadedProgram;

static const struct {
        enum bpf_prog_type type;
        enum bpf_attach_type where;
} kinds[_PROGRAM_KIND_MAX] = {
        [PROGRAM_DEVICES] = { BPF_PROG_TYPE_CGROUP_DEVICE, BPF_CGROUP_DEVICE },
        [PROGRAM_INGRESS] = { BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_INGRESS },
        [PROGRAM_EGRESS] = { BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_EGRESS },
};

/* The last one of each kind; without code: none. */
static LoadedProgram last_programs[_PROGRAM_KIND_MAX];

static void add(Program *program, struct bpf_insn instruction) {
        int r = program->code.n < INSTRUCTIONS_MAX ? vector_push(&program->code, instruction) : -E2BIG;

        if (r < 0 && program->error == 0)
                program->error = r;
}

static void load_field(Program *program, uint8_t to, uint8_t from, size_t offset) {
        add(program, (struct bpf_insn) { .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = to, .src_reg = from,
                                         .off = (int16_t) offset });
}

static void copy(Program *program, uint8_t to, uint8_t from) {
        add(program, (struct bpf_insn) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = to, .src_reg = from });
}

static void set(Program *program, uint8_t to, int32_t value) {
        add(program, (struct bpf_insn) { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = to, .imm = value });
}

/* On 32 bits, so that masks are not sign-extended. */
static void change(Program *program, uint8_t operation, uint8_t what, uint32_t value) {
        add(program,
            (struct bpf_insn) { .code = BPF_ALU | operation | BPF_K, .dst_reg = what, .imm = (int32_t) value });
}

/* Continues if the operands are equal; otherwise jumps to the place set by land(). */
static void expect(Program *program, uint8_t what, uint32_t value) {
        add(program,
            (struct bpf_insn) { .code = BPF_JMP32 | BPF_JNE | BPF_K, .dst_reg = what, .imm = (int32_t) value });
}

/* Lets all open jumps since instruction @from go to the next instruction. */
static void land(Program *program, size_t from) {
        for (size_t i = from; i < program->code.n; i++) {
                struct bpf_insn *jump = &program->code.items[i];

                if (jump->code == (BPF_JMP32 | BPF_JNE | BPF_K) && jump->off == 0)
                        jump->off = (int16_t) (program->code.n - i - 1);
        }
}

static void answer(Program *program, bool is_allowed) {
        set(program, BPF_REG_0, is_allowed);
        add(program, (struct bpf_insn) { .code = BPF_JMP | BPF_EXIT });
}

/* — system calls — */

static int call(int command, union bpf_attr *attributes) {
        long r = syscall(SYS_bpf, command, attributes, sizeof(*attributes));

        return r < 0 ? -errno : (int) r;
}

static int load(const Program *program, ProgramKind kind) {
        union bpf_attr attributes;

        if (program->error < 0)
                return program->error;
        memset(&attributes, 0, sizeof(attributes));
        attributes.prog_type = kinds[kind].type;
        attributes.expected_attach_type = kinds[kind].where;
        attributes.insns = (uintptr_t) program->code.items;
        attributes.insn_cnt = (uint32_t) program->code.n;
        attributes.license = (uintptr_t) "LGPL-2.1-or-later";
        return call(BPF_PROG_LOAD, &attributes);
}

static int find_id(int fd, uint32_t *ret_id) {
        struct bpf_prog_info info = {};
        union bpf_attr attributes;
        int r;

        memset(&attributes, 0, sizeof(attributes));
        attributes.info.bpf_fd = (uint32_t) fd;
        attributes.info.info_len = sizeof(info);
        attributes.info.info = (uintptr_t) &info;
        r = call(BPF_OBJ_GET_INFO_BY_FD, &attributes);
        *ret_id = info.id;
        return r;
}

static bool is_same(const Program *one, const Program *other) {
        return one->code.n == other->code.n && other->error == 0 &&
               memcmp(one->code.items, other->code.items, one->code.n * sizeof(*one->code.items)) == 0;
}

/* The loaded program, or NULL with *ret_error. Owns the code of @program. */
static const LoadedProgram *find_loaded(Program *program, ProgramKind kind, int *ret_error) {
        LoadedProgram *last = &last_programs[kind], loaded = { .program = *program };
        int r;

        *program = (Program) {};
        if (last->program.code.n > 0 && is_same(&last->program, &loaded.program)) {
                vector_deinit(&loaded.program.code);
                return last;
        }
        loaded.fd = load(&loaded.program, kind);
        r = loaded.fd < 0 ? loaded.fd : find_id(loaded.fd, &loaded.id);
        if (r < 0) {
                if (loaded.fd >= 0)
                        close(loaded.fd);
                vector_deinit(&loaded.program.code);
                *ret_error = r;
                return NULL;
        }
        if (last->program.code.n > 0)
                close(last->fd);
        vector_deinit(&last->program.code);
        *last = loaded;
        return last;
}

static int attach(int folder, int program, ProgramKind kind) {
        union bpf_attr attributes;

        memset(&attributes, 0, sizeof(attributes));
        attributes.target_fd = (uint32_t) folder;
        attributes.attach_bpf_fd = (uint32_t) program;
        attributes.attach_type = kinds[kind].where;
        attributes.attach_flags = BPF_F_ALLOW_MULTI;
        return call(BPF_PROG_ATTACH, &attributes);
}

static int detach(int folder, uint32_t id, ProgramKind kind) {
        union bpf_attr attributes;
        int program, r;

        memset(&attributes, 0, sizeof(attributes));
        attributes.prog_id = id;
        program = call(BPF_PROG_GET_FD_BY_ID, &attributes);
        if (program < 0)
                return program == -ENOENT ? 0 : program;
        memset(&attributes, 0, sizeof(attributes));
        attributes.target_fd = (uint32_t) folder;
        attributes.attach_bpf_fd = (uint32_t) program;
        attributes.attach_type = kinds[kind].where;
        r = call(BPF_PROG_DETACH, &attributes);
        close(program);
        return r == -ENOENT ? 0 : r;
}

/* Lists the programs attached to the group itself: their number, or -errno. */
static int list(int folder, ProgramKind kind, uint32_t ids[static PROGRAMS_MAX]) {
        union bpf_attr attributes;
        int r;

        memset(&attributes, 0, sizeof(attributes));
        attributes.query.target_fd = (uint32_t) folder;
        attributes.query.attach_type = kinds[kind].where;
        attributes.query.prog_ids = (uintptr_t) ids;
        attributes.query.prog_cnt = PROGRAMS_MAX;
        r = call(BPF_PROG_QUERY, &attributes);
        return r < 0 ? r : (int) attributes.query.prog_cnt;
}

static int attach_if_missing(int folder, const LoadedProgram *loaded, ProgramKind kind, const uint32_t *ids, int n) {
        for (int i = 0; i < n; i++)
                if (ids[i] == loaded->id)
                        return 0;
        return attach(folder, loaded->fd, kind);
}

/*
 * Attaches the new program before the old ones are detached, so that nothing passes in between. @program: NULL to
 * detach only; otherwise its code is owned.
 */
static int replace(const Cgroup *group, Program *program, ProgramKind kind) {
        const LoadedProgram *loaded = NULL;
        uint32_t ids[PROGRAMS_MAX];
        int folder, n, r = 0;

        if (program) {
                loaded = find_loaded(program, kind, &r);
                if (!loaded)
                        return r;
        }
        folder = cgroup_open_file(group, ".");
        if (folder < 0)
                return folder;
        /* If the kernel cannot attach any, it cannot list them either. */
        n = list(folder, kind, ids);
        if (loaded)
                r = attach_if_missing(folder, loaded, kind, ids, n);
        for (int i = 0; r >= 0 && i < n; i++)
                if (!loaded || ids[i] != loaded->id)
                        r = detach(folder, ids[i], kind);
        close(folder);
        return r < 0 ? r : 0;
}

/* Attaches and detaches a program that allows everything. */
static bool can_attach(const Cgroup *group, ProgramKind kind) {
        union bpf_attr attributes;
        Program program = {};
        int folder, fd, r;

        folder = cgroup_open_file(group, ".");
        answer(&program, true);
        fd = load(&program, kind);
        vector_deinit(&program.code);
        r = folder < 0 ? folder : fd < 0 ? fd : attach(folder, fd, kind);
        if (r >= 0) {
                memset(&attributes, 0, sizeof(attributes));
                attributes.target_fd = (uint32_t) folder;
                attributes.attach_bpf_fd = (uint32_t) fd;
                attributes.attach_type = kinds[kind].where;
                (void) call(BPF_PROG_DETACH, &attributes);
        }
        if (fd >= 0)
                close(fd);
        if (folder >= 0)
                close(folder);
        return r >= 0;
}

/* — devices — */

enum {
        REG_CONTEXT = BPF_REG_6,
        REG_TYPE = BPF_REG_2,
        REG_ACCESS = BPF_REG_3,
        REG_MAJOR = BPF_REG_4,
        REG_MINOR = BPF_REG_5,
        REG_SCRATCH = BPF_REG_1,
};

static void add_device_rule(Program *program, const CgroupDeviceRule *rule) {
        size_t start = program->code.n;

        expect(program, REG_TYPE, rule->is_block ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR);
        /* The rule must grant all access that is requested. */
        copy(program, REG_SCRATCH, REG_ACCESS);
        change(program, BPF_AND, REG_SCRATCH, ~(uint32_t) rule->access);
        expect(program, REG_SCRATCH, 0);
        if (rule->major != CGROUP_DEVICE_ANY)
                expect(program, REG_MAJOR, rule->major);
        if (rule->minor != CGROUP_DEVICE_ANY)
                expect(program, REG_MINOR, rule->minor);
        answer(program, true);
        land(program, start);
}

int cgroup_filter_devices(const Cgroup *group, const CgroupDeviceRule *rules, size_t n) {
        Program program = {};

        load_field(&program, REG_TYPE, BPF_REG_1, offsetof(struct bpf_cgroup_dev_ctx, access_type));
        copy(&program, REG_ACCESS, REG_TYPE);
        change(&program, BPF_AND, REG_TYPE, 0xFFFF);
        change(&program, BPF_RSH, REG_ACCESS, 16);
        load_field(&program, REG_MAJOR, BPF_REG_1, offsetof(struct bpf_cgroup_dev_ctx, major));
        load_field(&program, REG_MINOR, BPF_REG_1, offsetof(struct bpf_cgroup_dev_ctx, minor));
        for (size_t i = 0; i < n; i++)
                add_device_rule(&program, &rules[i]);
        answer(&program, false);
        return replace(group, &program, PROGRAM_DEVICES);
}

bool cgroup_can_filter_devices(const Cgroup *group) {
        return can_attach(group, PROGRAM_DEVICES);
}

int cgroup_unfilter_devices(const Cgroup *group) {
        return replace(group, NULL, PROGRAM_DEVICES);
}

/* — addresses — */

#define STACK_ADDRESS (-16)
#define REG_PROTOCOL BPF_REG_7

/* The verifier rejects reads of memory that was not written. */
static void clear_address(Program *program) {
        for (int16_t offset = STACK_ADDRESS; offset < 0; offset += 8)
                add(program,
                    (struct bpf_insn) { .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = offset });
}

/* Copies the peer's address from the packet's header to the stack; if that fails, the packet is dropped. */
static void load_address(Program *program, int32_t offset, int32_t size) {
        copy(program, BPF_REG_1, REG_CONTEXT);
        set(program, BPF_REG_2, offset);
        copy(program, BPF_REG_3, BPF_REG_10);
        add(program,
            (struct bpf_insn) { .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_3, .imm = STACK_ADDRESS });
        set(program, BPF_REG_4, size);
        add(program, (struct bpf_insn) { .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_skb_load_bytes });
        add(program,
            (struct bpf_insn) { .code = BPF_JMP32 | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .imm = 0, .off = 2 });
        answer(program, false);
}

/*
 * Each rule compares the address family itself, so that no jump is longer than a rule: there may be more rules than a
 * jump can skip.
 */
static void add_address_rule(Program *program, const CgroupAddressRule *rule) {
        size_t start = program->code.n;
        unsigned bits = rule->bits;

        expect(program, REG_PROTOCOL, htons(rule->family == AF_INET ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6));
        for (size_t word = 0; bits > 0; word++) {
                unsigned taken = MIN(bits, 32U);
                uint32_t mask = htonl(taken == 32 ? UINT32_MAX : ~(UINT32_MAX >> taken)), value;

                memcpy(&value, rule->address + 4 * word, sizeof(value));
                load_field(program, BPF_REG_1, BPF_REG_10, (size_t) (STACK_ADDRESS + 4 * (int) word));
                change(program, BPF_AND, BPF_REG_1, mask);
                expect(program, BPF_REG_1, value & mask);
                bits -= taken;
        }
        answer(program, rule->allows);
        land(program, start);
}

/* Rules that allow come first, then those that deny. */
static void add_family(Program *program, const CgroupAddressRule *rules, size_t n, int family) {
        for (int allows = 1; allows >= 0; allows--)
                for (size_t i = 0; i < n; i++) {
                        if (rules[i].family != family || rules[i].allows != allows)
                                continue;
                        add_address_rule(program, &rules[i]);
                        if (rules[i].bits == 0)
                                return;         /* this rule matches every packet */
                }
}

static int filter_direction(const Cgroup *group, const CgroupAddressRule *rules, size_t n, bool is_ingress) {
        Program program = {};
        size_t start;

        copy(&program, REG_CONTEXT, BPF_REG_1);
        load_field(&program, REG_PROTOCOL, REG_CONTEXT, offsetof(struct __sk_buff, protocol));
        clear_address(&program);
        start = program.code.n;
        expect(&program, REG_PROTOCOL, htons(ETHERTYPE_IPV4));
        load_address(&program, is_ingress ? 12 : 16, 4);
        land(&program, start);
        start = program.code.n;
        expect(&program, REG_PROTOCOL, htons(ETHERTYPE_IPV6));
        load_address(&program, is_ingress ? 8 : 24, 16);
        land(&program, start);
        add_family(&program, rules, n, AF_INET);
        add_family(&program, rules, n, AF_INET6);
        answer(&program, true);
        return replace(group, &program, is_ingress ? PROGRAM_INGRESS : PROGRAM_EGRESS);
}

int cgroup_filter_addresses(const Cgroup *group, const CgroupAddressRule *rules, size_t n) {
        int r = filter_direction(group, rules, n, true);

        return r < 0 ? r : filter_direction(group, rules, n, false);
}

bool cgroup_can_filter_addresses(const Cgroup *group) {
        return can_attach(group, PROGRAM_INGRESS) && can_attach(group, PROGRAM_EGRESS);
}

int cgroup_unfilter_addresses(const Cgroup *group) {
        int r = replace(group, NULL, PROGRAM_INGRESS);

        return r < 0 ? r : replace(group, NULL, PROGRAM_EGRESS);
}

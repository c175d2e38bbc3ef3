# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of tests/integration/test-effect.sh in the emulated machine.

Few computers on which tests run have all that directives are about: controllers of control groups, all rights, a security
module. The machine has, but for one module at a time; so it is booted for each. Together they show every row: one that
none does is a fault, unless the kernel was built without what it is for. That of tools/boot-kernel may lack nothing.
"""

import glob
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
PLACE = '/usr/lib/boot-test'
SCRIPTS = ['tests/in-namespace', 'tests/integration/test-effect.sh', 'tests/integration/library.sh',
           'tests/integration/group.sh', 'doc/directives.md']

# What busybox has not, or not all of.
PROGRAMS = '''bash dash perl mawk
    basename cat chmod cp cut dirname head id ls mkdir mknod mktemp nice printf readlink rm rmdir seq sleep sort stat tail
    timeout touch tr true uname wc
    chrt find flock grep ionice ip prlimit sed setarch unshare'''.split()
CALLED = {'dash': 'sh', 'mawk': 'awk'}
# What is opened by its name.
MODULES = ['libpam.so.0', 'security/pam_permit.so', 'security/pam_env.so']

# Directives for which the kernel of the machine may have nothing, and what it would be built with.
KERNEL_OPTIONS = {'MemoryZSwapMax': 'CONFIG_ZSWAP', 'IODeviceLatencyTargetSec': 'CONFIG_BLK_CGROUP_IOLATENCY',
                  'SmackProcessLabel': 'CONFIG_SECURITY_SMACK',
                  'AppArmorProfile': 'CONFIG_SECURITY_APPARMOR', 'SELinuxContext': 'CONFIG_SECURITY_SELINUX'}

BOOTS = {'SELinuxContext': 'security=selinux selinux=1', 'SmackProcessLabel': 'security=smack'}
RESOURCES = ['-m', '1024', '-smp', '2']
PATIENCE = 600          # seconds, for each
DISK = '256M'

# Packages that turn text into what a security module reads, and how that is done there.
COMPILERS = ['apparmor', 'secilc', 'libsepol2']
LABELS = {
    'AppArmorProfile': (['sbin/apparmor_parser', 'usr/sbin/apparmor_parser'], 'effect.apparmor',
                        ['--skip-kernel-load', '--skip-cache', '--quiet', '--ofile', '{to}', '{source}'], 'effect.apparmor'),
    'SELinuxContext': (['usr/bin/secilc'], 'effect.cil',
                       ['--mls', 'true', '--policyvers', '33', '--output', '{to}', '--filecontext', '/dev/null', '{source}'],
                       'effect.selinux'),
}


def find_compiler(top, names):
    for path in [top / name for name in names] + ['/' + name for name in names]:
        if pathlib.Path(path).exists():
            return path
    return None


def has_compilers(top):
    return all(find_compiler(top, names) for names, *_ in LABELS.values())


def compile_labels(top, folder):
    """Into @folder; what there is no compiler for is returned."""
    missing = []
    for directive, (names, source, arguments, to) in LABELS.items():
        compiler = find_compiler(top, names)
        if not compiler:
            missing.append(directive)
            continue
        words = [word.format(to=folder / to, source=HERE / source) for word in arguments]
        found = ':'.join(glob.glob(str(top / '**/lib/x86_64-linux-gnu'), recursive=True))
        subprocess.run([compiler, *words], check=True, env={'LD_LIBRARY_PATH': found}, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    return missing


def find_module(name):
    for path in sorted(glob.glob('/usr/lib/*/' + name) + glob.glob('/lib/*/' + name)):
        return path
    return None


def fill_root(root, build, libraries, install):
    """Adds to @root what the test needs. What this computer has not is returned."""
    programs = {name: shutil.which(name) for name in PROGRAMS}
    modules = [find_module(name) for name in MODULES]
    start_ready = build / 'tests/integration/start-ready'
    lacking = [name for name, path in programs.items() if not path]
    lacking += [name for name, path in zip(MODULES, modules) if not path] + ([] if start_ready.exists() else ['start-ready'])
    if lacking:
        return lacking
    for name, path in programs.items():
        target = root / 'bin' / CALLED.get(name, name)
        if target.is_symlink():
            target.unlink()
        install(path, root, '/bin/' + target.name, 0o755)
    for path in {*modules, *libraries([*programs.values(), *modules, start_ready])}:
        install(path, root, path, 0o755)
    install(start_ready, root, PLACE + '/start-ready', 0o755)
    for name in SCRIPTS:
        install(SOURCE / name, root, PLACE + '/' + name)
    install(HERE / 'effects', root, PLACE + '/effects')
    base = subprocess.run(['perl', '-e', 'print grep { m{/perl-base$} } @INC'], check=True, capture_output=True, text=True).stdout
    shutil.copytree(base, root / base.lstrip('/'))
    for path, text in (('etc/passwd', 'daemon:x:1:1::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n'),
                       ('etc/group', 'daemon:x:1:\nnogroup:x:65534:\n'), ('etc/environment', ''),
                       ('etc/security/pam_env.conf', '')):
        (root / path).parent.mkdir(exist_ok=True)
        with open(root / path, 'a', encoding='utf-8') as file:
            file.write(text)
    (root / 'etc/pam.d').mkdir()
    (root / 'root/some').touch()          # what ProtectHome= hides
    (root / 'home').mkdir()
    (root / 'srv').mkdir()
    (root / 'var/tmp').mkdir(parents=True)
    return []


def is_built_with(config, directive):
    option = KERNEL_OPTIONS.get(directive)
    return not option or bool(re.search('^%s=[ym]' % option, config, re.MULTILINE))


def boots(config):
    """What the kernel is told: once for all, and once for each module that it has beside the usual one."""
    return ['boot-test.effects=.'] + ['%s boot-test.effects=%s' % (words, directive) for directive, words in BOOTS.items()
                                      if is_built_with(config, directive)]


class Judge:
    """Takes what the machines said, one after the other."""

    def __init__(self):
        self.shown = set()
        self.hidden = {}        # and why
        self.failed = {}        # and what was seen
        self.wrong = []

    def hear(self, text):
        if not re.search(r'^1\.\.\d+$', text, re.MULTILINE):
            self.wrong.append('the test did not end, but said: %s' % text[-2000:])
        for state, name, why in re.findall(r'^(ok|not ok) \d+ - (.*?)(?: # SKIP (.*))?$', text, re.MULTILINE):
            if state != 'ok':
                self.failed[name] = ' '.join(re.findall('^# .*', text.split(name, 1)[1], re.MULTILINE)[:12])
            elif why:
                self.hidden[name] = why
            else:
                self.shown.add(name)

    def excuse(self, config, missing, directive):
        """Why it is not shown here, and that is nobody's fault; or None."""
        if not is_built_with(config, directive):
            return 'the kernel is built without %s' % KERNEL_OPTIONS[directive]
        if directive in missing:
            return '%s has no compiler here, --fetch gets it' % LABELS[directive][1]
        return None

    def doubts(self, config, missing):
        """What the kernel is told to ask again what was not so. Each row is one of a hundred that run side by side, in a
        machine that stands still now and then: what is wrong with jobd is wrong alone, too."""
        names = {name.split('=', 1)[0] for name in [*self.failed, *self.hidden]
                 if name.endswith(' has its effect') and name not in self.shown}
        names = sorted(name for name in names if not self.excuse(config, missing, name))
        usual = '|'.join(name for name in names if name not in BOOTS)
        return (['boot-test.effects=^(%s)$' % usual] if usual else []) + [
            '%s boot-test.effects=%s' % (BOOTS[name], name) for name in names if name in BOOTS]

    def close(self, config, missing, is_all):
        """What is wrong, and what is not shown, with the reason; @is_all: that is wrong, too."""
        notes = ['%s: only when it was asked again, before: %s' % (name, seen) for name, seen in sorted(self.failed.items())
                 if name in self.shown]
        self.wrong += ['%s: not so; %s' % (name, seen) for name, seen in sorted(self.failed.items()) if name not in self.shown]
        for name, why in sorted(self.hidden.items()):
            directive = name.split('=', 1)[0]
            if name in self.shown:
                continue
            excuse = self.excuse(config, missing, directive)
            if excuse:
                notes.append('%s is not shown: %s' % (directive, excuse))
            else:
                self.wrong.append('%s: shown nowhere: %s' % (name, why))
        if len(self.shown) < 100:
            self.wrong.append('only %d rows are shown' % len(self.shown))
        if is_all:
            self.wrong, notes = self.wrong + notes, []
        print('    %d rows are shown' % len(self.shown))
        return self.wrong, notes

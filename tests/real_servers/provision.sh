#!/bin/sh
# Unpacks real servers for the tests that BINLOG_SERVERS turns on. Nothing is installed and no root is needed: the
# packages come from the machine's own Debian mirror, are checked by apt, and are unpacked into a folder.
#
# Usage: provision.sh FOLDER [SERVER...]      servers: mysql (9.x), mariadb1011, mariadb118; all of them by default
set -eu

folder=${1:?usage: provision.sh FOLDER [mysql] [mariadb1011] [mariadb118]}
shift
[ $# -gt 0 ] || set -- mysql mariadb1011 mariadb118

machine=$(dpkg --print-architecture)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# Dependencies that a server run only by tests does not need: interpreters, and scripts of the packages.
unneeded='^(perl.*|libperl.*|libdbi-perl|libdb[0-9].*|adduser|passwd|debconf|rsync|socat|galera.*|lsof|psmisc|iproute2|gawk|.*-common)$'

mirror() {
    # The first Debian mirror that the machine itself uses.
    {
        cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -n 's/^URIs: *\([^ ]*\).*/\1/p'
        cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
            sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\).*/\2/p'
    } | grep -m 1 '/debian/\{0,1\}$'
}

private_apt() {
    # apt-get with its own lists, cache and package state below $state, so that the machine's stay as they are.
    tool=$1
    shift
    "$tool" -qq -o "Dir=$state" -o "Dir::State::status=$state/status" -o "APT::Architecture=$machine" \
        -o Acquire::Languages=none -o APT::Sandbox::User= -o APT::Install-Recommends=false "$@"
}

unpack() { # unpack TARGET SUITE WITH_DEPENDENCIES ALONE
    target=$1 suite=$2 whole=$3 alone=$4
    state=$target/apt
    mkdir -p "$state/etc/apt/apt.conf.d" "$state/etc/apt/preferences.d" "$state/etc/apt/sources.list.d" \
        "$state/etc/apt/trusted.gpg.d" "$state/var/lib/apt/lists/partial" \
        "$state/var/cache/apt/archives/partial" "$target/packages" "$target/root"
    : >"$state/status"
    echo "deb [signed-by=$keyring] $(mirror) $suite main" >"$state/etc/apt/sources.list"
    private_apt apt-get update
    # shellcheck disable=SC2086 # the names are words
    names=$( { private_apt apt-get --print-uris install $whole | sed "s/^[^ ]* \([^_]*\)_.*/\1/"; printf '%s\n' $alone; } |
        sort -u | grep -Ev "$unneeded")
    # shellcheck disable=SC2086
    (cd "$target/packages" && private_apt apt-get download $names)
    for package in "$target"/packages/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$target/root" --no-same-owner --keep-directory-symlink \
            --exclude=./usr/share/man --exclude=./usr/share/locale --exclude=./usr/lib/mysql-testsuite
    done
    rm -rf "$target/packages" "$state"
}

program() { # program TARGET PATH: a script in bin that runs a program with the libraries of its own tree
    target=$(cd "$1" && pwd) path=$target/root/usr/$2
    loader=$(find "$target/root" -name 'ld-linux*.so.*' | head -n 1)
    libraries=$(dirname "$(find "$target/root" -name 'libc.so.6' | head -n 1)")
    libraries=$libraries:$target/root/usr/lib/$(basename "$libraries"):$target/root/lib/$(basename "$libraries")
    mkdir -p "$target/bin"
    printf '#!/bin/sh\nexec "%s" --library-path "%s" --argv0 "%s" "%s" "$@"\n' \
        "$loader" "$libraries" "$path" "$path" >"$target/bin/$(basename "$path")"
    chmod +x "$target/bin/$(basename "$path")"
}

for server in "$@"; do
    target=$folder/$server
    case $server in
    mysql) suite=sid packages='mysql-server-core mysql-client-core' alone= programs='sbin/mysqld bin/mysql bin/mysqlbinlog' ;;
    mariadb1011) suite=bookworm ;;
    mariadb118) suite=trixie ;;
    *)
        echo "provision.sh: no server $server; there are mysql, mariadb1011 and mariadb118" >&2
        exit 2
        ;;
    esac
    if [ "$server" != mysql ]; then
        packages='mariadb-server-core mariadb-client-core' alone='mariadb-client mariadb-server'
        programs='sbin/mariadbd bin/mariadb bin/mariadb-binlog'
    fi
    # A server that was unpacked before is kept, even if another script made the same folders.
    if [ ! -e "$target/bin/$(basename "${programs%% *}")" ]; then
        rm -rf "$target"
        unpack "$target" "$suite" "$packages" "$alone"
        for each in $programs; do program "$target" "$each"; done
    fi
    "$target/bin/$(basename "${programs%% *}")" --no-defaults --version
done

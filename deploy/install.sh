#!/usr/bin/env bash
# Install Condottiere by email on Debian 12 or 13, bring it to this checkout's release, or take it away.
# docs/INSTALL.md explains it. Every step looks first whether it is done, so any run may be repeated.
set -Eeuo pipefail
umask 022 # what only the site may read gets its mode below

usage() {
    cat <<'TEXT'
deploy/install.sh --domain games.example.org --operator you@example.org

Installs the site of this checkout, or upgrades it (then no option is needed).

  --domain NAME      the site's name in the DNS
  --operator ADDRESS the operator's email address
  --restore FILE     begin with a backup of `manage.py backup` instead of an empty site
  --tls internal     a certificate of Caddy's own authority: for a local network, or a trial
  --dry-run          print each step, and change nothing
  --root FOLDER      write the files below FOLDER, and print the commands: for packagers and tests
  --uninstall        take the services and their files away, and keep what the site has stored
  --purge            with --uninstall: delete what the site has stored too

The first run puts settings from its environment into /etc/condottiere/site.env, such as SITE_NAME or TIME_ZONE.
With EMAIL_URL that mail server sends the emails, and no mail server is installed here.
TEXT
}

code=$(cd "$(dirname "$0")/.." && pwd -P)
readonly code
readonly settings=/etc/condottiere/site.env
readonly installed=/etc/condottiere/installed # what we wrote, to tell it from what the operator changed
readonly stored=/var/lib/condottiere
readonly backups=/var/backups/condottiere
readonly dkim_key=/etc/dkimkeys/condottiere.private
readonly trusted=/usr/local/share/ca-certificates/condottiere-caddy.crt # with --tls internal
readonly log=/var/log/condottiere-install.log
readonly least_memory_mb=900 least_disk_mb=2500
readonly first_settings="SITE_NAME SITE_NAME_PL SITE_NAME_RU TIME_ZONE EMAIL_URL DEFAULT_FROM_EMAIL REPLY_ADDRESS BOUNCE_ADDRESS
    MAILBOX_URL"
readonly units="condottiere.target condottiere-web.service condottiere-worker.service condottiere-beat.service
    condottiere-mail.service condottiere-backup.service condottiere-backup.timer condottiere-.service.d/common.conf"

domain='' operator='' backup='' tls=public root='' doing=install purge=false
acts=true   # run commands; otherwise print them
writes=true # write files; otherwise name them
step='its start'
code_sum='' # of all files that the site runs from

main() {
    read_options "$@"
    trap 'failed' ERR
    if [ "$doing" = uninstall ]; then
        check_machine
        uninstall
        return
    fi
    check_code
    choose_names
    check_machine
    check_room
    check_ports
    hold_lock
    install_packages
    make_user
    write_settings
    make_environment
    make_database
    bring_to_release
    set_up_mail
    set_up_caddy
    set_up_units
    tell_the_rest
}

# Words to the operator

say() { printf '%s\n' "$*"; }

begin() {
    step=$1
    say "== $1"
}

stop() {
    trap - ERR
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

failed() {
    [ "$BASH_SUBSHELL" -eq 0 ] || exit 1
    trap - ERR
    printf 'install.sh: This step failed: %s. Mend what is said above, then start the same command again: it goes on from there. All that was said is in %s.\n' \
        "$step" "$log" >&2
    exit 1
}

# What each mode does

run() { # without the lock, which a service that starts here would keep
    if $acts; then "$@" 9>&-; else say "+ $*"; fi
}

quietly() { # a command that prints much: into the log, its end shown if it fails
    if ! $acts; then
        say "+ $*"
    elif ! "$@" >>"$log" 2>&1 </dev/null 9>&-; then
        tail -n 5 "$log" >&2
        return 1
    fi
}

is() { # a question to the machine; with --root nothing is there yet
    [ -z "$root" ] && "$@" >/dev/null 2>&1
}

systemd_runs() { [ -d /run/systemd/system ]; }

manage() { run /usr/local/sbin/condottiere "$@"; }

# Options and checks

read_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --domain | --operator | --restore | --tls | --root)
            [ -n "${2:-}" ] || stop "$1 needs a value. See deploy/install.sh --help."
            case $1 in
            --domain) domain=$2 ;;
            --operator) operator=$2 ;;
            --restore) backup=$2 ;;
            --tls) tls=$2 ;;
            --root) root=${2%/} acts=false ;;
            esac
            shift
            ;;
        --dry-run) acts=false writes=false ;;
        --uninstall) doing=uninstall ;;
        --purge) purge=true ;;
        --help | -h)
            usage
            exit 0
            ;;
        *) stop "There is no option $1. See deploy/install.sh --help." ;;
        esac
        shift
    done
    [ "$tls" = public ] || [ "$tls" = internal ] || stop "--tls takes only the word internal."
    $purge && [ "$doing" != uninstall ] && stop "--purge deletes games and accounts, and goes only with --uninstall."
    [ -z "$backup" ] || [ -f "$backup" ] || stop "There is no backup $backup."
    [ -z "$root" ] || [ -d "$root" ] || stop "There is no folder $root."
}

check_code() {
    [ -f "$code/manage.py" ] || stop "$code is not a whole checkout of the site: manage.py is missing."
    case $code in
    /opt/* | /srv/*) ;;
    *) [ -n "$root" ] || stop "The site's services can't run from $code: move the checkout below /opt or /srv, such as /opt/condottiere." ;;
    esac
    [[ $code =~ ^[A-Za-z0-9/._-]+$ ]] || stop "The path $code has characters that units can't take: use letters, digits, dots, hyphens."
}

choose_names() { # from options, else from the settings of an earlier run
    local old old_operator
    [ ! -e "$root$settings" ] || [ -r "$root$settings" ] || stop "Only root can read $settings: put sudo before the command."
    old=$(setting SITE_URL)
    old=${old#http*://}
    old=${old%/}
    [ -z "$domain" ] || [ -z "$old" ] || [ "$domain" = "$old" ] ||
        stop "This site is $old. To move it, change SITE_URL and the addresses in $settings, then run this again without --domain."
    domain=${old:-$domain}
    old_operator=$(setting OPERATOR_EMAIL | sed 's/.*<\(.*\)>.*/\1/')
    operator=${old_operator:-$operator}
    [ -n "$domain" ] || stop "Give the site's name: --domain games.example.org."
    [ -n "$operator" ] || stop "Give the operator's email address: --operator you@example.org."
    [[ $domain =~ ^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$ ]] ||
        stop "--domain takes a full name in small letters, such as games.example.org."
    [[ $operator =~ ^[A-Za-z0-9._%+-]+@([A-Za-z0-9-]+\.)+[A-Za-z0-9-]+$ ]] ||
        stop "--operator takes one email address, such as you@example.org."
    local name
    for name in $first_settings; do
        [[ ${!name:-} != *[\"\'\\]* && ${!name:-} != *$'\n'* ]] ||
            stop "$name must be one line without quotes and backslashes: write them as %22, %27 and %5C in addresses."
    done
}

setting() { # a setting of an earlier run
    [ ! -r "$root$settings" ] || sed -n "s/^$1=//p" "$root$settings" | tail -n 1
}

has_own_mail() { # whether Postfix here sends the emails
    local url
    url=$(setting EMAIL_URL)
    [ -r "$root$settings" ] || url=${EMAIL_URL:-smtp://127.0.0.1:25}
    [ "$url" = smtp://127.0.0.1:25 ]
}

check_machine() {
    local id='' version=''
    if [ -f "$root/etc/os-release" ]; then
        id=$(sed -n 's/^ID=//p' "$root/etc/os-release")
        version=$(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' "$root/etc/os-release")
    fi
    case $id-$version in
    debian-12 | debian-13) ;;
    *) stop "This is for Debian 12 and 13, and here is ${id:-something else} $version. docs/HOSTING.md says what a site needs elsewhere." ;;
    esac
    ! $acts || [ "$(id -u)" -eq 0 ] || stop "Only root can do this: put sudo before the command."
}

check_room() {
    [ -z "$root" ] || return 0
    local memory disk
    memory=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
    [ "$memory" -ge $least_memory_mb ] || stop "This machine has $memory MB of memory, and the site needs 1 GB."
    is_first_run || return 0
    disk=$(df -Pm / "$code" | awk 'NR > 1 { print $4 }' | sort -n | head -n 1)
    [ "$disk" -ge $least_disk_mb ] || stop "Only $disk MB of disk are free, and the site needs $least_disk_mb MB to begin with."
}

is_first_run() { [ ! -d "$root$installed" ]; }

check_ports() {
    # Only root sees which program has a port.
    [ -z "$root" ] && [ "$(id -u)" -eq 0 ] || return 0
    local port program
    for port in 80 443 25 8000 2525 8891; do
        [ $port != 25 ] || has_own_mail || continue
        program=$(ss -Hltnp "sport = :$port" | sed 's/.*users:(("\([^"]*\)".*/\1/' | head -n 1)
        [ -n "$program" ] || continue
        is_first_run || case $port-$program in
        80-caddy | 443-caddy | 25-master | 8000-gunicorn | 2525-python* | 8891-opendkim) continue ;;
        esac
        stop "Port $port is taken by $program: remove that program, or use another machine."
    done
}

hold_lock() {
    $acts || return 0
    exec 9>/run/lock/condottiere-install
    flock -n 9 || stop "Another run of install.sh is at work here. Wait for it."
    (umask 077 && touch "$log")
    chmod 600 "$log"
    if [ -f "$installed/running" ]; then
        say "An earlier run stopped at: $(cat "$installed/running"). This one goes on from there."
    fi
    install -d -m 755 /etc/condottiere
    install -d -m 700 "$installed"
}

# Steps

install_packages() {
    begin 'Packages'
    note_step
    local packages="ca-certificates caddy curl postgresql python3 python3-venv redis-server" missing='' name
    if has_own_mail; then packages+=" opendkim opendkim-tools postfix ssl-cert"; fi
    for name in $packages; do
        is_installed "$name" || missing+=" $name"
    done
    [ -n "$missing" ] || return 0
    export DEBIAN_FRONTEND=noninteractive
    quietly dpkg --configure -a
    quietly apt-get -o DPkg::Lock::Timeout=300 update -q ||
        stop "Debian's package lists can't be fetched. Check the network and /etc/apt/sources.list."
    # shellcheck disable=SC2086 # names without spaces
    quietly apt-get -o DPkg::Lock::Timeout=300 install -q -y --no-install-recommends $missing
}

is_installed() { # as dpkg says it: "Status: install ok installed"
    is dpkg-query --status "$1" && dpkg-query --status "$1" | grep -q '^Status: .* installed$'
}

wait_for() { # a command that will succeed in a moment
    local seconds
    for seconds in $(seq 30); do
        ! "$@" || return 0
        sleep 1
    done
    say "$* still fails after $seconds seconds."
    return 1
}

note_step() { ! $acts || printf '%s\n' "$step" >"$installed/running"; }

make_user() {
    begin 'The user condottiere'
    note_step
    is getent passwd condottiere ||
        run useradd --system --user-group --home-dir $stored --no-create-home --shell /usr/sbin/nologin condottiere
    run install -d -m 700 -o condottiere -g condottiere $stored $backups
}

write_settings() {
    begin "Settings in $settings"
    note_step
    [ -f "$root$settings" ] || put debian/site.env $settings 640
    run chgrp condottiere $settings
    put debian/condottiere /usr/local/sbin/condottiere 755
}

put() { # put TEMPLATE FILE MODE: write FILE, unless the operator has changed it since we wrote it
    local text old_text=$root$installed$2 to=$root$2
    text=$(render "$1")
    if [ -f "$to" ] && [ "$(cat "$to")" = "$text" ]; then
        remember "$2" "$text"
        return
    fi
    if [ -f "$to" ] && [ -f "$old_text" ] && ! cmp -s "$to" "$old_text"; then
        [ "$(cat "$old_text")" != "$text" ] || return 0
        say "$2 has changes of yours, so it stays. What this release would write is in $2.new."
        to+=.new
    else
        say "Writing $2"
    fi
    $writes || return 0
    mkdir -p "$(dirname "$to")" "$(dirname "$old_text")"
    if [ -f "$to" ] && [ ! -f "$old_text" ] && [ ! -f "$old_text.before" ]; then cp -p "$to" "$old_text.before"; fi
    (umask 077 && printf '%s\n' "$text" >"$to.part")
    chmod "$3" "$to.part"
    mv "$to.part" "$to"
    remember "$2" "$text"
}

remember() {
    $writes || return 0
    mkdir -p "$(dirname "$root$installed$1")"
    (umask 077 && printf '%s\n' "$2" >"$root$installed$1")
}

render() { # a file of deploy/, with the names of this site in place of the examples
    local text name
    text=$(cat "$code/deploy/$1")
    text=${text//games.example.org/"$domain"}
    text=${text//you@example.org/"$operator"}
    text=${text//\/opt\/condottiere/"$code"}
    if [ "$1" = debian/site.env ]; then
        for name in $first_settings; do
            [ -z "${!name:-}" ] || text=$(set_line "$name" "$text")
        done
        if [ -n "${EMAIL_URL:-}" ]; then # replies can't come to a mail server that isn't here
            [ -n "${REPLY_ADDRESS:-}" ] || text=${text/$'\n'REPLY_ADDRESS=/$'\n'#REPLY_ADDRESS=}
            [ -n "${BOUNCE_ADDRESS:-}" ] || text=${text/$'\n'BOUNCE_ADDRESS=/$'\n'#BOUNCE_ADDRESS=}
        fi
    fi
    if [ "$1" = debian/Caddyfile ] && has_internal_tls; then text=${text/\# tls internal/tls internal}; fi
    printf '%s\n' "$text"
}

set_line() { # the text with NAME=value for its line of that name
    local line
    while IFS= read -r line; do
        case $line in
        "$1="* | "#$1="*) printf '%s=%s\n' "$1" "${!1}" ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <<<"$2"
}

has_internal_tls() {
    [ "$tls" = internal ] || grep -qs '^[[:space:]]*tls internal' "$root$installed/etc/caddy/Caddyfile"
}

make_environment() {
    begin "Python packages in $code/var/venv (a minute at first)"
    note_step
    run install -d -m 755 "$code/var"
    # `manage.py` makes the environment that the lock files name, if it isn't there. This key signs nothing.
    (
        cd "$code"
        quietly env PYTHONDONTWRITEBYTECODE=1 STATE_DIR="$code/var" SECRET_KEY="only for this set-up, which signs nothing" \
            DATABASE_URL='' EMAIL_URL='' REDIS_URL='' /usr/bin/python3 manage.py version
    )
    if is_new_code; then
        # The services can't write compiled files next to the code.
        quietly "$code/var/venv/bin/python" -m compileall -q -j 0 -x '/tests?/' \
            "$code/var/venv/lib" "$code/accounts" "$code/condottiere_site" "$code/games" || true
        # Whatever the umask was when it was cloned, the site's user reads the code.
        run chmod -R a+rX "$code"
    fi
}

is_new_code() {
    [ -n "$code_sum" ] || code_sum=$(cd "$code" && find accounts condottiere_site deploy games templates locale manage.py \
        requirements.lock -type f ! -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum | sha256sum)
    [ "$code_sum" != "$(cat "$root$installed/code" 2>/dev/null)" ]
}

make_database() {
    begin 'The database condottiere in PostgreSQL'
    note_step
    start postgresql
    start redis-server
    ! $acts || wait_for as_postgres pg_isready
    is as_postgres psql -d condottiere -c '' && return 0
    is_role_there || run_as_postgres createuser condottiere
    run_as_postgres createdb --owner condottiere --encoding UTF8 --locale C.UTF-8 --template template0 condottiere
}

start() {
    if ! $acts || systemd_runs; then
        is systemctl is-active --quiet "$1" || run systemctl enable --now --quiet "$1"
    else
        service "$1" status >/dev/null 2>&1 || quietly service "$1" start
    fi
}

as_postgres() { (cd / && is runuser -u postgres -- "$@"); }
run_as_postgres() { (cd / && run runuser -u postgres -- "$@"); }
is_role_there() { [ -z "$root" ] && [ "$(cd / && runuser -u postgres -- psql -Atc "select 1 from pg_roles where rolname = 'condottiere'" 2>/dev/null)" = 1 ]; }

bring_to_release() {
    begin 'The site'
    note_step
    if [ -n "$backup" ]; then
        # Its user can't read where root keeps it.
        run install -m 600 -o condottiere -g condottiere "$backup" $stored/restore.backup
        manage restore $stored/restore.backup || {
            run rm -f $stored/restore.backup
            return 1
        }
        run rm -f $stored/restore.backup
    fi
    if is_new_code || [ -n "$backup" ]; then manage upgrade; fi
    if $writes; then
        mkdir -p "$root$installed"
        printf '%s\n' "$code_sum" >"$root$installed/code"
    fi
}

set_up_mail() {
    has_own_mail || return 0
    begin 'Email: Postfix and OpenDKIM'
    note_step
    if [ ! -f "$root$dkim_key" ]; then
        run opendkim-genkey --bits=2048 --selector=condottiere --domain="$domain" --directory=/etc/dkimkeys --restrict
    fi
    run chown opendkim:opendkim $dkim_key
    put debian/opendkim.conf /etc/opendkim.conf 644
    put debian/main.cf /etc/postfix/main.cf 644
    bring_up opendkim restart /etc/opendkim.conf
    bring_up postfix restart /etc/postfix/main.cf
}

set_up_caddy() {
    begin 'Pages: Caddy'
    note_step
    put debian/Caddyfile /etc/caddy/Caddyfile 644
    bring_up caddy reload-or-restart /etc/caddy/Caddyfile
    if has_internal_tls; then trust_internal_tls; fi
}

trust_internal_tls() { # here, so that check_site does; browsers elsewhere don't
    local from=/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt
    is cmp -s $from $trusted && return
    if $acts && systemd_runs; then wait_for test -f $from; fi
    ! $acts || [ -f $from ] || return 0
    run cp $from $trusted
    quietly update-ca-certificates
}

set_up_units() {
    begin 'Services'
    note_step
    local unit
    for unit in $units; do
        put "systemd/$unit" "/etc/systemd/system/$unit" 644
    done
    if $acts && ! systemd_runs; then
        say "systemd isn't running here, so nothing was started. When it runs: systemctl daemon-reload && systemctl enable --now $(enabled_units)"
        return 0
    fi
    run systemctl daemon-reload
    # shellcheck disable=SC2046 # names without spaces
    run systemctl enable --quiet $(enabled_units)
    # shellcheck disable=SC2046,SC2086
    bring_up condottiere.target restart $settings $installed/code $(printf '/etc/systemd/system/%s ' $units)
    # The first backup is made now: it shows whether backups work.
    compgen -G "$root$backups/*.backup" >/dev/null || run systemctl start condottiere-backup.service
}

enabled_units() {
    local unit names=''
    for unit in $units; do
        case $unit in
        *.d/* | condottiere-backup.service) ;;
        condottiere-mail.service) ! has_own_mail || names+=" $unit" ;;
        *) names+=" $unit" ;;
        esac
    done
    printf '%s' "${names# }"
}

bring_up() { # bring_up SERVICE VERB FILE...: start it, or let it read its files again if they are new to it
    local service=$1 verb=$2 sum='' stamp="$installed/$1.read"
    shift 2
    if ! $acts; then
        run systemctl "$verb" "$service"
        return
    fi
    if ! systemd_runs; then
        say "systemd isn't running here: start $service yourself (service $service restart)."
        return
    fi
    sum=$(sha256sum "$@")
    systemctl is-active --quiet "$service" && [ "$sum" = "$(cat "$stamp" 2>/dev/null)" ] && return
    systemctl enable --quiet "$service"
    systemctl "$verb" "$service"
    printf '%s\n' "$sum" >"$stamp"
}

# The end

tell_the_rest() {
    step='the last words'
    if ! $acts; then
        $writes || say "Nothing was changed."
        return 0
    fi
    rm -f "$installed/running"
    say
    say "DNS records of $domain (also in /etc/condottiere/dns-records.txt):"
    say
    dns_records | tee /etc/condottiere/dns-records.txt
    say
    say "The reverse name of each address (PTR), set where you rent the machine, must be $domain."
    say
    if [ ! -f "$installed/signed-in" ]; then
        touch "$installed/signed-in"
        say "Sign in as $operator within a day, once, by this link (another: condottiere operator_link):"
        manage operator_link
    else
        say "The site is at this checkout's release. A link to sign in: condottiere operator_link"
    fi
}

dns_records() {
    local address
    for address in $(own_addresses 4); do record "$domain" A "$address"; done
    for address in $(own_addresses 6); do record "$domain" AAAA "$address"; done
    has_own_mail || return 0
    record "$domain" MX "10 $domain."
    record "$domain" TXT '"v=spf1 mx -all"'
    record "condottiere._domainkey.$domain" TXT "$(sed -n 's/^[^"]*\("[^"]*"\).*/\1/p' "${dkim_key%private}txt" | paste -sd ' ')"
    record "_dmarc.$domain" TXT "\"v=DMARC1; p=none; rua=mailto:postmaster@$domain\""
}

own_addresses() { # the public ones; behind a router, only the router knows it
    local found
    found=$(ip -o "-$1" address show scope global | awk '!/ temporary / { sub("/.*", "", $4); print $4 }' |
        grep -Ev '^(10\.|127\.|192\.168\.|172\.(1[6-9]|2[0-9]|3[01])\.|f[cd])' || true)
    [ "$1" = 6 ] || [ -n "$found" ] || found=THE-PUBLIC-ADDRESS
    printf '%s' "$found"
}

record() { printf '%s. %s %s\n' "$1" "$2" "$3"; }

uninstall() {
    begin 'Services'
    # shellcheck disable=SC2046 # names without spaces
    if systemd_runs && is systemctl cat condottiere.target; then run systemctl disable --now --quiet $(enabled_units); fi
    ! systemd_runs || run systemctl disable --now --quiet caddy
    if systemd_runs && has_own_mail; then run systemctl disable --now --quiet postfix opendkim; fi
    begin 'Files'
    take_files_away
    if is test -f $trusted; then
        run rm $trusted
        quietly update-ca-certificates --fresh
    fi
    ! systemd_runs || run systemctl daemon-reload
    if $purge; then
        begin 'What the site has stored'
        run_as_postgres dropdb --if-exists condottiere
        run_as_postgres dropuser --if-exists condottiere
        run rm -rf $stored $backups /etc/condottiere $dkim_key "${dkim_key%private}txt" "$code/var" "$log"
        ! is getent passwd condottiere || run userdel condottiere
        say "Everything of the site is gone but its code in $code, and Debian's packages."
    else
        say "Kept: the database condottiere in PostgreSQL, $stored (its key), $backups, /etc/condottiere,"
        say "$dkim_key, the code in $code, and Debian's packages. deploy/install.sh brings the site back."
        say "To delete these too: deploy/install.sh --uninstall --purge"
    fi
}

take_files_away() {
    local kept file
    [ -d "$root$installed" ] || return 0
    (cd "$root$installed" && find . -type f -path './*/*' ! -name '*.before') | while IFS= read -r kept; do
        file=${kept#.}
        [ "$file" != $settings ] || continue
        if [ -f "$root$file" ] && ! cmp -s "$root$file" "$root$installed$file"; then
            say "$file has changes of yours: they are kept in $file.removed"
            run cp -p "$file" "$file.removed"
        fi
        if [ -f "$root$installed$file.before" ]; then
            run mv "$installed$file.before" "$file"
        else
            run rm -f "$file"
        fi
    done
    if [ -d "$root/etc/systemd/system/condottiere-.service.d" ]; then
        run rmdir --ignore-fail-on-non-empty /etc/systemd/system/condottiere-.service.d
    fi
    run rm -rf "$installed"
}

main "$@"

#!/bin/sh
# Installs kernelbot-runner @VERSION@ from @SERVER@ on the machine with the hardware, and starts it:
#
#     curl -fsSL @SERVER@/install-runner.sh | sh -s -- --token TOKEN --target H100
#
# As root on a system with systemd, the runner becomes a service. Otherwise the script prints the command that starts it.
# A later run upgrades it; token, target and name are kept unless they are given again.
set -eu

script=install-runner.sh
@COMMON@

token=
target=
name=
python=
foreground=
uninstall=
# Whether the runner becomes a service.
service=
if [ "$(id -u)" = 0 ] && [ -d /run/systemd/system ]; then service=yes; fi

usage() {
  cat <<END
Usage: curl -fsSL $server/install-runner.sh | sh -s -- --token TOKEN --target TARGET [options]

  --token TOKEN      token of the runner, which kernelbot runners add TARGET creates; also KERNELBOT_RUNNER_TOKEN
  --token-file FILE  file that contains the token
  --target TARGET    target of this machine, such as cpu or H100
  --name NAME        name of the runner (default: the host name)
  --python PATH      Python that has PyTorch (default: python3, then /usr/bin/python3)
  --user             install for this user only, without a service
  --foreground       start the runner in this terminal, without a service
  --uninstall        stop and remove the runner, its settings and its token
END
}

usage_error() {
  echo "$script: $*" >&2
  usage >&2
  exit 2
}

parse_options() {
  while [ $# -gt 0 ]; do
    option=$1
    shift
    case $option in
      --user) service= ;;
      --foreground)
        service=
        foreground=yes
        ;;
      --uninstall) uninstall=yes ;;
      --help | -h) usage && exit ;;
      --*=*)
        set -- "${option%%=*}" "${option#*=}" "$@"
        continue
        ;;
      --token | --token-file | --target | --name | --python)
        [ $# -gt 0 ] && [ -n "$1" ] || usage_error "$option needs a value"
        case $option in
          --token) token=$1 ;;
          --token-file) token=$(cat "$1") || fail "--token-file $1 cannot be read" ;;
          --target) target=$1 ;;
          --name) name=$1 ;;
          --python) python=$1 ;;
        esac
        shift
        ;;
      *) usage_error "\"$option\" is not an option" ;;
    esac
  done
}

choose_folders() {
  if [ -n "$service" ]; then
    # As the unit expects them.
    prefix=/opt/kernelbot
    config=/etc/kernelbot
    cache=/var/cache/kernelbot
  else
    prefix=${KERNELBOT_PREFIX:-$HOME/.local}
    config=${XDG_CONFIG_HOME:-$HOME/.config}/kernelbot
  fi
  settings=$config/runner.env
  token_file=$config/runner-token
  unit=/etc/systemd/system/kernelbot-runner.service
}

# setting NAME: the value of an earlier installation; empty where there is none.
setting() {
  if [ -e "$settings" ]; then sed -n "s/^$1=//p" "$settings"; fi
}

# Completes the options with the environment and the settings of an earlier installation.
complete_options() {
  token=${token:-${KERNELBOT_RUNNER_TOKEN:-}}
  if [ -z "$token" ] && [ -e "$token_file" ]; then token=$(cat "$token_file"); fi
  target=${target:-$(setting KERNELBOT_TARGET)}
  earlier=$(setting KERNELBOT_RUNNER_OPTIONS)
  name=${name:-$(echo "$earlier" | sed -n 's/.*--name \([^ ]*\).*/\1/p')}
  options=$(echo "${name:+--name $name }$(echo "$earlier" | sed 's/--name [^ ]*//')" | sed 's/  */ /g; s/ $//')
  python=${python:-${KERNELBOT_PYTHON:-$(setting KERNELBOT_PYTHON)}}
  [ -n "$target" ] || usage_error "--target TARGET is required, such as cpu or H100"
  [ -n "$token" ] ||
    usage_error "--token TOKEN is required: an administrator creates one with kernelbot runners add $target"
  # The settings and the unit contain it.
  case $name in
    *[!A-Za-z0-9_.-]*) usage_error "--name \"$name\": use letters, digits, -, _ and ." ;;
  esac
}

# Installs the sandbox and the compiler of the tester where they are missing, and jemalloc, the allocator of workers, for
# steadier times: the tester works without it.
install_packages() {
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then can_install=yes; else can_install=; fi
  missing=
  command -v bwrap >/dev/null || missing="bubblewrap"
  command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null ||
    missing="$missing gcc libc6-dev"
  missing=${missing# }
  if [ -n "$missing" ] && [ -z "$can_install" ]; then
    command -v apt-get >/dev/null ||
      fail "this machine lacks what Debian calls $missing: install it and run the script again"
    fail "this machine lacks $missing: run sudo apt-get install $missing and the script again"
  fi
  if [ -n "$missing" ]; then apt_install $missing || fail "apt-get could not install $missing"; fi
  if [ -n "$can_install" ] && ! dpkg -s libjemalloc2 >/dev/null 2>&1; then
    apt_install libjemalloc2 || echo "apt-get could not install libjemalloc2: times on a CPU vary more without it" >&2
  fi
}

# apt_install PACKAGE...
apt_install() {
  echo "Installing $*"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update && apt-get -qq -y --no-install-recommends install "$@" >/dev/null
}

# Sets $python to the path of an interpreter that has PyTorch.
find_python() {
  # Importing PyTorch takes up to half a minute where its files are not in memory.
  echo "Looking for a Python with PyTorch"
  refused=
  if [ -n "$python" ]; then
    try_python "$python" && return
  else
    { try_python python3 || try_python /usr/bin/python3; } && return
  fi
  if command -v nvidia-smi >/dev/null || [ -e /dev/nvidia0 ]; then
    packages='@TORCH_CUDA@'
  elif [ -e /dev/kfd ]; then
    packages='@TORCH_ROCM@'
  else
    packages='@TORCH_CPU@'
  fi
  home=$prefix/kernelbot-python
  fail "no Python with PyTorch and NumPy:$refused
Name one with --python PATH, or install them:
  python3 -m venv $home
  $home/bin/python3 -m pip install $packages
and run the script again with --python $home/bin/python3"
}

# try_python COMMAND: sets $python if the command can import PyTorch, else adds the reason to $refused.
try_python() {
  if printed=$("$1" -c 'import sys, numpy, torch; print(sys.executable)' 2>&1); then
    python=$(echo "$printed" | tail -n 1)
  else
    refused="$refused
  $1: $(echo "$printed" | tail -n 1)"
    return 1
  fi
}

# Creates the user of the service, who may use the accelerator.
create_user() {
  id kernelbot >/dev/null 2>&1 ||
    useradd --system --home-dir "$cache" --no-create-home --shell /usr/sbin/nologin kernelbot
  for group in video render; do
    if grep -q "^$group:" /etc/group; then usermod -aG "$group" kernelbot; fi
  done
  install -d -o kernelbot -g kernelbot -m 700 "$cache"
  # The service runs the program from here before it is placed.
  chmod 755 "$work"
  as_runner "$python" -c '' 2>/dev/null ||
    fail "the user kernelbot of the service cannot run $python: use --python with one outside of home folders, or --user"
}

# as_runner COMMAND...: runs it as the user who will run the runner.
as_runner() {
  if [ -n "$service" ]; then
    XDG_CACHE_HOME=$cache runuser -u kernelbot -- "$@"
  else
    "$@"
  fi
}

# Checks machine, server and token before anything is changed.
check_machine() {
  echo "Checking this machine and the token"
  (
    export KERNELBOT_RUNNER_TOKEN="$token" KERNELBOT_PYTHON="$python"
    as_runner "$program" doctor --server "$server" --target "$target" ${name:+--name "$name"}
  ) || fail "the runner would not work: nothing was installed. Fix what is marked above and run the script again"
}

write_settings() {
  mkdir -p "$config"
  {
    echo "KERNELBOT_SERVER=$server"
    echo "KERNELBOT_TARGET=$target"
    echo "KERNELBOT_PYTHON=$python"
    echo "KERNELBOT_RUNNER_OPTIONS=$options"
    # What an administrator added, such as CUDA_VISIBLE_DEVICES.
    if [ -e "$settings" ]; then grep -vE '^KERNELBOT_(SERVER|TARGET|PYTHON|RUNNER_OPTIONS)=' "$settings" || true; fi
  } >"$work/runner.env"
  (umask 077 && echo "$token" >"$work/runner-token")
  mv -f "$work/runner.env" "$settings"
  mv -f "$work/runner-token" "$token_file"
}

start_service() {
  cat >"$unit" <<'END'
@UNIT@
END
  systemctl daemon-reload
  systemctl --quiet enable kernelbot-runner
  # A runner that is judging finishes its run first.
  systemctl --no-block restart kernelbot-runner
  echo "The service kernelbot-runner serves $target. Its log: journalctl -fu kernelbot-runner"
  echo "Settings: $settings; token: $token_file"
}

uninstall() {
  if [ -n "$service" ] && [ -e "$unit" ]; then
    # Waits for the current run.
    systemctl --quiet disable --now kernelbot-runner
    rm -f "$unit"
    systemctl daemon-reload
  fi
  rm -rf "$prefix/bin/kernelbot-runner" "$prefix/lib/kernelbot-runner" "$settings" "$token_file"
  if [ -n "$service" ]; then rm -rf "$cache"; fi
  echo "Removed kernelbot-runner, its settings and its token."
}

main() {
  parse_options "$@"
  choose_folders
  if [ -n "$uninstall" ]; then uninstall && exit; fi
  [ "$(uname -s)" = Linux ] || fail "runners need Linux, whose sandbox they use: this is $(uname -s)"
  complete_options
  make_work_folder
  install_packages
  find_python
  fetch_program kernelbot-runner
  if [ -n "$service" ]; then create_user; fi
  check_machine
  place_program kernelbot-runner
  write_settings
  if [ -n "$service" ]; then
    start_service
    return
  fi
  # The options are words without spaces.
  set -- "$prefix/bin/kernelbot-runner" --server "$server" --target "$target" --token-file "$token_file" $options
  if [ -n "$foreground" ]; then
    rm -rf "$work"
    export KERNELBOT_PYTHON="$python"
    exec "$@"
  fi
  echo "Start it: KERNELBOT_PYTHON=$python $*"
}

# At the end, so that a download that breaks off does nothing.
main "$@"

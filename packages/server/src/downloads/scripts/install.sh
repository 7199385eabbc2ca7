#!/bin/sh
# Installs kernelbot @VERSION@ from @SERVER@:
#
#     curl -fsSL @SERVER@/install.sh | sh
#
# KERNELBOT_PREFIX is the folder to install into, by default ~/.local.
set -eu

script=install.sh
prefix=${KERNELBOT_PREFIX:-$HOME/.local}
@COMMON@

main() {
  case "$(uname -s)" in
    MINGW* | MSYS* | CYGWIN*) fail "for Windows, $server/downloads/kernelbot-win-x64.zip contains the program" ;;
  esac
  make_work_folder
  fetch_program kernelbot
  place_program kernelbot

  config=${XDG_CONFIG_HOME:-$HOME/.config}/kernelbot/config.toml
  login="kernelbot login"
  if [ -e "$config" ] && ! grep -q "^server = \"$server\"\$" "$config"; then
    login="kernelbot login --server $server"
  elif [ ! -e "$config" ]; then
    (umask 077 && mkdir -p "$(dirname "$config")" && echo "server = \"$server\"" >"$config")
    echo "Set $server as its server in $config."
  fi
  case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) echo "Add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  echo "Next: $login"
  echo "To remove it: rm -rf $prefix/bin/kernelbot $prefix/lib/kernelbot"
}

# At the end, so that a download that breaks off does nothing.
main

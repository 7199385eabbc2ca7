#!/bin/sh
# Installs kernelbot @VERSION@ from @SERVER@:
#
#     curl -fsSL @SERVER@/install.sh | sh
#
# KERNELBOT_PREFIX is the folder to install into, by default ~/.local.
set -eu

server='@SERVER@'
version='@VERSION@'
prefix=${KERNELBOT_PREFIX:-$HOME/.local}
work=

# The SHA-256 and the name of each file that the server offers.
downloads() {
  cat <<'END'
@CHECKSUMS@
END
}

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

# offers NAME: whether the server has this file.
offers() {
  downloads | grep -q "  $1\$"
}

# download NAME: writes the file to $work/NAME and checks it.
download() {
  echo "Downloading $server/downloads/$1"
  curl -fsSL -o "$work/$1" "$server/downloads/$1" || fail "the download failed; run the script again"
  expected=$(downloads | grep "  $1\$" | cut -d ' ' -f 1)
  if command -v sha256sum >/dev/null; then
    actual=$(sha256sum "$work/$1" | cut -d ' ' -f 1)
  else
    actual=$(shasum -a 256 "$work/$1" | cut -d ' ' -f 1)
  fi
  [ "$actual" = "$expected" ] || fail "$1 has the SHA-256 $actual instead of $expected: nothing was installed"
}

# The platform as the executables name it; empty where none would run.
platform() {
  # The executables need glibc, which musl systems such as Alpine lack.
  if ldd --version 2>&1 | grep -qi musl; then return; fi
  case "$(uname -s) $(uname -m)" in
    'Linux x86_64') echo linux-x64 ;;
    'Linux aarch64' | 'Linux arm64') echo linux-arm64 ;;
    'Darwin arm64') echo darwin-arm64 ;;
    'Darwin x86_64') echo darwin-x64 ;;
  esac
}

has_node() {
  command -v node >/dev/null &&
    node -e 'const [major, minor] = process.versions.node.split(".").map(Number)
      process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'
}

install_executable() {
  download "$1"
  gzip -dc "$work/$1" >"$work/kernelbot"
  chmod 755 "$work/kernelbot"
  "$work/kernelbot" --version >/dev/null || fail "the executable does not run on this machine: nothing was installed"
  mv -f "$work/kernelbot" "$prefix/bin/kernelbot"
  what="a single executable"
}

install_package() {
  download "$1"
  mkdir -p "$prefix/lib"
  tar -xzf "$work/$1" -C "$work"
  node "$work/package/dist/kernelbot.js" --version >/dev/null || fail "the program does not run: nothing was installed"
  chmod 755 "$work/package/dist/kernelbot.js"
  rm -rf "$prefix/lib/kernelbot"
  mv "$work/package" "$prefix/lib/kernelbot"
  ln -sf ../lib/kernelbot/dist/kernelbot.js "$prefix/bin/kernelbot"
  what="a program for $(command -v node)"
}

main() {
  command -v curl >/dev/null || fail "curl is missing: install it first"
  mkdir -p "$prefix/bin"
  # Beside its destination, so that the last step is a rename.
  work=$(mktemp -d "$prefix/.kernelbot.XXXXXX")
  trap 'rm -rf "$work"' EXIT

  executable=kernelbot-$(platform).gz
  package=kernelbot-$version.tgz
  if offers "$executable"; then
    install_executable "$executable"
  elif has_node && offers "$package"; then
    install_package "$package"
  elif offers "$package"; then
    fail "$server has no executable for $(uname -s) $(uname -m): install Node.js 20.19 or newer and run the script again"
  else
    fail "$server offers no programs: its operator has to run npm run build"
  fi
  echo "Installed kernelbot $version as $prefix/bin/kernelbot, $what. Its SHA-256 was checked."

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

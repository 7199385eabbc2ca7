# What the installation scripts share. The server places it into each of them.

server='@SERVER@'
version='@VERSION@'
work=

# The SHA-256 and the name of each file that the server offers.
downloads() {
  cat <<'END'
@CHECKSUMS@
END
}

fail() {
  echo "$script: $*" >&2
  exit 1
}

# make_work_folder: creates $work next to the destination, so that the last step is a rename.
make_work_folder() {
  command -v curl >/dev/null || fail "curl is missing: install it first"
  mkdir -p "$prefix"
  work=$(mktemp -d "$prefix/.kernelbot.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
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

# fetch_program NAME: downloads a program into $work. Sets $program, its path there, and $what, its kind.
fetch_program() {
  executable=kernelbot-$(platform).gz
  package=$1-$version.tgz
  if offers "$executable"; then
    download "$executable"
    # It runs the program whose name it is started by.
    program=$work/$1
    gzip -dc "$work/$executable" >"$program"
    what="a single executable"
  elif has_node && offers "$package"; then
    download "$package"
    tar -xzf "$work/$package" -C "$work"
    program=$work/package/dist/$1.js
    what="a program for $(command -v node)"
  elif offers "$package"; then
    fail "$server has no executable for $(uname -s) $(uname -m): install Node.js 20.19 or newer and run the script again"
  else
    fail "$server offers no programs: its operator has to run npm run build"
  fi
  chmod 755 "$program"
  "$program" --help >/dev/null || fail "$1 does not run on this machine: nothing was installed"
}

# place_program NAME: moves the program to $prefix/bin/NAME.
place_program() {
  mkdir -p "$prefix/bin"
  if [ -d "$work/package" ]; then
    mkdir -p "$prefix/lib"
    rm -rf "$prefix/lib/$1"
    mv "$work/package" "$prefix/lib/$1"
    ln -sf "../lib/$1/dist/$1.js" "$prefix/bin/$1"
  else
    mv -f "$program" "$prefix/bin/$1"
  fi
  echo "Installed $1 $version as $prefix/bin/$1, $what. Its SHA-256 was checked."
}

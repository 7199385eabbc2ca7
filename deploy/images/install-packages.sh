#!/bin/sh
# Installs what `npm run build` made, with its dependencies and a list of what it contains, for the images to copy:
# FOLDER/server, FOLDER/runner, and FOLDER/node. Usage, from the root of the repository: install-packages.sh FOLDER [BUILT]
set -eu
folder=$1
built=${2:-dist/packages}
for program in server runner; do
  target=$folder/$program
  mkdir -p "$target"
  # npm installs a folder as a link, a package as files.
  package=$(npm pack "$(realpath "$built/kernelbot-$program")" --silent --pack-destination "$folder")
  npm install --global --prefix "$target" --ignore-scripts --no-audit --no-fund --loglevel=error "$folder/$package"
  rm "$folder/$package"
  # The libraries are bundled into the program, so their list comes from the lockfile. --omit=dev would leave out those that
  # a development dependency needs too; the workspaces have none of their own.
  npm sbom --package-lock-only --workspace="@kernelbot/$program" --sbom-format=cyclonedx >"$target/sbom.cdx.json"
done
cp "$(node -p process.execPath)" "$folder/node"

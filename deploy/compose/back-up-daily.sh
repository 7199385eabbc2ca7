#!/bin/sh
# Backs up each day and keeps the newest BACKUPS_KEPT backups. A failed backup is retried after an hour.
set -eu
cd /var/backups/kernelbot
trap exit TERM
while true; do
  name=$(date -u +%Y-%m-%dT%H-%M-%SZ)
  if kernelbot-server backup --to "$name"; then
    ls -d ????-??-??T* | head -n "-$BACKUPS_KEPT" | xargs -r rm -r
    sleep 86400 &
  else
    rm -rf "$name"
    sleep 3600 &
  fi
  # The shell handles SIGTERM between commands, and while it waits.
  wait $!
done

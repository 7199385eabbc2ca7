#!/bin/sh
# Writes what deploy/compose.yaml keeps in its volume of secrets, where it is missing.
set -eu
umask 077
cd /etc/kernelbot
# The address is written last: where it exists, the password does too.
if [ ! -e database-url ]; then
  password=$(node -p 'crypto.randomBytes(24).toString("hex")')
  printf %s "$password" >database-password
  printf 'postgres://kernelbot:%s@database/kernelbot\n' "$password" >database-url.new
  mv database-url.new database-url
fi
if [ ! -e signing-key.pem ]; then
  node -p 'crypto.generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" })' >signing-key.pem.new
  mv signing-key.pem.new signing-key.pem
fi

-- Receipts: signatures of ranked results, and the public keys that verify them.

create table signing_key (
  id text primary key check (id ~ '^[0-9a-f]{64}$'),
  public_key text not null check (public_key ~ '^[A-Za-z0-9_-]{43}$'),
  created_at timestamptz not null default now()
);
comment on table signing_key is 'Public halves of all Ed25519 keys that servers have signed with, so that receipts remain verifiable after a key is replaced. The private half is never stored here.';
comment on column signing_key.public_key is 'In base64url, as in JSON Web Keys.';
comment on index signing_key_pkey is 'Receipts refer to their key.';

create table receipt (
  run_id bigint primary key references run (id),
  account_name text not null,
  key_id text not null references signing_key (id),
  signature bytea not null check (length(signature) = 64)
);
comment on table receipt is 'Signature of the stored result of a ranked run. The document is generated from the rows of the run, which never change after its end, so the samples are not stored twice and a manipulated row invalidates the signature.';
comment on column receipt.account_name is 'Name of the account when the run ended.';
comment on index receipt_pkey is 'Finds the receipt of a run.';

-- Receipts of ranked runs, the seeds that they commit to, and the end of a board, which opens them.
create table signing_key (
  id text primary key check (id ~ '^[0-9a-f]{64}$'),
  public_key text not null check (public_key ~ '^[A-Za-z0-9_-]{43}$'),
  created_at timestamptz not null default now()
);
comment on table signing_key is 'The public halves of all Ed25519 keys that servers ever signed with: a receipt stays verifiable when its key is no longer used. The private half is never here.';
comment on column signing_key.public_key is 'In base64url, as JSON Web Keys have it.';
comment on index signing_key_pkey is 'Receipts name their key.';

create table receipt (
  run_id bigint primary key references run (id),
  account_name text not null,
  key_id text not null references signing_key (id),
  signature bytea not null check (length(signature) = 64)
);
comment on table receipt is 'The signature under what is stored of a ranked run. The document is made of the run''s own rows, which never change once it has ended, so there is no second copy of its samples, and a row that is changed all the same shows.';
comment on column receipt.account_name is 'As the account was called when the run ended.';
comment on index receipt_pkey is 'The receipt of a run.';

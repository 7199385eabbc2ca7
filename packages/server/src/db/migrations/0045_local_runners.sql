-- The runner that a server starts beside itself keeps its token, and with it its row among the runners, from one start to the next.

alter table token add column holder text;
comment on column token.holder is 'Whose token it is where no person has it: the runner that a server starts beside itself. Each start gives it a new secret.';
create unique index token_holder on token (holder) where revoked_at is null;
comment on index token_holder is 'A holder has one token.';

-- Those that servers which ended without order have left.
update token set revoked_at = clock_timestamp()
  where account_id = 'operator' and revoked_at is null and expires_at is null
    and scopes = '{runner}' and cardinality(targets) = 1 and label = 'local runner ' || targets[1];

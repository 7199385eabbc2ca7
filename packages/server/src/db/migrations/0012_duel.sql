-- The other side of a submission in mode `duel`. accept_submissions (0009_receipts.sql) stores it.

alter table submission
  add column rival_hash bytea references code (hash),
  add column rival_name text,
  add constraint rival_in_a_duel check (
    (mode = 'duel') = (rival_hash is not null) and (mode = 'duel') = (rival_name is not null));
comment on column submission.rival_hash is 'The source of B, where code_hash is that of A.';

alter table run add column rival_failure json;
comment on column run.rival_failure is 'How B has failed, as core''s SideFailure; A''s failure is the run''s own. Null where B has not failed.';

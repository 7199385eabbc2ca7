alter table problem_version add column legacy_harness boolean not null
  generated always as (coalesce(spec ->> 'harness' = 'legacy', false)) stored;
comment on column problem_version.legacy_harness is 'Whether a harness of the problem''s own judges it. Kept, since each run that is shown tells, and a spec takes long to read.';

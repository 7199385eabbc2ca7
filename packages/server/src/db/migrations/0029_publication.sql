-- A submission is published with its number in a snapshot: a row to insert for each, in place of a change of each submission.
-- Without the reference, since checking it would write to each submission's row; submissions are never deleted.
alter table dataset_number
  drop constraint dataset_number_submission_id_fkey,
  add column published_at timestamptz not null default clock_timestamp();
create index dataset_number_submission on dataset_number (submission_id);
comment on table dataset_number is 'What was published: under which numbers submissions stand in snapshots, their own or pseudonyms. What is withdrawn is told by these.';
comment on column dataset_number.published_at is 'When an export took it up under this number. What is out under a licence cannot be called back.';
comment on index dataset_number_submission is 'Whether a submission is published.';

update dataset_number n set published_at = s.published_at
  from submission s where s.id = n.submission_id and s.published_at is not null;
insert into dataset_number (number, submission_id, published_at)
  select s.id, s.id, s.published_at from submission s
  where s.published_at is not null and not exists (select from dataset_number n where n.submission_id = s.id);

drop trigger submission_published on submission;
alter table submission
  drop constraint published_with_licence,
  drop column published_at;

create or replace function published_stays() returns trigger language plpgsql as $$
begin
  -- Waits for an export that is taking submissions up, perhaps this one.
  lock table dataset_number in share mode;
  if exists (select from dataset_number where submission_id = old.id) then
    raise exception 'submission % was published, and its licence stays', old.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger submission_published before update of licence on submission
  for each row when (old.licence is distinct from new.licence) execute function published_stays();

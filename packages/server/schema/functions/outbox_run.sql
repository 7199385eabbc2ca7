-- Trigger function of run: records a board whose ranks a run may have changed. Earlier revisions of a board can be read
-- too, so a run on their versions also counts. What a freeze hides is not recorded until the reveal: a change number
-- would reveal that a run passed.
create function outbox_run() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select e.problem, e.target from board_revision e join problem_window w on w.problem = e.problem
    where e.problem_version = new.problem_version and e.target = new.target and not (w.frozen
      and (select s.created_at from submission s where s.id = new.submission_id) >= w.freezes_at);
  return null;
end $$;

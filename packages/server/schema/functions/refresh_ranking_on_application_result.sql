-- Trigger function of application_result: updates the boards on which a source has entries, and notifies their readers,
-- when the result of its application is stored, replaced or deleted. A board that a freeze hides is not reported.
create function refresh_ranking_on_application_result() returns trigger language plpgsql as $$
declare
  changed record;
begin
  select coalesce(new.code_hash, old.code_hash) as code_hash, coalesce(new.target, old.target) as target into changed;
  perform refresh_ranking_of_submission(s.id, changed.target) from submission s
    where s.code_hash = changed.code_hash and s.mode = 'ranked'
    order by s.id;
  perform signal_board_change(k.problem, k.target) from (
    select distinct k.problem, k.target from submission s join ranking k on k.submission_id = s.id
    join problem_window w on w.problem = k.problem
    where s.code_hash = changed.code_hash and k.target = changed.target
      and not (w.frozen and k.created_at >= w.freezes_at)
    order by 1, 2) k;
  return null;
end $$;

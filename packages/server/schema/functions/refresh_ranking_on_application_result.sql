-- Trigger function of application_result: updates the boards that require the result and on which its source has entries,
-- and notifies the readers of all its boards, when the result is stored, replaced or deleted. A board that a freeze hides
-- is not reported.
create function refresh_ranking_on_application_result() returns trigger language plpgsql as $$
declare
  changed record;
begin
  select coalesce(new.code_hash, old.code_hash) as code_hash, coalesce(new.target, old.target) as target into changed;
  perform refresh_ranking_of_submission(s.id, changed.target) from submission s
    where s.code_hash = changed.code_hash and s.mode = 'ranked'
      and exists (select from run r join problem_version v on v.hash = r.problem_version
        where r.submission_id = s.id and r.target = changed.target and v.application_gate = 'required')
    order by s.id;
  perform signal_board_change(k.problem, k.target) from (
    select distinct k.problem, k.target from submission s join ranking k on k.submission_id = s.id
    join problem_window w on w.problem = k.problem
    where s.code_hash = changed.code_hash and k.target = changed.target
      and not (w.frozen and k.created_at >= w.freezes_at)
    order by 1, 2) k;
  return null;
end $$;

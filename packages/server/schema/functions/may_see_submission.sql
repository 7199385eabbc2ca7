-- Tests whether an account may see a submission (auth/visibility.ts says who may). Every poll of a submission calls it.
-- The plan is independent of the arguments, since planning takes 1 ms, far more than the execution.
create function may_see_submission(of_submission bigint, viewer text, sees_all boolean) returns boolean
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
  return exists (
    select from submission s join problem p on p.name = s.problem
    where s.id = of_submission and not s.is_evaluation and may_open_competition(p.competition, viewer, sees_all)
      and may_view_submission(s.problem, s.created_at, s.account_id, viewer, sees_all)
      and (sees_all or s.account_id = viewer or s.removed_at is null and (
        s.code_visibility is not null
          and exists (select from competition_organiser o where o.competition = p.competition and o.account_id = viewer)
        or case when p.suite is null
          then exists (select from run r where r.submission_id = s.id and r.mode = 'ranked' and r.verdict = 'passed')
          else exists (
            select from kernelbench_kernel k join kernelbench_entry e on e.id = k.entry_id
            where k.submission_id = s.id and e.published_at is not null)
        end)));
end
$$;

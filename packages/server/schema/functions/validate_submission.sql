-- Trigger function of submission: what must be true of each submission. A trigger and not checks for the reason given
-- in validate_run.sql.
create function validate_submission() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.mode not in ('test', 'benchmark', 'ranked', 'profile', 'duel', 'application', 'compile', 'reward') then 'submission_mode_check'
    when new.mode in ('compile', 'reward') and not new.is_evaluation then 'evaluation_modes'
    when new.problem is null and not new.is_evaluation then 'submission_problem_check'
    when new.author_kind not in ('undeclared', 'human', 'assisted', 'autonomous') then 'submission_author_kind_check'
    when new.model = '' then 'submission_model_check'
    when length(new.request_hash) <> 32 then 'submission_request_hash_check'
    when new.code_visibility not in ('after_end', 'always', 'never') then 'submission_code_visibility_check'
    when not is_licence(new.licence) then 'submission_licence_check'
    when (new.mode = 'duel') <> (new.rival_hash is not null) or (new.mode = 'duel') <> (new.rival_name is not null)
      then 'rival_in_a_duel'
    when not (case new.author_kind when 'autonomous' then new.model is not null when 'assisted' then true
      else new.model is null end) then 'model_of_kind'
    when (new.removed_at is null) <> (new.removed_by is null) then 'remover_when_removed'
    when new.removal_reason is not null and new.removed_at is null then 'reason_when_removed'
  end;
begin
  if broken is not null then
    perform raise_check_violation('submission', broken);
  end if;
  return new;
end $$;

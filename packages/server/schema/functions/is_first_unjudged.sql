-- Whether no other submission of the account within the hour before this one has a run that could not be judged. Some
-- submissions can make their judge fail, so only the first of an hour uses nothing of the limits. Called by allowances.
create function is_first_unjudged(of_account text, of_submission bigint, submitted_at timestamptz) returns boolean
language sql stable as $$
  select not exists (
    select from submission s join run r on r.submission_id = s.id
    where s.account_id = of_account and s.id < of_submission and s.created_at > submitted_at - interval '1 hour'
      and not s.is_evaluation and r.verdict = 'infra_error' and r.rerun = 0)
$$;

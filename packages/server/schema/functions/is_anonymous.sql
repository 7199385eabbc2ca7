-- Tests whether published data shows a pseudonym for a submission: as the submission says, or else if its account says so
-- or the boards of its competition show pseudonyms.
create function is_anonymous(of_submission boolean, of_account boolean, of_problem text) returns boolean language sql stable as $$
  select coalesce(of_submission, of_account or exists (
    select from problem p join competition c on c.name = p.competition
    where p.name = of_problem and c.pseudonym_key is not null))
$$;

-- Raises the error that a check constraint of this name would raise. Called by validate_run and validate_submission.
create function raise_check_violation(of_table text, broken text) returns void language plpgsql as $$
begin
  raise exception 'new row for relation "%" violates check constraint "%"', of_table, broken
    using errcode = 'check_violation', table = of_table, constraint = broken;
end $$;

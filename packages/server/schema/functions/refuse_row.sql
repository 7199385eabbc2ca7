-- What must hold of each row of `run` and `submission`, said by a trigger for each and no longer by checks: PostgreSQL reads the
-- text of every check of a table anew in each statement that changes it. Of `run` that was 28 kB, and took 0.5 of the 0.6 ms of
-- an update; a run is updated five times. A trigger's function is kept ready.
create function refuse_row(of_table text, broken text) returns void language plpgsql as $$
begin
  raise exception 'new row for relation "%" violates check constraint "%"', of_table, broken
    using errcode = 'check_violation', table = of_table, constraint = broken;
end $$;
comment on function refuse_row is 'As a check does it.';

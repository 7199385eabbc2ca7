-- Replaces the rows of kept_run of whole boards by those of computed_run. The argument is an SQL condition on problem
-- and target, written by the calling function, with quoted values.
create function keep_boards(which text) returns void language plpgsql as $$
begin
  execute format('delete from kept_run where %s', which);
  execute format('insert into kept_run
    select *, row_number() over (partition by problem, target, edition, entrant order by time_ns, entry_run_id) = 1
    from computed_run where %s order by problem, target, time_ns', which);
end $$;

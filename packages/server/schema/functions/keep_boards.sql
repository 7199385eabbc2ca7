create function keep_boards(which text) returns void language plpgsql as $$
begin
  execute format('delete from kept_run where %s', which);
  execute format('insert into kept_run
    select *, row_number() over (partition by problem, target, edition, entrant order by time_ns, entry_run_id) = 1
    from computed_run where %s order by problem, target, time_ns', which);
end $$;
comment on function keep_boards is 'Makes kept_run what computed_run says of whole boards: a condition on problem and target. The condition is ours, and its values quoted.';

-- Returns the start tag of the next re-run on a target. Re-runs are a flow of their own in the fair queue, with an
-- eighth of an account's share: the next one starts the cost of eight runs after the last one, or after the virtual
-- time. No account is charged, since the owner of the checked entry must not wait longer for it. Called when moderators
-- or the server request a re-run.
create function rerun_tag(of_target text) returns double precision language sql stable
return greatest(virtual_time(of_target, 0::smallint), (select max(tag) from run where rerun > 0 and target = of_target))
  + 8 * run_cost('ranked');

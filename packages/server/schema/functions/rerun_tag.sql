-- Re-runs are a flow of their own in the fair queue of each target (see 0004_queue.sql), with an eighth of the share of an
-- account: the next one starts the cost of eight runs behind the last, or behind now.
create function rerun_tag(of_target text) returns double precision language sql stable
return greatest(virtual_time(of_target), (select max(tag) from run where rerun > 0 and target = of_target))
  + 8 * run_cost('ranked');
comment on function rerun_tag is 'The start tag of the next re-run on a target. It is charged to nobody: whose entry is checked must not wait for it.';

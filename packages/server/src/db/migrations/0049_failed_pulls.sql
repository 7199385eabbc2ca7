alter table kernelbench_pull drop constraint kernelbench_pull_state_check;
alter table kernelbench_pull add constraint kernelbench_pull_state_check
  check (state in ('waiting', 'refused', 'failed', 'evaluating', 'evaluated', 'merged', 'closed'));

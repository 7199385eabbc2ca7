-- Problems with a harness of their own report a summary of each timed case, and time no reference.

alter table case_result add column summary json;
comment on column case_result.summary is 'What the problem''s own harness says of a timed case; null where our judge took samples.';

alter table run drop constraint score_when_ranked;
alter table run add constraint score_when_ranked check (
  case when verdict = 'passed' and mode = 'ranked'
    then time_ns > 0 and time_ns < 'infinity' and time_low_ns > 0 and time_high_ns < 'infinity'
      and (num_nulls(speedup, speedup_low, speedup_high) = 3
        or (speedup > 0 and speedup < 'infinity' and speedup_low > 0 and speedup_high < 'infinity'))
    else num_nulls(time_ns, time_low_ns, time_high_ns, speedup, speedup_low, speedup_high) = 6
  end is true
);

-- What the static review found in a run's source. On the run and not by attempt: it is read with the run, and another attempt
-- reviews the same source anew.
alter table run add column review json;
comment on column run.review is 'The findings of the current attempt, in the shape of core''s ReviewFinding; null where there are none. It informs moderators and decides nothing.';

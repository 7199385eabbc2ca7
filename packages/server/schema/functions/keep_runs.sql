-- Replaces the rows of kept_run to which a condition applies by those of computed_run. The argument is an SQL condition
-- written by the calling function, with quoted values.
create function keep_runs(which text) returns void language plpgsql as $$
declare
  touched jsonb;
  come jsonb;
begin
  execute format('with gone as (delete from kept_run where %s returning problem, target, edition, entrant)
    select coalesce(jsonb_agg(distinct to_jsonb(gone)), ''[]'') from gone', which) into touched;
  execute format('with come as (
      insert into kept_run select *, false from computed_run where %s returning problem, target, edition, entrant)
    select coalesce(jsonb_agg(distinct to_jsonb(come)), ''[]'') from come', which) into come;
  perform keep_best(t.problem, t.target, t.edition, t.entrant) from (
    select distinct * from jsonb_to_recordset(touched || come) as t (problem text, target text, edition integer, entrant text)) t;
end $$;

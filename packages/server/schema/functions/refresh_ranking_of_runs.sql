-- Replaces the rows of the table ranking to which a condition applies by those of ranking_query. The argument is an SQL
-- condition written by the calling function, with quoted values.
create function refresh_ranking_of_runs(condition text) returns void language plpgsql as $$
declare
  deleted jsonb;
  inserted jsonb;
begin
  execute format('with removed as (delete from ranking where %s returning problem, target, revision, entrant)
    select coalesce(jsonb_agg(distinct to_jsonb(removed)), ''[]'') from removed', condition) into deleted;
  execute format('with inserted as (
      insert into ranking select *, false from ranking_query where %s returning problem, target, revision, entrant)
    select coalesce(jsonb_agg(distinct to_jsonb(inserted)), ''[]'') from inserted', condition) into inserted;
  perform update_best_run(t.problem, t.target, t.revision, t.entrant) from (
    select distinct * from jsonb_to_recordset(deleted || inserted) as t (problem text, target text, revision integer, entrant text)) t;
end $$;

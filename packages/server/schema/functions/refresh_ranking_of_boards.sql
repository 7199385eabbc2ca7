-- Replaces the rows of the table ranking of whole boards by those of ranking_query. The argument is an SQL condition on
-- problem and target, written by the calling function, with quoted values.
create function refresh_ranking_of_boards(condition text) returns void language plpgsql as $$
begin
  execute format('delete from ranking where %s', condition);
  execute format('insert into ranking
    select *, row_number() over (partition by problem, target, revision, entrant order by rank_key, entry_run_id) = 1
    from ranking_query where %s order by problem, target, rank_key', condition);
end $$;

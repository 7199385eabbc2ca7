-- Returns the result of the application for a source and its file name on the board of a problem version, or no row if there is none: that
-- of the newest version in the same revision of the board. Results of earlier versions are stale; those that still apply
-- are copied when a version is stored. Called to show results, and by ranking_query.
create function find_application_result(of_code bytea, of_file text, of_version text, of_target text) returns setof application_result language sql stable as $$
  select a.* from application_result a
  where a.code_hash = of_code and a.language = language_of(of_file) and a.target = of_target and a.problem_version = (
    select same.problem_version from board_revision own
    join board b on b.problem = own.problem and b.target = own.target
    join board_revision same on same.problem = own.problem and same.target = own.target and same.revision = own.revision
    where own.problem_version = of_version and own.target = of_target
    order by same.problem_version = b.version desc, same.created_at desc limit 1)
$$;

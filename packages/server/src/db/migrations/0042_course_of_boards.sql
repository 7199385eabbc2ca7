create index kept_run_course on kept_run (problem, target, edition, created_at, entry_run_id) include (time_ns);
comment on index kept_run_course is 'How the times of a board came down.';

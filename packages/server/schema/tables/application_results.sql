-- Whether sources work in the applications of problems. A problem's application is a program that uses the kernel
-- (application.py of the problem); a run of mode application runs it.

create table application_result (
  code_hash bytea not null references code (hash) on delete cascade,
  language text not null,
  problem_version text not null references problem_version (hash),
  target text not null,
  validation json not null,
  is_validated boolean not null,
  unsandboxed boolean not null,
  checked_at timestamptz not null default clock_timestamp(),
  primary key (code_hash, problem_version, target, language)
);
comment on table application_result is 'Result of the application for a source in a language, a problem version and a target: that of the latest run, except that a later run does not validate a source that failed. Organisers delete a result to have it checked again.';
comment on column application_result.language is 'That of the file name, by language_of.';
comment on column application_result.validation is 'As Validation of packages/core.';
comment on column application_result.is_validated is 'Whether the kernel works in every case.';
comment on column application_result.unsandboxed is 'Whether it was judged without a sandbox, where code can forge its result.';
comment on index application_result_pkey is 'Boards and submissions read the result of their source.';

create constraint trigger refresh_ranking_on_application_result after insert or update or delete on application_result
  deferrable initially deferred for each row execute function refresh_ranking_on_application_result();

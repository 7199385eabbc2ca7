-- The hardware floor: what of a case's bytes may still be in a cache when a kernel is done.

alter table case_result add column output_bytes double precision;
comment on column case_result.output_bytes is 'The size of the output buffers of a timed case; null where our judge did not time it.';

create table submission_trace (
  submission_id bigint primary key references submission on delete cascade,
  traceparent text not null check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
);
comment on table submission_trace is 'The span (W3C Trace Context) in which a submission was accepted, so that its runs continue the trace. It has rows only where the server records traces.';
comment on index submission_trace_pkey is 'A claim finds the trace that it continues.';

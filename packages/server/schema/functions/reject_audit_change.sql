-- Trigger function of audit: rejects changes and deletions, so that the log has every action.
create function reject_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is never changed' using errcode = 'check_violation';
end $$;

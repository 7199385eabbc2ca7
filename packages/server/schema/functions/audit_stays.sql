create function audit_stays() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is never changed' using errcode = 'check_violation';
end $$;

-- Returns the HMAC-SHA-256 (RFC 2104) of a message, for keys of at most one block. PostgreSQL has only the hash. It is
-- computed in the database because a claim is one statement that selects the run, derives its seed and stores the
-- commitment.
create function hmac_sha256(key bytea, message bytea) returns bytea
language plpgsql immutable strict parallel safe as $$
declare
  inner_pad bytea := key || decode(repeat('00', 64 - length(key)), 'hex');
  outer_pad bytea := inner_pad;
begin
  for at in 0..63 loop
    inner_pad := set_byte(inner_pad, at, get_byte(inner_pad, at) # 54);
    outer_pad := set_byte(outer_pad, at, get_byte(outer_pad, at) # 92);
  end loop;
  return sha256(outer_pad || sha256(inner_pad || message));
end $$;

-- The name, and the id, under which the boards of a competition with pseudonyms show an account; null without a key.
-- Equal on all boards of the competition, and not to be linked with another competition or the account without the key.
create function shown_as(account_id text, pseudonym_key bytea) returns text language sql stable parallel safe
return 'anon-' || left(encode(sha256(pseudonym_key || convert_to(account_id, 'UTF8')), 'hex'), 12);
